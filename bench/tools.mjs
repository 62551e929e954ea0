/*
 * What running a tool costs beside a bare `spawn` of the same program.
 *
 * Two parents start the programs: a small one, and one that holds 1 GB, where `fork`
 * has to copy page tables. In each, bare and ours and ours through the helper.
 * All six alternate, so that a busy machine disturbs them alike, and the median
 * counts. Then what 10,000 small events cost in CPU time of our own.
 * `node bench/tools.mjs [--quick]`
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HelperSpawner, runTool } from '../dist/index.js';
import { readToolAt } from '../dist/internals.js';
import { nextMessage } from './measure/process.mjs';
import { median } from './measure/report.mjs';

/** Starting Python takes 60 ms give or take 10 on a shared machine; to see 3 ms in that takes this many. */
const ROUNDS = 201;
const PARALLEL = 8;
const EVENTS = 10_000;
const LARGE_MB = 1024;
const BALLAST_BYTES = 64 * 1024;
const event = (type, payload) =>
	JSON.stringify({ type, ts: '2025-02-25T10:00:00.000Z', toolId: 'bench', payload });

const programs = {
	sh: {
		file: 'main.sh',
		text: `cat >/dev/null\necho '${event('started', {})}'\necho '${event('result', { ok: true })}'\n`,
		words: ['sh', 'main.sh'],
	},
	python: {
		file: 'main.py',
		text: `import sys\nsys.stdin.read()\nprint('${event('started', {})}')\nprint('${event('result', { ok: true })}')\n`,
		words: [pythonItself(), 'main.py'],
	},
	node: {
		file: 'main.js',
		text: `process.stdin.resume().on('end', () => { console.log('${event('started', {})}'); console.log('${event('result', { ok: true })}'); });\n`,
		words: [process.execPath, 'main.js'],
	},
};

/** Measure everything, print the tables, and give back the numbers. */
export async function run({ isQuick = false } = {}) {
	const root = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const parents = {};
	try {
		writeTools(root);
		for (const [name, megabytes] of Object.entries({ small: 0, large: LARGE_MB })) {
			parents[name] = await startParent(root, megabytes);
		}
		const rows = await measureAll(parents, isQuick ? 11 : ROUNDS);
		const events = await measureEvents(root);
		printTable('a small parent', rows, 'small');
		printTable('a parent of 1 GB', rows, 'large');
		printGoals(rows, events);
		return { rows, events };
	} finally {
		for (const parent of Object.values(parents)) parent.disconnect();
		rmSync(root, { recursive: true, force: true });
	}
}

function writeTools(root) {
	for (const [language, { file, text, words }] of Object.entries(programs)) {
		mkdirSync(join(root, language));
		writeFileSync(join(root, language, file), text);
		writeFileSync(join(root, language, 'manifest.json'), manifest(words));
	}
}

function manifest(command) {
	return JSON.stringify({
		manifestVersion: 1,
		id: 'bench',
		version: '1',
		name: 'b',
		description: 'b',
		command,
	});
}

/** The interpreter and not a version manager's script in front of it, which takes longer than Python itself. */
function pythonItself() {
	try {
		return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
	} catch {
		return 'python3'; // it will be left out, with the reason
	}
}

async function startParent(root, megabytes) {
	const parent = fork(import.meta.filename, ['--parent', root, String(megabytes)]);
	await nextMessage(parent);
	return parent;
}

/** A process that starts programs on request and reports how many milliseconds it took. */
async function beParent(root, megabytes) {
	const spawner = new HelperSpawner();
	const ballast = Array.from({ length: (megabytes * 2 ** 20) / BALLAST_BYTES }, () =>
		Buffer.alloc(BALLAST_BYTES, 1),
	);
	process.on('disconnect', () => {
		spawner.close();
		ballast.length = 0;
	});
	process.on('message', async ({ language, way, count }) => {
		const tool = readToolAt(join(root, language));
		const ways = {
			bare: () => bareRun(programs[language].words, tool.folder),
			ours: () => ourRun(tool, {}),
			helper: () => ourRun(tool, { spawner }),
		};
		const started = performance.now();
		try {
			await Promise.all(Array.from({ length: count }, ways[way]));
			process.send({ ms: performance.now() - started });
		} catch (error) {
			process.send({ error: error.message });
		}
	});
	process.send('ready');
}

async function ask(parent, request) {
	parent.send(request);
	const { ms, error } = await nextMessage(parent);
	if (error !== undefined) throw new Error(error);
	return ms;
}

