/*
 * `npm run bench -- link`: frames there and back between two processes, over our two
 * links and over what else there is. Ratios count, not the absolute figures.
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadIdentity } from '../dist/plugin/index.js';
import { subjects } from './link-subjects.mjs';

const MEASURE_MS = 2_000;
const QUICK_MS = 500;
const WARM_UP_MS = 500;
const SMALL = Buffer.alloc(100, 1);
const LARGE = Buffer.alloc(8 * 1024 * 1024, 2);
const root = new URL('..', import.meta.url).pathname;

/** Measure every subject; one row each. */
export async function run({ isQuick = false } = {}) {
	const certs = mkdtempSync(join(tmpdir(), 'bench-certs-'));
	const rows = [];
	try {
		for (const name of Object.keys(subjects))
			rows.push(await measure(name, certs, isQuick ? QUICK_MS : MEASURE_MS));
		rows.push(...(await measureGo(certs)));
	} finally {
		rmSync(certs, { recursive: true, force: true });
	}
	console.table(Object.fromEntries(rows.map(({ title, ...row }) => [title, row])));
	return rows;
}

async function measure(name, certs, measureMs) {
	const subject = subjects[name];
	const server = fork(join(import.meta.dirname, 'link-server.mjs'), [name, certs]);
	try {
		const [{ address }] = await once(server, 'message');
		const handshakeMs = await handshake(subject, address, certs);
		const link = await subject.dial(address, certs);
		await callFor(link, 1, WARM_UP_MS);
		await callFor(link, 64, WARM_UP_MS);
		const one = await callFor(link, 1, measureMs);
		const cpuBefore = await cpuOf(server);
		const many = await callFor(link, 64, measureMs);
		const cpuUs = (await cpuOf(server)) - cpuBefore;
		const megabytes = await echoLarge(link, subject.isSlow);
		await link.close();
		return {
			title: subject.title,
			'handshake ms': round(handshakeMs),
			'calls/s': Math.round(one.perSecond),
			'p50 ms': round(one.p50),
			'p99 ms': round(one.p99),
			'calls/s, 64 at once': Math.round(many.perSecond),
			'CPU us/call': round(cpuUs / many.calls),
			'8 MiB echo MB/s': round(megabytes),
		};
	} finally {
		server.disconnect();
		await once(server, 'exit');
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
	return { calls: times.length, perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
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
	const [{ cpu }] = await once(server, 'message');
	const own = process.cpuUsage();
	return cpu.user + cpu.system + own.user + own.system;
}

/** quic-go with itself and with us, where Go is there. */
async function measureGo(certs) {
	const program = join(certs, 'go-peer');
	try {
		const cwd = join(root, 'test/fixtures/go-peer');
		execFileSync('go', ['build', '-o', program, '.'], { cwd, stdio: 'pipe', timeout: 120_000 });
	} catch {
		console.error('quic-go is left out: go is not here, or its packages are not');
		return [];
	}
	await loadIdentity(certs, 'go-client');
	const go = spawn(program, ['serve', certs], { stdio: ['ignore', 'pipe', 'inherit'] });
	const ours = fork(join(import.meta.dirname, 'link-server.mjs'), ['quic', certs]);
	const [line] = await once(go.stdout, 'data');
	const [{ address }] = await once(ours, 'message');
	const rows = [
		goRow('quic-go with itself', program, certs, String(line).trim()),
		goRow('a quic-go client with our server', program, certs, address),
	];
	go.kill();
	ours.disconnect();
	return rows;
}

function goRow(title, program, certs, address) {
	const lines = execFileSync(program, ['bench', certs, address], { encoding: 'utf8' }).trim().split('\n');
	const [one, many] = lines.map((text) => text.split(' ').map(Number));
	return { title, 'calls/s': one[1], 'p50 ms': one[2], 'calls/s, 64 at once': many[1] };
}

function round(value) {
	return Math.round(value * 1000) / 1000;
}
