/*
 * The transport beside its peers: the same driver, a fresh process each round,
 * rounds interleaved so that a slow minute of the machine hits everyone, medians
 * over the rounds, and ratios, which travel between machines better than numbers.
 */
import { join } from 'node:path';
import { openServer } from './measure/driver.mjs';
import {
	cpuMicros,
	DRIVER_CORE,
	failure,
	memory,
	nodeOn,
	pinBeside,
	pinDriver,
	startNode,
} from './measure/process.mjs';
import { median, note } from './measure/report.mjs';
import { script } from './measure/requests.mjs';
import { printReport } from './transport-report.mjs';

const IN_FLIGHT = 64;
const CLIENT_ROUND_LIMIT_MS = 30_000;
const LARGE_CAP_MS = 60_000;
/** A subject slower than this on one large echo gets no second round. */
const LARGE_SLOW_MS = 3000;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ ';

/** Milliseconds per phase. Warming up takes long because the heavier peers need it most. */
const plans = {
	full: {
		rounds: 4,
		warmMs: 800,
		ms: 600,
		turnMs: 400,
		coldRounds: 15,
		largeRounds: 3,
		megabytes: [1, 10, 50],
	},
	quick: { rounds: 2, warmMs: 250, ms: 300, turnMs: 200, coldRounds: 2, largeRounds: 1, megabytes: [1, 10] },
};

const subjects = [
	{ name: 'orchestra', hasLarge: true, server: 'echo-server.mjs', client: 'echo-client.mjs', isModern: true },
	{ name: 'sdk v2', hasLarge: true, server: 'sdk2-server.mjs', client: 'sdk2-client.mjs', isModern: true },
	{ name: 'sdk v1', hasLarge: true, server: 'sdk1-server.mjs', client: 'sdk1-client.mjs' },
	{ name: 'vscode-jsonrpc', server: 'vscode-server.mjs', client: 'vscode-client.mjs', framing: 'headers' },
	{ name: 'bare loop', server: 'bare-server.mjs', client: 'bare-client.mjs', isModern: true },
	{
		name: 'byte echo',
		hasLarge: true,
		server: 'bytes-server.mjs',
		client: 'bytes-client.mjs',
		isModern: true,
		isEcho: true,
	},
];

