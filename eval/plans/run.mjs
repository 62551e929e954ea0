/*
 * `npm run eval -- plans`: what twenty tasks cost an agent that lists all tools, one that searches, and one that sends a
 * plan; how long an interpreter needs, and what a call inside of a plan adds.
 *
 * The agent is no model: its calls are written down with each task, and it makes no mistakes. Counted are the tokens that
 * it reads and writes: definitions once, then the arguments and results of every call. Searching means one search for
 * each kind of tool. The servers for git and SQLite are those of PyPI: ORCHESTRA_PYTHON_MCP names a Python with
 * `mcp-server-git`, `mcp-server-sqlite` and `'mcp<2'`; their tasks are left out without it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectServer } from '../../dist/mcp/index.js';
import { noteFiles, tasks } from './tasks.mjs';

const { resolve } = createRequire(import.meta.url);
const CHARACTERS_PER_TOKEN = 4;
const REPEATS = 200;
const python = process.env.ORCHESTRA_PYTHON_MCP;

/** Measure and print. Exits 1 when a plan gives a wrong answer. */
export async function evaluatePlans() {
	const folder = mkdtempSync(join(tmpdir(), 'orchestra-plans-'));
	prepare(folder);
	const all = await open(folder, { expose: 'all' });
	const search = await open(folder, { expose: 'search' });
	try {
		const fixed = {
			all: await definitions(all, false),
			search: await definitions(search, false),
			plan: await definitions(search, true),
		};
		const rows = [];
		for (const task of tasks.filter(({ server }) => isThere(server)))
			rows.push(await measure(task, { all, search, folder, fixed }));
		print(rows, fixed);
		await times(search);
		if (rows.some(({ isRight }) => !isRight)) process.exitCode = 1;
	} finally {
		await all.close();
		await search.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

function isThere(server) {
	return python !== undefined || !['git', 'db'].includes(server);
}

async function measure({ server, asks, steps, plan, isRight }, { all, search, folder, fixed }) {
	const placed = JSON.parse(JSON.stringify(steps).replaceAll('REPO', join(folder, 'repo')));
	let [calls, wrapped] = [0, 0];
	for (const [of, name, input] of placed) {
		const request = { name: `${of}__${name}`, arguments: input };
		const result = await all.callTool(request.name, input);
		calls += tokens(request) + tokens(result.content);
		wrapped += tokens({ name: 'call_tool', arguments: request }) + tokens(result.content);
	}
	let found = 0;
	for (const query of asks) {
		const result = await search.callTool('find_tools', { query });
		found += tokens({ name: 'find_tools', arguments: { query } }) + tokens(result.content);
	}
	const code = plan.replaceAll('REPO', join(folder, 'repo'));
	const answer = await search.callTool('run_plan', { code });
	const text = answer.content[0].text;
	const ok = answer.isError !== true && isRight(text);
	if (!ok) console.log(`wrong: ${server}: ${text.slice(0, 300)}`);
	return {
		server,
		isRight: ok,
		all: { tokens: fixed.all + calls, trips: steps.length },
		search: { tokens: fixed.search + found + wrapped, trips: asks.length + steps.length },
		plan: {
			tokens: fixed.plan + found + tokens({ name: 'run_plan', arguments: { code } }) + tokens(answer.content),
			trips: asks.length + 1,
		},
	};
}

function print(rows, fixed) {
	console.log(
		`tokens of definitions: all ${fixed.all}, search ${fixed.search}, search with plans ${fixed.plan}`,
	);
	console.log('| tasks | tokens: all, search, plan | round trips: all, search, plan |\n|---|---|---|');
	for (const server of [...new Set(rows.map((row) => row.server)), 'together']) {
		const of = rows.filter((row) => server === 'together' || row.server === server);
		const sum = (way, key) => of.reduce((total, row) => total + row[way][key], 0);
		const cells = (key) => ['all', 'search', 'plan'].map((way) => sum(way, key)).join(', ');
		console.log(`| ${server} (${of.length}) | ${cells('tokens')} | ${cells('trips')} |`);
	}
	console.log(`right: ${rows.filter(({ isRight }) => isRight).length} of ${rows.length}`);
}

/** In milliseconds, the median of each. */
async function times(client) {
	const whole = async (code) => {
		const startedAt = performance.now();
		await client.callTool('run_plan', { code });
		return performance.now() - startedAt;
	};
	const empty = [];
	for (let at = 0; at < 20; at++) empty.push(await whole('return 1'));
	const direct = [];
	for (let at = 0; at < REPEATS; at++) {
		const startedAt = performance.now();
		await client.callTool('call_tool', { name: 'everything__echo', arguments: { message: 'x' } });
		direct.push(performance.now() - startedAt);
	}
	const looped = await whole(
		`for (let at = 0; at < ${REPEATS}; at++) await tools.everything.echo({ message: 'x' })`,
	);
	const inside = (looped - median(empty)) / REPEATS;
	console.log(
		`an empty plan: median ${median(empty).toFixed(1)} ms, slowest ${Math.max(...empty).toFixed(1)} ms`,
	);
	console.log(`a call: direct ${median(direct).toFixed(2)} ms, inside of a plan ${inside.toFixed(2)} ms`);
}

function median(values) {
	return values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
}

async function definitions(client, hasPlans) {
	const { tools } = await client.listTools();
	return tokens(tools.filter(({ name }) => hasPlans || name !== 'run_plan'));
}

function tokens(value) {
	return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
}

function open(folder, toolList) {
	const place = join(folder, toolList.expose);
	const official = (name, ...args) => ({
		command: process.execPath,
		args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
		cwd: folder,
		env: { MEMORY_FILE_PATH: join(place, 'memory.jsonl') },
	});
	// One of them is no program for `-m`.
	const module = (name, ...args) => ({
		command: python,
		args: ['-c', `import ${name} as server; server.main()`, ...args],
	});
	const mcpServers = {
		files: official('filesystem', folder),
		memory: official('memory'),
		everything: official('everything'),
		...(python && {
			git: module('mcp_server_git', '--repository', join(folder, 'repo')),
			db: module('mcp_server_sqlite', '--db-path', join(folder, 'orders.db')),
		}),
	};
	mkdirSync(place);
	const settings = { mcpServers, toolList, plans: true, limits: { listMs: 60_000 } };
	writeFileSync(join(place, 'orchestra.json'), JSON.stringify(settings));
	const env = { ...process.env, HOME: place, XDG_STATE_HOME: join(place, 'state'), ORCHESTRA_TRUST: 'all' };
	const main = join(dirname(resolve('../../package.json')), 'dist/cli/main.js');
	return connectServer({ command: process.execPath, args: [main, 'serve'], cwd: place, env });
}

function prepare(folder) {
	for (const [name, text] of Object.entries(noteFiles)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
	if (python === undefined) return;
	const repository = join(folder, 'repo');
	mkdirSync(repository);
	const git = (...args) =>
		execFileSync('git', ['-C', repository, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args]);
	git('init', '-q');
	for (const [at, text] of Object.values(noteFiles).entries()) {
		writeFileSync(join(repository, `n${at}.txt`), text);
		git('add', '.');
		git('commit', '-qm', `note ${at}`);
	}
	const rows = Array.from(
		{ length: 120 },
		(_, at) => `(${at}, '${['north', 'south', 'east', 'west'][at % 4]}', ${at * 3})`,
	);
	const script = `import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript("CREATE TABLE orders (id INTEGER, region TEXT, amount INTEGER); INSERT INTO orders VALUES ${rows.join()};")`;
	execFileSync(python, ['-c', script, join(folder, 'orders.db')]);
}
