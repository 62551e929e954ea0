/* What the network and dying peers may do to a QUIC link without harm. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { connect } from 'node:tls';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import type { Identity, Link, LinkStream } from '../../src/link/link.ts';
import { LINK_PROTOCOL } from '../../src/link/link-limits.ts';
import { dial, listen } from '../../src/link/open-link.ts';
import { encodeFrame } from '../../src/wire/frame.ts';
import { echo, exchange, firstEvent, identities, openPair, rejection } from '../support/links.ts';
import { type Losses, type LossyRelay, openLossyRelay } from '../support/lossy-relay.ts';
import { dialRaw } from '../support/raw-quic.ts';
import { deferred, nextTurn, until } from '../support/waiting.ts';

describe('a quic listener', () => {
	it('survives ten thousand random datagrams', async () => {
		const { link, listener } = await openPair('quic');
		const port = Number(listener.address.split(':')[1]);
		const socket = createSocket('udp4');
		const firstPacket = Buffer.from([0xc3, 0, 0, 0, 1, 16]);
		for (let count = 0; count < 10_000; count++) {
			const noise = randomBytes(Math.floor(Math.random() * 1_400));
			const data = count % 3 === 0 ? Buffer.concat([firstPacket, noise]) : noise;
			socket.send(data, port, '127.0.0.1');
			if (count % 200 === 0) await exchange(link, Buffer.from('still here'));
		}
		expect(await exchange(link, Buffer.from('still here'))).toHaveLength(1);
		expect(listener.counts).toMatchObject({ accepted: 1, open: 1, refused: 0 });
		expect(listener.counts.ignored).toBeGreaterThan(1_000);
		socket.close();
	});

	it('fails one call, and no other, for any damage to its bytes', async () => {
		const { listener, identities: who } = await openPair('quic', { frameLimitBytes: 1_000 });
		const raw = await dialRaw(listener.address, who.client);
		onTestFinished(() => raw.close());
		await fc.assert(
			fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.nat(303), async (payload, cut) => {
				const frame = encodeFrame(payload);
				const damaged = frame.subarray(0, 1 + (cut % frame.length));
				const answer = await raw.exchange(damaged);
				if (damaged.length === frame.length) expect(answer).toEqual(Buffer.from(frame));
				else expect(answer).toContain('StreamReset');
				expect(await raw.exchange(frame)).toEqual(Buffer.from(frame));
			}),
			{ numRuns: 50 },
		);
		const tooLong = await raw.exchange(encodeFrame(new Uint8Array(1_001)));
		expect(tooLong).toContain('StreamReset');
	});

	it('serves a thousand connections of ten calls each', async () => {
		const { listener, identities: who } = await openPair('quic');
		const identity = who.client;
		let left = 1_000;
		const visit = async (): Promise<number> => {
			let answers = 0;
			while (left-- > 0) {
				const link = await dial({ kind: 'quic', address: listener.address, identity });
				const calls = Array.from({ length: 10 }, () => exchange(link, Buffer.from('call')));
				answers += (await Promise.all(calls)).length;
				await link.close();
			}
			return answers;
		};
		const answers = await Promise.all(Array.from({ length: 20 }, visit));
		expect(answers.reduce((sum, count) => sum + count, 0)).toBe(10_000);
	});

	it('refuses a client at its connection limit', async () => {
		const { listener, identities: who } = await openPair('quic', { maxConnections: 1 });
		const options = {
			kind: 'quic' as const,
			address: listener.address,
			identity: who.client,
			handshakeMs: 300,
		};
		expect(OrchestraError.is(await rejection(dial(options)), 'timeout')).toBe(true);
	});

	it('drops a client that never completes its handshake', async () => {
		const who = await identities();
		const listener = await listen({
			kind: 'quic',
			address: 'localhost:0',
			identity: who.server,
			onStream: echo,
			handshakeMs: 200,
		});
		onTestFinished(() => listener.close());
		// The retry passes, and then nothing more comes back.
		const relay = await openLossyRelay(listener.address, { answers: 1 });
		onTestFinished(() => relay.close());
		const dialing = rejection(
			dial({ kind: 'quic', address: relay.address, identity: who.client, handshakeMs: 500 }),
		);
		await until('the handshake is open', () => listener.counts.open === 1);
		await until('the handshake is given up', () => listener.counts.open === 0);
		expect(OrchestraError.is(await dialing, 'timeout')).toBe(true);
		expect(listener.counts).toMatchObject({ accepted: 0 });
	});
});

describe('a tls listener', () => {
	it('closes one connection, and no other, for a truncated or oversize frame', async () => {
		const { link, listener, identities: who } = await openPair('tls', { frameLimitBytes: 1_000 });
		await fc.assert(
			fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.nat(303), async (payload, cut) => {
				const frame = encodeFrame(payload);
				const sent = frame.subarray(0, 1 + (cut % frame.length));
				const answer = await rawTls(listener.address, who.client, sent);
				expect(answer).toEqual(sent.length === frame.length ? Buffer.from(frame) : Buffer.alloc(0));
				expect(await exchange(link, payload)).toHaveLength(1);
			}),
			{ numRuns: 25 },
		);
		const tooLong = await rawTls(listener.address, who.client, encodeFrame(new Uint8Array(1_001)));
		expect(tooLong).toHaveLength(0);
		expect(await exchange(link, Buffer.from('still here'))).toHaveLength(1);
	});
});

describe('a quic link', () => {
	it('loses nothing when one datagram in twenty is lost', async () => {
		const { link, relay } = await openRelayed({ rate: 0.05 });
		const payloads = Array.from({ length: 300 }, (_, index) => randomBytes(index * 7));
		const got = await Promise.all(payloads.map((payload) => exchange(link, payload)));
		for (const [index, [answer]] of got.entries())
			expect(Buffer.from(answer ?? []).equals(payloads[index] ?? Buffer.alloc(0))).toBe(true);
		const large = randomBytes(2 * 1024 * 1024);
		const [echoed] = await exchange(link, large);
		expect(Buffer.from(echoed ?? []).equals(large)).toBe(true);
		expect(relay.lost).toBeGreaterThan(5);
	});

	it('needs one datagram each way for a call, because ACKs are delayed', async () => {
		const { link, relay } = await openRelayed();
		await exchange(link, Buffer.from('warm'));
		const before = relay.passed;
		for (let count = 0; count < 100; count++) {
			await exchange(link, Buffer.from('call'));
			await nextTurn();
		}
		// A question, and an answer; not a third one that only says that the answer came.
		expect(relay.passed - before).toBeLessThan(250);
	});

	it('sends a delayed ACK without data, so that nothing is retransmitted', async () => {
		const { link, relay } = await openRelayed();
		await exchange(link, Buffer.from('last line'));
		const before = relay.passed;
		await until('an acknowledgement passes', () => relay.passed > before);
		// A deliberate pause: a peer that missed the acknowledgement would repeat itself every ten milliseconds or so.
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(relay.passed - before).toBeLessThanOrEqual(2);
	});

	it('queues calls when the peer grants no more streams', async () => {
		const held: LinkStream[] = [];
		const onStream = (stream: LinkStream): void => {
			held.push(stream);
			echo(stream);
			stream.pause();
		};
		const { link } = await openPair('quic', { onStream });
		const calls = Array.from({ length: 1_000 }, () => exchange(link, Buffer.from('turn')));
		await until('the server holds all streams it allows', () => held.length === 256);
		const release = setInterval(() => held.splice(0).forEach((stream) => stream.resume()), 1);
		expect(await Promise.all(calls)).toHaveLength(1_000);
		clearInterval(release);
	});

	it.each(['quic', 'tls'] as const)(
		'fails calls over %s, with no deadline of their own, when the server is killed',
		async (kind) => {
			const who = await identities();
			const { child, line: address } = await startPeer('listen', kind, who.folder);
			const link = await dial({ kind, address, identity: who.client });
			await firstEvent(link, Buffer.from('ready?'));
			const waiting = rejection(firstEvent(link, Buffer.from('hold')));
			await once(child.stdout, 'data');
			child.kill('SIGKILL');
			expect(OrchestraError.is(await waiting, 'closed')).toBe(true);
			await link.close();
		},
	);

	it('fails the streams of a killed client, long before the peer timeout', async () => {
		const who = await identities();
		const failed = deferred<OrchestraError>();
		const opened = deferred<unknown>();
		const onStream = (stream: LinkStream): void =>
			stream.receive({ frame: opened.resolve, end: () => {}, fail: failed.resolve });
		const hasPortList = process.platform === 'linux';
		const peerTimeoutMs = hasPortList ? 60_000 : 1_000;
		const options = { kind: 'quic' as const, address: 'localhost:0', identity: who.server, peerTimeoutMs };
		const listener = await listen({ ...options, onStream });
		onTestFinished(() => listener.close());
		const { child } = await startPeer('dial', 'quic', who.folder, listener.address);
		await opened.promise;
		child.kill('SIGKILL');
		expect((await failed.promise).message).toContain(hasPortList ? 'is gone' : 'no packet from');
	});
});

describe('where there is no QUIC engine', () => {
	it('falls back to TLS with a warning', async () => {
		const who = await identities();
		const { line, stderr } = await startPeerWithout('@matrixai/quic', 'listen', 'auto', who.folder);
		const link = await dial({ kind: 'tls', address: line, identity: who.client });
		onTestFinished(() => link.close());
		expect(await firstEvent(link, Buffer.from('hello'))).toHaveLength(5);
		expect(stderr()).toContain('using TLS over TCP instead');
	});
});

/** A link to an echo server through a relay. */
async function openRelayed(losses: Losses = {}): Promise<{ link: Link; relay: LossyRelay }> {
	const { listener, identities: who } = await openPair('quic');
	const relay = await openLossyRelay(listener.address, losses);
	onTestFinished(() => relay.close());
	const link = await dial({ kind: 'quic', address: relay.address, identity: who.client });
	onTestFinished(() => link.close());
	return { link, relay };
}

