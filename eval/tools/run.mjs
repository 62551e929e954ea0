/*
 * `npm run eval -- tools`: how well `find_tools` finds a tool among the tools of public MCP
 * servers (`catalogue.json.gz`), beside BM25 (minisearch) over the same text.
 *
 *     --dev        leaves the held-out queries alone
 *     --parts      measures each part of the ranking by itself too
 *     --misses     lists the dev queries that fail
 *     --set FILE   measures a set of your own: { "tools": [{ "name", "server"?, "description",
 *                  "inputSchema"? }], "queries": [{ "query", "wanted": ["name" or ["name", …]],
 *                  "kind"?, "task"? }] }
 *     --json       prints one JSON object
 *     --floor X    exits 1 when recall@5 of the set is below X
 *
 * Without `--set` it exits 1 when the dev queries do worse than they did.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { heading, line, measure, readQueryLines, splitOf } from '../measure.mjs';
import { importSource } from '../source.mjs';

const here = import.meta.dirname;
/** Least recall@5 of the dev queries: below it something broke. The held-out queries have no floor, so nobody tunes for them. */
const DEV_FLOOR = 0.8;
/** Signals that make a ranking by themselves. */
const parts = {
	words: ['words', 'literal'],
	'word vectors': ['meaning', 'meaningOfBest'],
	concepts: ['terms', 'termsOfBest'],
	'names, phrases, servers': ['nameInAsked', 'phrases', 'groupNamed', 'groupFits'],
};

/** Measure and print. */
export async function evaluateTools(flags) {
	let set;
	try {
		set = flags.set === undefined ? ownSet(flags.dev) : readSet(flags.set);
	} catch (error) {
		console.error(`${flags.set}: ${error.message}`);
		process.exitCode = 64;
		return;
	}
	const ranker = await toolRanker(set.servers);
	const all = set.groups.flatMap(({ queries }) => queries);
	const subjects = { orchestra: await ranker.answers(all), bm25: miniSearch(set.servers) };
	for (const [name, only] of flags.parts ? Object.entries(parts) : [])
		subjects[name] = await (await toolRanker(set.servers, only)).answers(all);
	const groups = set.groups.map(({ label, queries }) => ({
		label,
		queries: queries.length,
		...Object.fromEntries(Object.entries(subjects).map(([name, rank]) => [name, measure(queries, rank)])),
	}));
	const told = await toldByText(set.groups, ranker);
	const tools = set.servers.reduce((sum, server) => sum + server.tools.length, 0);
	if (flags.json)
		console.log(
			JSON.stringify({ schema: 'orchestra.eval/1', tools, servers: set.servers.length, groups, told }),
		);
	else print(tools, set.servers.length, groups, told);
	if (flags.misses) reportMisses(set.groups, subjects.orchestra);
	const recall = groups[0]?.orchestra['recall@5'].value ?? 0;
	const floor = Number(flags.floor ?? (flags.set === undefined ? DEV_FLOOR : 0));
	if (recall >= floor) return;
	console.error(`\nrecall@5 of "${groups[0]?.label}" is ${recall.toFixed(3)}, below ${floor}`);
	process.exitCode = 1;
}

/** The tools of public servers: `{ name, serverInfo, instructions, tools }`. */
export function catalogue() {
	return JSON.parse(gunzipSync(readFileSync(join(here, 'catalogue.json.gz'))).toString('utf8'));
}

/** All queries of `queries.txt` by split and kind, then the earlier ones, whose split is older than the hash. */
export function ownSet(isDevOnly) {
	const read = (file) => readQueryLines(readFileSync(join(here, file), 'utf8'));
	const all = read('queries.txt');
	const groups = [];
	for (const split of isDevOnly ? ['dev'] : ['dev', 'held-out']) {
		const queries = all.filter(({ query }) => splitOf(query) === split);
		groups.push({ label: `${split}, all`, queries });
		for (const kind of ['exact', 'everyday', 'paraphrase', 'proper'])
			groups.push({ label: `${split}, ${kind}`, queries: queries.filter((each) => each.kind === kind) });
		const earlier = read(`tasks-${split}.txt`);
		groups.push({ label: `${split}, earlier set`, queries: earlier });
		groups.push({
			label: `${split}, tasks of several tools`,
			queries: earlier.filter(({ kind }) => kind === 'task'),
		});
	}
	return { servers: catalogue(), groups };
}

function readSet(file) {
	const { tools, queries } = JSON.parse(readFileSync(file, 'utf8'));
	const names = new Set(tools.map(({ name }) => name));
	const read = queries.map(({ query, wanted, kind = 'all', task }) => {
		const list = wanted.map((each) => (Array.isArray(each) ? each : [each]));
		const unknown = list.flat().find((name) => !names.has(name));
		if (unknown !== undefined) throw new Error(`"${query}" wants "${unknown}", which is none of the tools`);
		return { query, task, kind, wanted: list };
	});
	const kinds = [...new Set(read.map(({ kind }) => kind))];
	const byKind = kinds.map((kind) => ({ label: kind, queries: read.filter((each) => each.kind === kind) }));
	const groups = [{ label: 'all', queries: read }, ...(kinds.length > 1 ? byKind : [])];
	const byServer = Map.groupBy
		? Map.groupBy(tools, ({ server = '' }) => server)
		: tools.reduce(
				(map, tool) => map.set(tool.server ?? '', [...(map.get(tool.server ?? '') ?? []), tool]),
				new Map(),
			);
	return { servers: [...byServer].map(([name, list]) => ({ name, tools: list, isNamed: true })), groups };
}

