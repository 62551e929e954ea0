/*
 * What running a tool costs beside a bare `spawn` of the same program.
 *
 * Bare and ours take turns, so that a busy machine disturbs both alike, and the
 * median counts. Then the same in a parent that holds 1 GB, where `fork` has to
 * copy page tables, and what 10,000 small events cost in CPU time of our own.
 * `node bench/tools.mjs`
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HelperSpawner, readToolAt, runTool } from '../dist/tool/index.js';

const PARALLEL = 8;
const EVENTS = 10_000;
const BALLAST_BUFFERS = 16_384;
const BALLAST_BUFFER_BYTES = 64 * 1024;
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
	const spawner = new HelperSpawner();
	const ballast = [];
	try {
		const subjects = await makeSubjects(root, spawner);
		const rounds = isQuick ? 15 : 31;
		const small = await measureAll(subjects, rounds);
		printTable('a small parent', small);
		const events = await measureEvents(root);
		for (let i = 0; i < BALLAST_BUFFERS; i++) ballast.push(Buffer.alloc(BALLAST_BUFFER_BYTES, 1));
		const large = await measureAll(subjects, Math.ceil(rounds / 2));
		printTable('a parent of 1 GB', large);
		printGoals({ small, large, events });
		return { small, large, events };
	} finally {
		spawner.close();
		rmSync(root, { recursive: true, force: true });
	}
}

async function makeSubjects(root, spawner) {
	const subjects = {};
	for (const [language, { file, text, words }] of Object.entries(programs)) {
		const folder = join(root, language);
		mkdirSync(folder);
		writeFileSync(join(folder, file), text);
		writeFileSync(join(folder, 'manifest.json'), manifest(words));
		const tool = readToolAt(folder);
		const ways = {
			bare: () => bareRun(words, folder),
			ours: () => ourRun(tool, {}),
			helper: () => ourRun(tool, { spawner }),
		};
		try {
			for (const way of Object.values(ways)) await way();
			subjects[language] = ways;
		} catch (error) {
			console.log(`${language} is left out: ${error.message}`);
		}
	}
	return subjects;
}

/** The interpreter and not a version manager's script in front of it, which takes longer than Python itself. */
function pythonItself() {
	try {
		return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
	} catch {
		return 'python3'; // it will be left out, with the reason
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

async function measureAll(subjects, rounds) {
	const rows = {};
	for (const [language, ways] of Object.entries(subjects)) {
		const sequential = await takeTurns(ways, rounds, (way) => way());
		const batch = await takeTurns(ways, Math.ceil(rounds / 6), (way) =>
			Promise.all(Array.from({ length: PARALLEL }, way)),
		);
		rows[language] = Object.fromEntries(
			Object.keys(ways).map((name) => [
				name,
				{
					ms: sequential[name],
					perSecond: 1000 / sequential[name],
					parallelPerSecond: (PARALLEL * 1000) / batch[name],
				},
			]),
		);
	}
	return rows;
}

/** Median milliseconds of each way, each round doing all of them, in an order that rotates. */
async function takeTurns(ways, rounds, action) {
	const names = Object.keys(ways);
	const times = Object.fromEntries(names.map((name) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (let at = 0; at < names.length; at++) {
			const name = names[(at + round) % names.length];
			const started = performance.now();
			await action(ways[name]);
			times[name].push(performance.now() - started);
		}
	}
	return Object.fromEntries(names.map((name) => [name, median(times[name])]));
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

function printTable(title, rows) {
	console.log(`\nTools from ${title}: median ms a call, and calls a second with ${PARALLEL} in parallel`);
	console.log('program   bare ms   ours ms   helper ms   added ms   bare /s   ours /s   helper /s');
	for (const [language, { bare, ours, helper }] of Object.entries(rows)) {
		const added = Math.min(ours.ms, helper.ms) - bare.ms;
		const cells = [bare.ms, ours.ms, helper.ms, added].map((ms) => ms.toFixed(2));
		const rates = [bare, ours, helper].map(({ parallelPerSecond }) => parallelPerSecond.toFixed(0));
		const widths = [9, 9, 11, 10, 9, 9, 11];
		console.log(
			language.padEnd(8) + [...cells, ...rates].map((cell, at) => cell.padStart(widths[at])).join(' '),
		);
	}
}

function printGoals({ small, large, events }) {
	console.log('\nGoals');
	for (const language of Object.keys(small)) {
		const added = small[language].ours.ms - small[language].bare.ms;
		const slower = (large[language].helper.ms / small[language].helper.ms - 1) * 100;
		goal(`${language}: added to a bare spawn, at most 3 ms`, `${added.toFixed(2)} ms`, added <= 3);
		goal(`${language}: slower in a parent of 1 GB, at most 15 %`, `${slower.toFixed(0)} %`, slower <= 15);
	}
	goal('10,000 events, at most 300 ms of our own CPU', `${events.cpuMs.toFixed(0)} ms`, events.cpuMs <= 300);
}

function goal(text, found, isMet) {
	console.log(`  ${isMet ? 'met   ' : 'MISSED'} ${text}: ${found}`);
}

function median(values) {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run();
