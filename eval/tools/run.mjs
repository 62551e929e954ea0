/*
 * `npm run eval -- tools`: how well `find_tools` finds the tool for a step or the tools
 * for a task, among the tools of public MCP servers. `collect.mjs` gets their lists.
 *
 * The hub is the real one: `mctl serve` over servers that offer the collected lists,
 * asked through MCP. Beside it: BM25 (minisearch) and a regular expression, over the
 * same text. `--dev` leaves the held-out queries alone, `--misses` lists the dev
 * queries that fail. Exits 1 when the dev queries do worse than they did.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { connectServer } from '../../dist/mcp/index.js';
import { cacheFolder, collectedServers } from './collect.mjs';

const here = import.meta.dirname;
const main = join(here, '../../dist/cli/main.js');
/** Least recall@5 of the dev queries: below it something broke. The held-out queries have no floor, so nobody tunes for them. */
const DEV_FLOOR = 0.87;
const kinds = ['step', 'task', 'typo', 'language', 'paraphrase'];

/** Measure and print. */
export async function evaluateTools(flags) {
	const servers = collectedServers();
	const tools = servers.flatMap(({ name, tools }) => tools.map((tool) => flatTool(name, tool)));
	if (tools.length === 0) throw new Error('there are no tool lists: run node eval/tools/collect.mjs first');
	const splits = ['dev', ...(flags.includes('--dev') ? [] : ['held-out'])];
	const queries = Object.fromEntries(splits.map((split) => [split, readQueries(split)]));
	const asked = await askHub(servers, Object.values(queries).flat());
	const subjects = {
		orchestra: (query) => asked.answers.get(query).names,
		'bm25 (minisearch)': miniSearch(tools),
		'regular expression': regularExpression(tools),
	};
	const counts = splits.map((split) => `${queries[split].length} ${split}`).join(' + ');
	console.log(`${tools.length} tools of ${servers.length} servers, ${counts} queries\n`);
	console.log('split      ranker                recall@1  recall@5  recall@10  tasks@10');
	for (const split of splits)
		for (const [name, rank] of Object.entries(subjects)) report(split, name, grade(queries[split], rank));
	console.log('\nrecall@5   orchestra  bm25');
	for (const split of splits) for (const kind of kinds) reportKind(split, kind, queries[split], subjects);
	reportTokens(asked, tools);
	if (flags.includes('--misses')) reportMisses(queries.dev, subjects.orchestra);
	checkFloor(grade(queries.dev, subjects.orchestra)[1]);
}

function checkFloor(recall) {
	if (recall >= DEV_FLOOR) return;
	console.error(`\nrecall@5 of the dev queries is ${recall.toFixed(3)}, below ${DEV_FLOOR}`);
	process.exitCode = 1;
}

/** `[kind, query, "tool|another that does it, second tool"]`. */
function readQueries(split) {
	return JSON.parse(readFileSync(join(here, `${split}.json`), 'utf8')).map(([kind, query, wanted]) => {
		return { kind, query, wanted: wanted.split(', ').map((each) => each.split('|')) };
	});
}

async function askHub(servers, queries) {
	const root = mkdtempSync(join(tmpdir(), 'orchestra-eval-'));
	const entry = ({ name }) => [
		name,
		{
			command: process.execPath,
			args: [join(here, 'list-server.mjs'), join(cacheFolder(), 'lists', `${name}.json`)],
		},
	];
	const mcpServers = Object.fromEntries(servers.map(entry));
	const configuration = { mcpServers, toolList: { expose: 'search' }, limits: { listMs: 60_000 } };
	writeFileSync(join(root, 'orchestra.json'), JSON.stringify(configuration));
	const client = await connectServer(
		{
			command: process.execPath,
			args: [main, 'serve'],
			cwd: root,
			env: { HOME: root, XDG_STATE_HOME: root, ORCHESTRA_TRUST: 'all' },
		},
		{ stderr: 'ignore' },
	);
	try {
		const listed = await client.listTools({ timeoutMs: 60_000 });
		const answers = new Map();
		for (const { query } of queries) answers.set(query, await askOne(client, query));
		return { answers, listTokens: tokensOf(JSON.stringify(listed.tools)) };
	} finally {
		await client.close();
		rmSync(root, { recursive: true, force: true });
	}
}

