/*
 * The whole chain beside one in Go: an agent's bridge, the hub, and a plugin written
 * in Go, with the Go peer of the test fixtures as the reference. Both bridges meet both
 * hubs, so that a difference can be attributed. Measured on the machine as it is and
 * with two processes that keep its cores busy, as a build or a browser does.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openCaller } from './measure/line-caller.mjs';
import { firstOutput, keepStderr, makeBusy } from './measure/process.mjs';
import { fixed, median, note, printTable, times } from './measure/report.mjs';

const IN_FLIGHT = 64;
const BUSY_PROCESSES = 2;
const STORED = 'a note that a plugin reads through the hub\n';
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const plans = {
	full: { rounds: 3, warmMs: 1000, ms: 1000 },
	quick: { rounds: 1, warmMs: 500, ms: 500 },
};
const plainCall = { name: 'go_tool', arguments: { text: 'hello', count: 3 } };
const storedCall = { name: 'go_stored', arguments: {} };

/** Run the suite, print its tables, and give back the numbers; undefined where Go is missing. */
export async function run({ isQuick = false } = {}) {
	const home = mkdtempSync(join(tmpdir(), 'orchestra-chain-'));
	try {
		const program = buildPeer(home);
		if (program === undefined) return undefined;
		return await measureAll(openChains(home, program), isQuick ? plans.quick : plans.full);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

function buildPeer(home) {
	const cwd = resolve(import.meta.dirname, '../test/fixtures/go-peer');
	const program = join(home, 'go-peer');
	const env = { ...process.env, GOTOOLCHAIN: 'local' };
	const { status, error, stderr } = spawnSync('go', ['build', '-o', program, '.'], {
		cwd,
		env,
		encoding: 'utf8',
	});
	if (status === 0) return program;
	note(
		`  the chain is left out: the Go peer cannot be built (${error?.message ?? stderr.trim().split('\n').at(-1)})`,
	);
	return undefined;
}

async function measureAll(chains, plan) {
	const tables = {};
	try {
		const subjects = await chains.start();
		for (const situation of ['quiet', 'busy']) {
			const stopLoad = situation === 'busy' ? makeBusy(BUSY_PROCESSES) : () => {};
			try {
				tables[situation] = await interleaved(subjects, plan, situation);
			} finally {
				stopLoad();
			}
			print(situation, tables[situation]);
		}
	} finally {
		await chains.stop();
	}
	return tables;
}

async function interleaved(subjects, plan, situation) {
	const samples = new Map(subjects.map(({ name }) => [name, []]));
	for (let round = 1; round <= plan.rounds; round++) {
		note(`  chain, ${situation}: round ${round} of ${plan.rounds}`);
		for (const subject of subjects) samples.get(subject.name).push(await measure(subject, plan));
	}
	return [...samples].map(([name, rows]) => ({
		name,
		...Object.fromEntries(Object.keys(rows[0]).map((key) => [key, median(rows.map((row) => row[key]))])),
	}));
}

async function measure({ command, args, options }, { warmMs, ms }) {
	const caller = await openCaller(command, args, options);
	try {
		await check(caller);
		await caller.flood(plainCall, IN_FLIGHT, warmMs);
		const perSecond = await caller.flood(plainCall, IN_FLIGHT, ms);
		await caller.inTurn(plainCall, warmMs);
		const latencies = await caller.inTurn(plainCall, ms);
		await caller.inTurn(storedCall, warmMs);
		const stored = await caller.inTurn(storedCall, ms);
		return { perSecond, p50: at(latencies, 0.5), p95: at(latencies, 0.95), storedP50: at(stored, 0.5) };
	} finally {
		await caller.close();
	}
}

/** The right answers come back before anything is timed. */
async function check(caller) {
	for (const [params, expected] of [
		[plainCall, 'go ran go_tool'],
		[storedCall, STORED],
	]) {
		const { content } = await caller.ask('tools/call', params);
		if (content[0].text !== expected) throw new Error(`${params.name} answered ${JSON.stringify(content)}`);
	}
}

function at(sorted, share) {
	return sorted[Math.floor(sorted.length * share)];
}

/** Both hubs, and every bridge to each. */
function openChains(home, program) {
	const certs = join(home, '.orchestra', 'certs');
	const cwd = join(home, 'work');
	const env = {
		...process.env,
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		LOG_LEVEL: 'error',
		ORCHESTRA_TRUST: 'all',
	};
	const options = { cwd, env };
	const mctl = (...words) =>
		execFileSync(process.execPath, [main, ...words], { ...options, encoding: 'utf8' });
	let goHub;
	return {
		async start() {
			const plugins = [{ id: 'tools.go', binary: program, args: ['plugin', '--storing'] }];
			for (const folder of [join(cwd, '.projects', 'notes'), join(certs, 'notes')]) {
				mkdirSync(folder, { recursive: true, mode: 0o700 });
				writeFileSync(join(folder, 'stored.md'), STORED);
			}
			writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ plugins }));
			execFileSync(program, ['certs', certs]);
			mctl('hub', 'start');
			const { networkAddress: address } = JSON.parse(mctl('hub', 'status', '--json'));
			goHub = keepStderr(spawn(program, ['orchestrator', certs], { stdio: 'pipe' }));
			const goAddress = await firstOutput(goHub);
			const node = process.execPath;
			const toGo = ['--orchestrator-addr', goAddress, '--certs-dir', certs];
			return [
				{ name: 'go bridge → go hub', command: program, args: ['bridge', certs, goAddress], options },
				{ name: 'mctl bridge → hub', command: node, args: [main, 'bridge'], options },
				{ name: 'go bridge → hub', command: program, args: ['bridge', certs, address], options },
				{ name: 'mctl bridge → go hub', command: node, args: [main, 'bridge', ...toGo], options },
			];
		},
		async stop() {
			goHub?.stdin.end();
			mctl('hub', 'stop');
		},
	};
}

function print(situation, rows) {
	const [reference] = rows;
	printTable(
		`a call through bridge and hub to a plugin in Go, ${situation} machine`,
		[
			['chain', ({ name }) => name],
			['p50 ms', ({ p50 }) => fixed(p50, 2)],
			['p95 ms', ({ p95 }) => fixed(p95, 2)],
			['vs go', ({ p95 }) => times(p95, reference.p95)],
			['storage p50 ms', ({ storedP50 }) => fixed(storedP50, 2)],
			['vs go', ({ storedP50 }) => times(storedP50, reference.storedP50)],
			['calls/s, 64 in flight', ({ perSecond }) => fixed(perSecond)],
			['vs go', ({ perSecond }) => times(perSecond, reference.perSecond)],
		],
		rows,
	);
}