/** Run the suite, print its tables, and give back the numbers. */
export async function run({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	pinDriver();
	const modern = subjects.filter(({ isModern }) => isModern);
	const data = {
		plan,
		legacy: await interleaved('servers', subjects, plan.rounds, (subject) =>
			serverRound(subject, 'legacy', plan),
		),
		modern: await interleaved('servers, 2026-07-28', modern, plan.rounds, (subject) =>
			serverRound(subject, 'modern', plan),
		),
		start: await interleaved('cold starts', subjects, plan.coldRounds, startRound),
		client: await interleaved('clients', subjects, plan.rounds, (subject) => clientRound(subject, plan)),
		large: await largeEchoes(plan),
	};
	printReport(data);
	return data;
}

/** A B C A B C …, then the median of each number of each subject. */
async function interleaved(title, list, rounds, measure) {
	const samples = new Map(list.map(({ name }) => [name, []]));
	for (let round = 1; round <= rounds; round++) {
		note(`  ${title}: round ${round} of ${rounds}`);
		for (const subject of list) samples.get(subject.name).push(await measure(subject));
	}
	return Object.fromEntries([...samples].map(([name, rows]) => [name, medians(rows)]));
}

function medians(rows) {
	const keys = Object.keys(rows[0]);
	return Object.fromEntries(keys.map((key) => [key, median(rows.map((row) => row[key]))]));
}

async function serverRound(subject, dialect, { warmMs, ms, turnMs }) {
	const driver = await openServer([fileOf(subject.server)], scriptOf(subject, dialect), subject);
	await driver.check();
	await driver.flood(IN_FLIGHT, warmMs);
	const flight = await metered(driver.pid, () => driver.flood(IN_FLIGHT, ms));
	await driver.inTurn(turnMs / 2);
	const turn = await metered(driver.pid, () => driver.inTurn(turnMs));
	// On one core nobody waits for another core to wake up, which can take longer than the call.
	pinBeside(driver.pid);
	await driver.inTurn(turnMs / 2);
	const beside = await metered(driver.pid, () => driver.inTurn(turnMs));
	await driver.check();
	const peakBytes = memory(driver.pid)?.peak;
	await driver.close();
	return {
		flightPerSecond: flight.perSecond,
		flightCpuMicros: flight.cpuMicros,
		turnPerSecond: turn.perSecond,
		turnCpuMicros: turn.cpuMicros,
		turnP50Micros: turn.p50Micros,
		besidePerSecond: beside.perSecond,
		besideP50Micros: beside.p50Micros,
		peakBytes,
	};
}

/** Run `load`, and add calls per second and the subject's CPU time per call. */
async function metered(pid, load) {
	const before = cpuMicros(pid);
	const done = await load();
	const used = before === undefined ? undefined : cpuMicros(pid) - before;
	return { ...done, perSecond: (done.calls / done.ms) * 1000, cpuMicros: used && used / done.calls };
}

async function startRound(subject) {
	const driver = await openServer([fileOf(subject.server)], scriptOf(subject, 'legacy'), subject);
	const idleBytes = (await driver.idleMemory())?.now;
	await driver.close();
	return { coldMs: driver.coldMs, idleBytes };
}

async function clientRound(subject, { warmMs, ms }) {
	const isFramed = subject.framing === 'headers';
	const machine = [fileOf('answering-machine.mjs'), ...(isFramed ? ['--framed'] : [])];
	const server = nodeOn(DRIVER_CORE, subject.isEcho ? [fileOf(subject.server)] : machine);
	const plan = JSON.stringify({ inFlight: IN_FLIGHT, warmMs, ms });
	const round = join(import.meta.dirname, 'measure', 'client-round.mjs');
	const child = startNode([round, fileOf(subject.client), JSON.stringify(server), plan]);
	const { coldMs, flight, turn, peakBytes } = JSON.parse(await outputOf(child, subject.name));
	return {
		coldMs,
		flightPerSecond: flight.callsPerSecond,
		flightCpuMicros: flight.cpuMicros,
		turnPerSecond: turn.callsPerSecond,
		turnCpuMicros: turn.cpuMicros,
		peakBytes,
	};
}

function outputOf(child, name) {
	return new Promise((resolve, reject) => {
		let text = '';
		const timer = setTimeout(() => child.kill('SIGKILL'), CLIENT_ROUND_LIMIT_MS);
		child.stdout.setEncoding('utf8').on('data', (chunk) => {
			text += chunk;
		});
		child.on('close', (code, signal) => {
			clearTimeout(timer);
			if (code === 0) resolve(text);
			else reject(failure(child, `the client ${name} ended with ${signal ?? `exit code ${code}`}`));
		});
	});
}

/** Milliseconds and peak memory per size; `cut` when the cap was not enough. */
async function largeEchoes(plan) {
	const rows = {};
	for (const subject of subjects.filter(({ hasLarge }) => hasLarge)) {
		rows[subject.name] = {};
		for (const size of plan.megabytes) {
			note(`  large echo: ${subject.name}, ${size} MB`);
			rows[subject.name][size] = await largeEcho(subject, size, plan.largeRounds);
		}
	}
	return rows;
}

async function largeEcho(subject, size, rounds) {
	const text = textOf(size * 1e6);
	const talk = scriptOf(subject, 'legacy');
	const request = talk.call(2, text);
	const samples = [];
	for (let round = 0; round < rounds; round++) {
		const driver = await openServer([fileOf(subject.server)], talk, subject);
		await driver.check();
		const ms = await driver.echoLarge(request, text, LARGE_CAP_MS);
		samples.push({ ms, peakBytes: memory(driver.pid)?.peak });
		await driver.close();
		if (ms === undefined) return { isCut: true };
		if (ms > LARGE_SLOW_MS) break;
	}
	return medians(samples);
}

function textOf(length) {
	return ALPHABET.repeat(Math.ceil(length / ALPHABET.length)).slice(0, length);
}

const scripts = new Map();

function scriptOf({ framing = 'lines' }, dialect) {
	const key = `${dialect} ${framing}`;
	if (!scripts.has(key)) scripts.set(key, script(dialect, framing));
	return scripts.get(key);
}

function fileOf(name) {
	return join(import.meta.dirname, 'subjects', name);
}