async function askOne(client, query) {
	const find = async (input) => (await client.callTool('find_tools', { query, ...input })).content[0].text;
	const text = await find({ limit: 10, budget: 20_000 });
	const names = text.split('\n').flatMap((line) => /^(\S+?)\(/.exec(line)?.[1] ?? []);
	return { names, tokens: tokensOf(await find({})) };
}

function flatTool(server, tool) {
	const properties = Object.entries(tool.inputSchema?.properties ?? {});
	const parameters = properties.map(([name, { description = '' }]) => `${name} ${description}`).join(' ');
	const id = `${server}__${tool.name}`;
	return { id, name: id.replace(/[_-]+/g, ' '), description: tool.description ?? '', parameters };
}

function miniSearch(tools) {
	const engine = new MiniSearch({ fields: ['name', 'description', 'parameters'] });
	engine.addAll(tools);
	return (query) => engine.search(query).map(({ id }) => id);
}

/** Tools by how many words of the query occur in their text. */
function regularExpression(tools) {
	return (query) => {
		const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])];
		const patterns = words.map((word) => new RegExp(word, 'i'));
		const score = ({ name, description }) =>
			patterns.filter((each) => each.test(`${name} ${description}`)).length;
		return tools
			.map((tool) => ({ id: tool.id, score: score(tool) }))
			.filter(({ score }) => score > 0)
			.sort((a, b) => b.score - a.score)
			.map(({ id }) => id);
	};
}

function grade(queries, rank) {
	const share = (wanted, found) =>
		wanted.filter((any) => any.some((name) => found.includes(name))).length / wanted.length;
	const mean = (list, value) => list.reduce((sum, each) => sum + value(each), 0) / Math.max(1, list.length);
	const at = (count) => mean(queries, ({ query, wanted }) => share(wanted, rank(query).slice(0, count)));
	const tasks = queries.filter(({ kind }) => kind === 'task');
	const whole = mean(tasks, ({ query, wanted }) => (share(wanted, rank(query).slice(0, 10)) === 1 ? 1 : 0));
	return [at(1), at(5), at(10), whole];
}

function report(split, name, values) {
	const cells = values.map((value) => value.toFixed(3).padStart(8)).join('  ');
	console.log(`${split.padEnd(10)} ${name.padEnd(20)} ${cells}`);
}

function reportKind(split, kind, queries, subjects) {
	const chosen = queries.filter((query) => query.kind === kind);
	const recall = (name) => grade(chosen, subjects[name])[1].toFixed(3).padStart(8);
	const label = `${split} ${kind} (${chosen.length})`.padEnd(28);
	console.log(`${label} ${recall('orchestra')} ${recall('bm25 (minisearch)')}`);
}

function reportTokens({ answers, listTokens }, tools) {
	const all = tokensOf(JSON.stringify(collectedServers().map(({ tools }) => tools)));
	const tokens = [...answers.values()].map((answer) => answer.tokens);
	const mean = tokens.reduce((sum, each) => sum + each, 0) / tokens.length;
	console.log(
		`\ntokens: ${Math.round(mean)} an answer with the usual settings (at most ${Math.max(...tokens)}); ` +
			`the tool list has ${listTokens}, all ${tools.length} tools would have ${all}`,
	);
}

function reportMisses(queries, rank) {
	console.log('\nmisses (dev):');
	for (const { query, wanted } of queries) {
		const found = rank(query).slice(0, 5);
		const missing = wanted.filter((any) => !any.some((name) => found.includes(name)));
		if (missing.length > 0)
			console.log(
				`  ${query}\n    wanted ${missing.map((any) => any.join('|')).join(', ')}\n    found  ${found.join(', ')}`,
			);
	}
}

/** The estimate of the library: four characters a token. */
function tokensOf(text) {
	return Math.ceil(text.length / 4);
}