/** What anyone would write: spawn, one request in, all of stdout out. */
function bareRun([command, ...args], cwd) {
	return new Promise((resolve, reject) => {
		const { PATH, HOME } = process.env;
		const child = spawn(command, args, { cwd, env: { PATH, HOME }, stdio: ['pipe', 'pipe', 'pipe'] });
		let output = '';
		child.stdout.on('data', (chunk) => (output += chunk));
		child.on('error', reject);
		child.on('close', () => resolve(JSON.parse(output.trim().split('\n').at(-1))));
		child.stdin.end(
			JSON.stringify({ context: { toolId: 'bench', config: {}, workspaceRoot: '/' }, input: {} }),
		);
	});
}

async function ourRun(tool, options) {
	const { outcome, error } = await runTool(tool, options).finish();
	if (outcome !== 'ok') throw new Error(error?.message ?? outcome);
}

async function measureAll(parents, rounds) {
	const rows = {};
	for (const language of Object.keys(programs)) {
		try {
			const one = await takeTurns(parents, rounds, { language, count: 1 });
			const many = await takeTurns(parents, Math.ceil(rounds / 20), { language, count: PARALLEL });
			rows[language] = { one, many };
		} catch (error) {
			console.log(`${language} is left out: ${error.message}`);
		}
	}
	return rows;
}

/** Milliseconds of each parent and way, each round doing all of them, in any order: what runs just before leaves traces. */
async function takeTurns(parents, rounds, request) {
	const measured = Object.keys(parents).flatMap((parent) =>
		['bare', 'ours', 'helper'].map((way) => ({ parent, way, times: [] })),
	);
	for (let round = -1; round < rounds; round++) {
		for (const { parent, way, times } of shuffled(measured)) {
			const ms = await ask(parents[parent], { ...request, way });
			// The first round warms up.
			if (round >= 0) times.push(ms);
		}
	}
	const medians = { small: {}, large: {} };
	for (const { parent, way, times } of measured) medians[parent][way] = median(times);
	return medians;
}

function shuffled(list) {
	const keyed = list.map((item) => ({ item, key: Math.random() }));
	return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}

async function measureEvents(root) {
	const folder = join(root, 'events');
	mkdirSync(folder);
	const line = event('log', { level: 'info', message: 'x' });
	writeFileSync(
		join(folder, 'main.js'),
		`process.stdout.write(('${line}\\n').repeat(${EVENTS - 1}) + '${event('result', {})}\\n');`,
	);
	writeFileSync(join(folder, 'manifest.json'), manifest(['node', 'main.js']));
	const tool = readToolAt(folder);
	const cpus = [];
	for (let i = 0; i < 5; i++) {
		const before = process.cpuUsage();
		await ourRun(tool, {});
		const { user, system } = process.cpuUsage(before);
		cpus.push((user + system) / 1000);
	}
	return { count: EVENTS, firstCpuMs: cpus[0], cpuMs: median(cpus) };
}

function printTable(title, rows, parent) {
	console.log(`\nTools from ${title}: median ms a call, and calls a second with ${PARALLEL} in parallel`);
	console.log('program   bare ms   ours ms   helper ms   bare /s   ours /s   helper /s');
	for (const [language, { one, many }] of Object.entries(rows)) {
		const ways = ['bare', 'ours', 'helper'];
		const cells = ways.map((way) => one[parent][way].toFixed(2));
		const rates = ways.map((way) => ((PARALLEL * 1000) / many[parent][way]).toFixed(0));
		const widths = [9, 9, 11, 9, 9, 11];
		console.log(
			language.padEnd(8) + [...cells, ...rates].map((cell, at) => cell.padStart(widths[at])).join(' '),
		);
	}
}

function printGoals(rows, events) {
	console.log('\nGoals');
	for (const [language, { one }] of Object.entries(rows)) {
		const added = one.small.ours - one.small.bare;
		const slower = (one.large.helper / one.small.helper - 1) * 100;
		goal(`${language}: added to a bare spawn, at most 3 ms`, `${added.toFixed(2)} ms`, added <= 3);
		goal(`${language}: slower in a parent of 1 GB, at most 15 %`, `${slower.toFixed(0)} %`, slower <= 15);
	}
	goal('10,000 events, at most 300 ms of our own CPU', `${events.cpuMs.toFixed(0)} ms`, events.cpuMs <= 300);
}

function goal(text, found, isMet) {
	console.log(`  ${isMet ? 'met   ' : 'MISSED'} ${text}: ${found}`);
}

if (process.argv[2] === '--parent') await beParent(process.argv[3], Number(process.argv[4]));
else if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
	await run({ isQuick: process.argv.includes('--quick') });