/** All that comes back for these bytes on a TLS connection of their own, until the server ends it. */
async function rawTls(
	address: string,
	{ ca, certificate, key }: Identity,
	bytes: Uint8Array,
): Promise<Buffer> {
	const [host, port] = address.split(':');
	const socket = connect({
		host,
		port: Number(port),
		ca,
		cert: certificate,
		key,
		servername: 'localhost',
		ALPNProtocols: [LINK_PROTOCOL],
	});
	const chunks: Buffer[] = [];
	socket.on('data', (chunk: Buffer) => chunks.push(chunk));
	socket.on('error', () => {}); // a server that is done with us may reset the connection
	const closed = new Promise((resolve) => socket.once('close', resolve));
	socket.end(bytes);
	await closed;
	return Buffer.concat(chunks);
}

async function startPeer(
	...args: string[]
): Promise<{ child: ChildProcessByStdio<null, Readable, null>; line: string }> {
	const program = new URL('../fixtures/link-peer.mjs', import.meta.url).pathname;
	const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
	onTestFinished(() => void child.kill('SIGKILL'));
	const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
	return { child, line: chunk.toString().trim() };
}

/** The same program in a Node that cannot find a package. */
async function startPeerWithout(
	name: string,
	...args: string[]
): Promise<{ line: string; stderr: () => string }> {
	const hook = `export async function resolve(s, c, n) { if (s.startsWith('${name}')) throw new Error('gone'); return n(s, c); }`;
	const loader = `import Module, { register } from 'node:module';
		register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
		const find = Module._resolveFilename;
		Module._resolveFilename = (s, ...rest) => {
			if (s.startsWith('${name}')) throw new Error('gone');
			return find(s, ...rest);
		};`;
	const program = new URL('../fixtures/link-peer.mjs', import.meta.url).pathname;
	const flags = ['--import', `data:text/javascript,${encodeURIComponent(loader)}`];
	const child = spawn(process.execPath, [...flags, program, ...args]);
	onTestFinished(() => void child.kill('SIGKILL'));
	let errors = '';
	child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
	const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
	return { line: chunk.toString().trim(), stderr: () => errors };
}
