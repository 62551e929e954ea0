/*
 * `npm run bench -- link`: frames there and back between two processes, over our two
 * links and over what else there is. Ratios count, not the absolute figures.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadIdentity } from '../dist/plugin/index.js';
import { subjects } from './link-subjects.mjs';
import { firstOutput, nextMessage, stop } from './measure/process.mjs';
import { median } from './measure/report.mjs';

const ROUNDS = 3;
const MEASURE_MS = 1500;
/** A link in use is measured: what Node has just loaded takes some thousand calls until it is compiled. */
const WARM_UP_MS = 2000;
/** For a subject that may get stuck before it is warm. */
const SHORT_WARM_UP_MS = 400;
/** A subject that does not come back within this time is left as it is, with what was measured so far. */
const STUCK_MS = 20_000;
const SMALL = Buffer.alloc(100, 1);
const LARGE = Buffer.alloc(8 * 1024 * 1024, 2);
const root = new URL('..', import.meta.url).pathname;

/** Measure the subjects alternately; one row each, the medians of its rounds. */
export async function run({ isQuick = false } = {}) {
	const certs = mkdtempSync(join(tmpdir(), 'bench-certs-'));
	const rounds = [];
	try {
		const measureGo = await prepareGo(certs);
		for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) {
			const rows = [];
			for (const name of Object.keys(subjects)) rows.push(await measure(name, certs));
			rounds.push([...rows, ...(await measureGo())]);
		}
	} finally {
		rmSync(certs, { recursive: true, force: true });
	}
	const rows = rounds[0].map((_, at) => medians(rounds.map((round) => round[at])));
	console.table(Object.fromEntries(rows.map(({ title, ...row }) => [title, row])));
	return rows;
}

/** A column that was not measured in some round is the median of the others. */
function medians(rows) {
	const columns = [...new Set(rows.flatMap(Object.keys))].filter((column) => column !== 'title');
	const valueOf = (column) => median(rows.map((row) => row[column]).filter((value) => value !== undefined));
	return { title: rows[0].title, ...Object.fromEntries(columns.map((column) => [column, valueOf(column)])) };
}

async function measure(name, certs) {
	const subject = subjects[name];
	const server = fork(join(import.meta.dirname, 'link-server.mjs'), [name, certs]);
	try {
		const { address } = await nextMessage(server);
		const handshakeMs = await handshake(subject, address, certs);
		const row = { title: subject.title, 'handshake ms': round(handshakeMs) };
		const link = await subject.dial(address, certs);
		try {
			await inTime(measureLink(link, { server, subject, row }));
			await inTime(link.close());
		} catch (error) {
			console.error(`${subject.title}: ${error.message}`);
		}
		return row;
	} finally {
		if (server.connected) server.disconnect();
		await stop(server);
	}
}

/** Fill in the row, column by column. */
async function measureLink(link, { server, subject, row }) {
	const warmUpMs = subject.isSlow ? SHORT_WARM_UP_MS : WARM_UP_MS;
	await callFor(link, 1, warmUpMs);
	const cpuBeforeOne = await cpuOf(server);
	const one = await callFor(link, 1, MEASURE_MS);
	row['CPU us/call, one at a time'] = round(((await cpuOf(server)) - cpuBeforeOne) / one.calls);
	row['calls/s'] = Math.round(one.perSecond);
	row['p50 ms'] = round(one.p50);
	row['p95 ms'] = round(one.p95);
	row['p99 ms'] = round(one.p99);
	await callFor(link, 64, warmUpMs);
	const cpuBefore = await cpuOf(server);
	const many = await callFor(link, 64, MEASURE_MS);
	row['calls/s, 64 at once'] = Math.round(many.perSecond);
	row['CPU us/call'] = round(((await cpuOf(server)) - cpuBefore) / many.calls);
	row['8 MiB echo MB/s'] = round(await echoLarge(link, subject.isSlow));
}

async function inTime(work) {
	const timer = new AbortController();
	const late = sleep(STUCK_MS, undefined, { signal: timer.signal }).then(() => {
		throw new Error(`stuck for ${STUCK_MS / 1000} s, the rest is left out`);
	});
	try {
		await Promise.race([work, late]);
	} finally {
		timer.abort();
		late.catch(() => {});
	}
}

/** The median of several new connections; the first pays for loading. */
async function handshake(subject, address, certs) {
	const times = [];
	for (let count = 0; count < 11; count++) {
		const started = performance.now();
		const link = await subject.dial(address, certs);
		times.push(performance.now() - started);
		await link.close();
	}
	return times.sort((one, other) => one - other)[5];
}

async function callFor(link, inFlight, ms) {
	const times = [];
	const endsAt = performance.now() + ms;
	const started = performance.now();
	const loop = async () => {
		for (let now = performance.now(); now < endsAt; ) {
			await link.call(SMALL);
			const after = performance.now();
			times.push(after - now);
			now = after;
		}
	};
	await Promise.all(Array.from({ length: inFlight }, loop));
	const seconds = (performance.now() - started) / 1000;
	times.sort((one, other) => one - other);
	const at = (share) => times[Math.floor(times.length * share)];
	return {
		calls: times.length,
		perSecond: times.length / seconds,
		p50: at(0.5),
		p95: at(0.95),
		p99: at(0.99),
	};
}

/** Payload bytes that made the way there and back, by the time that took. A slow one is asked for less. */
async function echoLarge(link, isSlow) {
	const rounds = isSlow ? 1 : 12;
	const payload = isSlow ? LARGE.subarray(0, 1024 * 1024) : LARGE;
	if (!isSlow) await link.call(payload);
	const started = performance.now();
	for (let count = 0; count < rounds; count++) {
		const answer = await link.call(payload);
		if (answer.length !== payload.length) throw new Error(`${answer.length} bytes came back`);
	}
	return (rounds * payload.length) / 1e6 / ((performance.now() - started) / 1000);
}

/** Processor time of both ends so far, in microseconds. */
async function cpuOf(server) {
	server.send('cpu');
	const { cpu } = await nextMessage(server);
	const own = process.cpuUsage();
	return cpu.user + cpu.system + own.user + own.system;
}

/** How to measure quic-go with itself and with us; nothing where Go is not there. */
async function prepareGo(certs) {
	const program = join(certs, 'go-peer');
	try {
		const cwd = join(root, 'test/fixtures/go-peer');
		execFileSync('go', ['build', '-o', program, '.'], { cwd, stdio: 'pipe', timeout: 120_000 });
	} catch {
		console.error('quic-go is left out: go is not here, or its packages are not');
		return () => [];
	}
	await loadIdentity(certs, 'go-client');
	return () => measureGo(program, certs);
}

async function measureGo(program, certs) {
	const go = spawn(program, ['serve', certs], { stdio: ['ignore', 'pipe', 'inherit'] });
	const ours = fork(join(import.meta.dirname, 'link-server.mjs'), ['quic', certs]);
	try {
		const line = await firstOutput(go);
		const { address } = await nextMessage(ours);
		return [
			goRow('quic-go with itself', program, certs, line),
			goRow('a quic-go client with our server', program, certs, address),
		];
	} finally {
		go.kill();
		if (ours.connected) ours.disconnect();
	}
}

function goRow(title, program, certs, address) {
	const lines = execFileSync(program, ['bench', certs, address], { encoding: 'utf8' }).trim().split('\n');
	const [one, many] = lines.map((text) => text.split(' ').map(Number));
	return { title, 'calls/s': one[1], 'p50 ms': one[2], 'calls/s, 64 at once': many[1] };
}

function round(value) {
	return Math.round(value * 1000) / 1000;
}
