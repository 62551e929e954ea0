/*
 * The hub beside servers that do everything themselves: `mctl serve` and `mctl
 * bridge` with one plugin behind them, the official SDK's servers and a bare loop.
 *
 * A call through `serve` crosses one QUIC link, to the plugin; through `bridge` two,
 * to the hub and to the plugin. `ping` is answered by the hub itself, so the
 * difference of the two pings is what a bridge adds. Calls are made with nothing
 * pinned to a core: a subject is up to three processes, and one core for all would
 * measure the scheduler. Pings are made twice: as the system places the processes,
 * and with the caller and its subject on one core and the shared hub on another,
 * since three processes that wake each other over two cores wait for cores instead.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run as runChain } from './chain.mjs';
import { openServer } from './measure/driver.mjs';
import { pinApart, pinBeside, unpin } from './measure/process.mjs';
import { fixed, median, megabytes, note, printTable, times } from './measure/report.mjs';
import { script } from './measure/requests.mjs';

const IN_FLIGHT = 64;
const PINGS = 1000;
/** Both ends of a bridge are warm after so many. */
const WARM_PINGS = 4000;
/** How long a subject has to bring up what stands behind it. */
const SETTLE_MS = 1500;
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const plans = {
	full: { rounds: 5, coldRounds: 15, warmMs: 600, ms: 600, turnMs: 500 },
	quick: { rounds: 2, coldRounds: 3, warmMs: 250, ms: 250, turnMs: 250 },
};

/** Run the suite, print its tables, and give back the numbers. */
export async function run({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	const place = openPlace();
	try {
		mctl(place, 'hub', 'start');
		const { pid: hubPid } = JSON.parse(mctl(place, 'hub', 'status', '--json'));
		const subjects = subjectsIn({ ...place, hubPid });
		const calls = await interleaved('calls', subjects, plan.rounds, (subject) => callRound(subject, plan));
		const starts = await interleaved('cold starts', subjects, plan.coldRounds, coldRound);
		const data = { calls, starts };
		print(data);
		return { ...data, chain: await runChain({ isQuick }) };
	} finally {
		mctl(place, 'hub', 'stop');
		rmSync(place.home, { recursive: true, force: true });
	}
}

/** A folder with one plugin configured, and a home of its own. */
function openPlace() {
	const home = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const cwd = join(home, 'work');
	mkdirSync(cwd);
	const plugin = resolve(import.meta.dirname, 'subjects/echo-plugin.mjs');
	const plugins = [{ id: 'tools.echo', binary: process.execPath, args: [plugin] }];
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ plugins }));
	return {
		home,
		cwd,
		env: { HOME: home, XDG_STATE_HOME: join(home, 'state'), LOG_LEVEL: 'error', ORCHESTRA_TRUST: 'all' },
	};
}

function mctl({ cwd, env }, ...words) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
		cwd,
		env: { ...process.env, ...env },
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`mctl ${words.join(' ')}: ${stderr}`);
	return stdout;
}

function subjectsIn(place) {
	const fileOf = (name) => [join(import.meta.dirname, 'subjects', name)];
	return [
		{ name: 'mctl serve', args: [main, 'serve'], ...place },
		{ name: 'mctl bridge', args: [main, 'bridge'], ...place },
		{ name: 'orchestra server', args: fileOf('echo-server.mjs') },
		{ name: 'sdk v2 server', args: fileOf('sdk2-server.mjs') },
		{ name: 'sdk v1 server', args: fileOf('sdk1-server.mjs') },
		{ name: 'bare loop', args: fileOf('bare-server.mjs') },
	];
}

async function interleaved(title, subjects, rounds, measure) {
	const samples = new Map(subjects.map(({ name }) => [name, []]));
	for (let round = 1; round <= rounds; round++) {
		note(`  ${title}: round ${round} of ${rounds}`);
		for (const subject of subjects) samples.get(subject.name).push(await measure(subject));
	}
	return [...samples].map(([name, rows]) => {
		const keys = Object.keys(rows[0]);
		return { name, ...Object.fromEntries(keys.map((key) => [key, median(rows.map((row) => row[key]))])) };
	});
}

async function callRound(subject, { warmMs, ms, turnMs }) {
	const talk = script('legacy', 'lines');
	const driver = await openServer(subject.args, talk, { ...subject, isFree: true });
	// The plugin starts with the first call, and clients are notified of its tools.
	await driver.letPass(talk.call(2, 'hello'), SETTLE_MS);
	await driver.check();
	const flight = await driver.throughput(IN_FLIGHT, { warmMs, ms });
	await driver.inTurn(turnMs / 2);
	const { p50Micros } = await driver.inTurn(turnMs);
	await pings(driver, WARM_PINGS);
	const pingMicros = await pings(driver);
	const pinnedPingMicros = await pinnedPings(driver, subject.hubPid);
	await driver.close();
	return {
		...flight,
		p50Micros,
		pingMicros,
		pinnedPingMicros,
	};
}

async function pinnedPings(driver, hubPid) {
	pinBeside(process.pid);
	pinBeside(driver.pid);
	if (hubPid) pinApart(hubPid);
	await pings(driver);
	const micros = await pings(driver);
	if (hubPid) unpin(hubPid);
	unpin(process.pid);
	return micros;
}

/** The median latency of `ping`, in microseconds. */
async function pings(driver, count = PINGS) {
	const latencies = [];
	for (let id = 0; id < count; id++) {
		const startedAt = performance.now();
		await driver.ask(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`));
		latencies.push((performance.now() - startedAt) * 1000);
	}
	return median(latencies);
}

async function coldRound(subject) {
	const driver = await openServer(subject.args, script('legacy', 'lines'), { ...subject, isFree: true });
	const memory = await driver.idleMemory();
	await driver.close();
	return { coldMs: driver.coldMs, idleBytes: memory?.now };
}

function print({ calls, starts }) {
	const of = (rows, name) => rows.find((row) => row.name === name);
	const sdk = of(calls, 'sdk v2 server');
	printTable(
		'calls of an echo tool',
		[
			['subject', ({ name }) => name],
			['calls/s, 64 in flight', ({ perSecond }) => fixed(perSecond)],
			['vs sdk v2', ({ perSecond }) => times(perSecond, sdk.perSecond)],
			['CPU µs/call', ({ cpuMicros: used }) => fixed(used, 1)],
			['one at a time p50 µs', ({ p50Micros }) => fixed(p50Micros)],
			['ping p50 µs', ({ pingMicros }) => fixed(pingMicros)],
			['pinned', ({ pinnedPingMicros }) => fixed(pinnedPingMicros)],
		],
		calls,
	);
	const bare = of(starts, 'bare loop');
	printTable(
		'cold start to the first answer, and idle memory',
		[
			['subject', ({ name }) => name],
			['ms', ({ coldMs }) => fixed(coldMs, 1)],
			['vs bare loop', ({ coldMs }) => times(coldMs, bare.coldMs)],
			['idle MB', ({ idleBytes }) => megabytes(idleBytes)],
		],
		starts,
	);
	const added = (key) => fixed(of(calls, 'mctl bridge')[key] - of(calls, 'mctl serve')[key]);
	process.stdout.write(
		`\na bridge adds ${added('pingMicros')} µs to a ping of the hub, ${added('pinnedPingMicros')} µs pinned\n`,
	);
}
