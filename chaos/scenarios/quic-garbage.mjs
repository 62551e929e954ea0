/*
 * Bad traffic against a QUIC listener: noise, floods of first packets, handshakes that
 * never finish, early CRYPTO data, and a client that resets and abandons its streams.
 * An honest client makes calls all the while.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dial } from '../../dist/internals.js';
import { loadIdentity } from '../../dist/plugin/index.js';

export const title = 'a QUIC listener under bad traffic serves its clients, and its memory stays bounded';

const root = join(import.meta.dirname, '../..');
const ATTACKS = [
	['garbage', 3000],
	['initials', 2000],
	['half-open', 20],
	['crypto', 4],
];
const CALL_MS = 5000;
/** Node's own buffers grow with the first traffic, whatever it is. */
const MOST_GROWN_MB = 96;
const ABANDONED_STREAMS = 40;

export async function run({ random, rounds, folder, note }) {
	const victim = spawn(
		process.execPath,
		[join(root, 'test/fixtures/link-peer.mjs'), 'listen', 'quic', folder],
		{
			stdio: ['ignore', 'pipe', 'inherit'],
		},
	);
	const failures = [];
	try {
		const [line] = await once(victim.stdout, 'data');
		const address = String(line).trim();
		const link = await dial({ kind: 'quic', address, identity: await loadIdentity(folder, 'good-client') });
		for (let index = 0; index < 200; index++) await call(link);
		const before = residentMb(victim.pid);
		const counts = { calls: 0, attacks: 0, abandoned: 0 };
		for (let round = 0; round < rounds; round++) {
			const [kind, count] = random.pick(ATTACKS);
			counts.abandoned += await abandonStreams(address, folder, random);
			counts.calls += await callsDuring(link, attack(kind, address, count), failures);
			counts.attacks++;
		}
		await link.close();
		const after = residentMb(victim.pid);
		note(`memory ${before} MB before, ${after} MB after`);
		if (after - before > MOST_GROWN_MB) failures.push(`the listener grew by ${after - before} MB`);
		if (victim.exitCode !== null) failures.push(`the listener exited with ${victim.exitCode}`);
		return { ...counts, memoryBeforeMb: before, memoryAfterMb: after, failures };
	} finally {
		victim.kill('SIGKILL');
	}
}

/** Calls one after the other until the attack is over; each must be answered. */
async function callsDuring(link, attacking, failures) {
	let isOver = false;
	const done = attacking.then(() => (isOver = true));
	let calls = 0;
	while (!isOver) {
		try {
			await call(link);
			calls++;
		} catch (error) {
			failures.push(`an honest call failed: ${error.message}`);
			break;
		}
	}
	await done;
	return calls;
}

function call(link) {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error(`no answer within ${CALL_MS} ms`)), CALL_MS);
		const settle = (done) => (value) => {
			clearTimeout(timer);
			done(value);
		};
		const stream = link.openStream();
		stream.receive({ frame: settle(resolve), end: () => {}, fail: settle(reject) });
		stream.send(Buffer.from('call'));
		stream.end();
	});
}

/** A client of ours that opens streams and ends, resets or forgets them, then goes without a word. */
async function abandonStreams(address, folder, random) {
	const link = await dial({ kind: 'quic', address, identity: await loadIdentity(folder, 'bad-client') });
	for (let index = 0; index < ABANDONED_STREAMS; index++) {
		const stream = link.openStream();
		stream.receive({ frame: () => {}, end: () => {}, fail: () => {} });
		if (random.next() < 0.5) stream.send(Buffer.from('hold'));
		const after = random.pick(['end', 'reset', 'nothing']);
		if (after === 'end') stream.end();
		if (after === 'reset') setImmediate(() => stream.reset());
	}
	await new Promise((resolve) => setTimeout(resolve, 20));
	await link.close();
	return ABANDONED_STREAMS;
}

async function attack(kind, address, count) {
	const program = join(root, 'chaos/programs/quic-attacker.mjs');
	const port = address.split(':').at(-1);
	const child = spawn(process.execPath, [program, kind, port, String(count)], { stdio: 'ignore' });
	await once(child, 'exit');
}

function residentMb(pid) {
	const text = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024);
}
