/* One contract for links, kept by QUIC, by TLS, and by TLS over a Unix socket. */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import type { LinkKind, LinkPeer, LinkStream } from '../../src/link/link.ts';
import { dial, listen } from '../../src/link/open-link.ts';
import { echo, exchange, firstEvent, openPair, rejection } from '../support/links.ts';
import { deferred, until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

linkContract('quic');
linkContract('tls');
linkContract('unix');

function linkContract(kind: LinkKind): void {
	describe(`a ${kind} link`, () => {
		it('delivers every frame in order, including the empty and the largest one', async () => {
			const { link } = await openPair(kind);
			const frames = [
				new Uint8Array(0),
				Buffer.from('one'),
				Buffer.alloc(16 * 1024 * 1024, 7),
				Buffer.from('end'),
			];
			const got = await exchange(link, ...frames);
			expect(got.map((frame) => frame.length)).toEqual(frames.map((frame) => frame.length));
			expect(Buffer.from(got[2] ?? []).equals(frames[2] ?? Buffer.alloc(0))).toBe(true);
		});

		it('multiplexes many streams, each with its own reply', async () => {
			// Over TLS each stream has a handshake.
			const { link } = await openPair(kind, { handshakeMs: 30_000 }, { handshakeMs: 30_000 });
			const names = Array.from({ length: 100 }, (_, index) => `call ${index}`);
			const got = await Promise.all(names.map((name) => exchange(link, Buffer.from(name))));
			expect(got.map(([frame]) => Buffer.from(frame ?? []).toString())).toEqual(names);
		});

		it('serves with a renewed certificate when its own, and its authority, have ended', async () => {
			const folder = temporaryFolder();
			const lastYear = new Date(Date.now() - 366 * 24 * 60 * 60_000);
			const identity = await loadIdentity(folder, 'orchestrator', { now: () => lastYear });
			const address = kind === 'unix' ? `unix:${join(temporaryFolder(), 's')}` : 'localhost:0';
			const listener = await listen({ kind, address, identity, onStream: echo, renewalCheckMs: 20 });
			onTestFinished(() => listener.close());
			const client = await loadIdentity(folder, 'tester-client');
			const isServed = async (): Promise<boolean> => {
				try {
					const link = await dial({ kind, address: listener.address, identity: client });
					return (await exchange(link, Buffer.from('hello')).finally(() => link.close())).length === 1;
				} catch {
					return false; // the certificate has expired
				}
			};
			await until('it serves', isServed);
		});

		it('gives the server the name in the client certificate', async () => {
			const peers: LinkPeer[] = [];
			const onStream = (stream: LinkStream, peer: LinkPeer): void => {
				peers.push(peer);
				echo(stream);
			};
			const { link } = await openPair(kind, { onStream });
			await exchange(link, Buffer.from('hello'));
			expect(peers.map(({ name, kind: carrier }) => [name, carrier])).toEqual([['tester-client', kind]]);
		});

		it('lets the server send after the client has half-closed the stream', async () => {
			const onStream = (stream: LinkStream): void => {
				const finish = (): void => {
					stream.send(Buffer.from('after the end'));
					stream.end();
				};
				stream.receive({ frame: () => {}, end: () => setImmediate(finish), fail: () => {} });
			};
			const { link } = await openPair(kind, { onStream });
			const [frame] = await exchange(link, Buffer.from('question'));
			expect(Buffer.from(frame ?? []).toString()).toBe('after the end');
		});

		it('applies backpressure to the sender when the receiver does not read', async () => {
			const readers: LinkStream[] = [];
			let received = 0;
			const onStream = (stream: LinkStream): void => {
				readers.push(stream);
				stream.receive({
					frame: ({ length }) => void (received += length),
					end: () => stream.end(),
					fail: () => {},
				});
				stream.pause();
			};
			const { link } = await openPair(kind, { onStream });
			const stream = link.openStream();
			const ended = new Promise<void>((resolve, reject) =>
				stream.receive({ frame: () => {}, end: resolve, fail: reject }),
			);
			const megabyte = Buffer.alloc(1024 * 1024);
			let sent = 0;
			while (stream.send(megabyte) && sent < 64) sent++;
			expect(sent).toBeLessThan(64);
			await until('the server has the stream', () => readers.length > 0);
			readers[0]?.resume();
			await stream.drained();
			stream.end();
			await ended;
			expect(received).toBe((sent + 1) * megabyte.length);
		});

		it('fails only the stream with an oversize frame', async () => {
			const { link } = await openPair(kind, { frameLimitBytes: 100 });
			const kept = exchange(link, Buffer.alloc(100));
			const error = await rejection(exchange(link, Buffer.alloc(101)));
			expect(OrchestraError.is(error, 'closed')).toBe(true);
			expect(await kept).toHaveLength(1);
			expect(await exchange(link, Buffer.from('still there'))).toHaveLength(1);
		});

		it('fails the other side of a stream that is reset, and no other stream', async () => {
			const onStream = (stream: LinkStream): void => {
				stream.receive({
					frame: (payload) => {
						if (Buffer.from(payload).toString() === 'reset me') stream.reset(7);
						else stream.send(payload);
					},
					end: () => stream.end(),
					fail: () => {},
				});
			};
			const { link } = await openPair(kind, { onStream });
			const error = await rejection(firstEvent(link, Buffer.from('reset me')));
			expect(OrchestraError.is(error, 'closed')).toBe(true);
			expect(await exchange(link, Buffer.from('stay'))).toHaveLength(1);
		});

		it('fails the stream of the server when the client resets it', async () => {
			const events: string[] = [];
			let onEvent: () => void = () => {};
			const note = (event: string) => (): void => {
				events.push(event);
				onEvent();
			};
			const onStream = (stream: LinkStream): void =>
				stream.receive({ frame: note('frame'), end: note('gone'), fail: note('gone') });
			const { link } = await openPair(kind, { onStream });
			const stream = link.openStream();
			stream.receive({ frame: () => {}, end: () => {}, fail: () => {} });
			stream.send(Buffer.from('question'));
			await new Promise<void>((resolve) => (onEvent = resolve));
			stream.reset();
			await new Promise<void>((resolve) => (onEvent = resolve));
			expect(events).toEqual(['frame', 'gone']);
		});

		it('fails open streams on both sides when the listener closes', async () => {
			const opened = deferred<Uint8Array>();
			const onStream = (stream: LinkStream): void =>
				stream.receive({ frame: opened.resolve, end: () => {}, fail: () => {} });
			const { link, listener } = await openPair(kind, { onStream });
			const waiting = rejection(firstEvent(link, Buffer.from('wait')));
			await opened.promise;
			await listener.close();
			await listener.close();
			expect(OrchestraError.is(await waiting, 'closed')).toBe(true);
		});

		it('refuses new streams after it was closed, and closing twice is fine', async () => {
			const { link } = await openPair(kind);
			await link.close();
			await link.close();
			expect(OrchestraError.is(await link.closed, 'closed')).toBe(true);
			expect(() => link.openStream()).toThrowError(/closed/);
		});

		it('fails at once when nothing listens', async () => {
			const { listener, identities } = await openPair(kind);
			await listener.close();
			const error = await rejection(dial({ kind, address: listener.address, identity: identities.client }));
			expect(error).toMatchObject({ code: 'closed', data: { isRefused: true } });
		});

		it('times out a handshake that is not answered', async () => {
			const { identities } = await openPair(kind);
			const silent = await silentPort(kind, identities.folder);
			const options = { kind, address: silent.address, identity: identities.client, handshakeMs: 200 };
			const error = await rejection(dial(options));
			silent.close();
			expect(OrchestraError.is(error, 'timeout')).toBe(true);
		});

		it('stops dialing when the signal is aborted', async () => {
			const { identities } = await openPair(kind);
			const silent = await silentPort(kind, identities.folder);
			const signal = AbortSignal.timeout(50);
			const error = await rejection(
				dial({ kind, address: silent.address, identity: identities.client, signal }),
			);
			silent.close();
			expect(OrchestraError.is(error, 'canceled') && error.cause).toBe(signal.reason);
		});

		it.skipIf(kind === 'unix' || !hasIPv6())('works over IPv6 loopback', async () => {
			const { identities } = await openPair(kind);
			const listener = await listen({
				kind,
				address: '[::1]:0',
				identity: identities.server,
				onStream: echo,
			});
			const link = await dial({ kind, address: listener.address, identity: identities.client });
			expect(await exchange(link, Buffer.from('six'))).toHaveLength(1);
			await link.close();
			await listener.close();
		});
	});
}

async function silentPort(kind: LinkKind, folder: string): Promise<{ address: string; close: () => void }> {
	if (kind === 'quic') {
		const { createSocket } = await import('node:dgram');
		const socket = createSocket('udp4');
		await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
		return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
	}
	const { createServer } = await import('node:net');
	const server = createServer((socket) => socket.on('error', () => {}));
	if (kind === 'unix') {
		const path = join(folder, 'silent.sock');
		await new Promise<void>((resolve) => server.listen(path, resolve));
		return { address: `unix:${path}`, close: () => server.close() };
	}
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	return { address: `127.0.0.1:${port}`, close: () => server.close() };
}

function hasIPv6(): boolean {
	return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
}