/** The ranker of `find_tools`, in this process. */
export async function toolRanker(servers, only) {
	const { ToolIndex } = await importSource('hub/expose/tool-index.ts', only);
	const { ToolUsage } = await importSource('hub/expose/tool-usage.ts');
	const index = new ToolIndex(new ToolUsage(), { warn: console.error, debug() {}, info() {} });
	const offered = servers.flatMap((server) =>
		server.tools.map((tool) => ({
			server: server.name,
			about: [server.serverInfo?.title, server.instructions].filter(Boolean).join('\n'),
			tool: {
				inputSchema: { type: 'object' },
				...tool,
				name: server.isNamed ? tool.name : `${server.name}__${tool.name}`,
			},
		})),
	);
	const search = async (query, task, limit = 10) => index.search(offered, { query, task, limit });
	return {
		search,
		offered,
		async answers(queries) {
			const found = new Map();
			for (const { query, task } of queries)
				if (!found.has(query))
					found.set(
						query,
						(await search(query, task)).map(({ id }) => id),
					);
			return (query) => found.get(query);
		},
	};
}

function miniSearch(servers) {
	const engine = new MiniSearch({ fields: ['name', 'description', 'parameters'] });
	for (const { name, tools, isNamed } of servers) {
		for (const tool of tools) {
			const properties = Object.entries(tool.inputSchema?.properties ?? {});
			const parameters = properties.map(([key, { description = '' }]) => `${key} ${description}`).join(' ');
			const id = isNamed ? tool.name : `${name}__${tool.name}`;
			engine.add({ id, name: id.replace(/[_-]+/g, ' '), description: tool.description ?? '', parameters });
		}
	}
	return (query) => engine.search(query).map(({ id }) => id);
}

function print(tools, servers, groups, told) {
	console.log(`${tools} tools of ${servers} servers\n\n${heading('queries')}`);
	for (const { label, queries, orchestra, bm25, ...others } of groups) {
		console.log(line(`${label} (${queries})`, orchestra));
		console.log(line('    bm25 (minisearch)', bm25));
		for (const name of Object.keys(parts)) if (others[name]) console.log(line(`    ${name}`, others[name]));
	}
	const share = (count) => (count / Math.max(1, told.answers)).toFixed(3);
	console.log(
		`\nanswers whose first five hold the right tool (${told.answers}): told by the text of the answer ${share(told.byText)}, by signatures alone ${share(told.bySignature)}, always the first ${share(told.first)}`,
	);
}

/**
 * A chooser that knows nothing but the answer: it takes the tool whose text shares most with the query, where a word
 * that few of the five have counts more, and the order only decides between equal ones.
 */
async function toldByText(groups, { search, offered }) {
	const { foundText } = await importSource('hub/expose/search-answer.ts');
	const byName = new Map(offered.map(({ tool }) => [tool.name, tool]));
	const counts = { answers: 0, byText: 0, bySignature: 0, first: 0 };
	for (const { query, task, wanted } of new Set(groups.flatMap(({ queries }) => queries))) {
		const found = (await search(query, task, 5)).map((hit) => ({ tool: byName.get(hit.id), hit }));
		const isRight = ({ hit }) => wanted.some((any) => any.includes(hit.id));
		if (!found.some(isRight)) continue;
		// One answer each: the blocks are what an agent reads, without the line that says what matched.
		const texts = found.map((one) => foundText([one], 100_000).split('\n').slice(0, 2));
		const right = (at) => (isRight(found[at]) ? 1 : 0);
		counts.answers++;
		counts.byText += right(
			chosen(
				query,
				texts.map((lines) => lines.join(' ')),
			),
		);
		counts.bySignature += right(
			chosen(
				query,
				texts.map(([signature]) => signature),
			),
		);
		counts.first += right(0);
	}
	return counts;
}

function chosen(query, texts) {
	const wordsIn = (text) =>
		new Set(
			text
				.toLowerCase()
				.match(/\p{L}{2,}/gu)
				?.map((word) => word.slice(0, 6)),
		);
	const held = texts.map(wordsIn);
	const scores = held.map((own) => {
		let score = 0;
		for (const word of wordsIn(query))
			if (own.has(word)) score += 1 / held.filter((each) => each.has(word)).length;
		return score;
	});
	return scores.indexOf(Math.max(...scores));
}

function reportMisses(groups, rank) {
	const dev = groups.filter(({ label }) => !label.startsWith('held-out'));
	console.log('\nmisses:');
	for (const { query, wanted } of new Set(dev.flatMap(({ queries }) => queries))) {
		const found = rank(query).slice(0, 5);
		const missing = wanted.filter((any) => !any.some((name) => found.includes(name)));
		if (missing.length > 0)
			console.log(
				`  ${query}\n    wanted ${missing.map((any) => any.join('/')).join(', ')}\n    found  ${found.join(', ')}`,
			);
	}
}
