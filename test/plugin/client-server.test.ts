/* Calls between a real client and a real server, over both links. */

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraError, toolFailure } from '../../src/errors.ts';
import type { LinkKind } from '../../src/link/link.ts';
import { dial } from '../../src/link/open-link.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import { encodePluginRequest, type RequestInit } from '../../src/plugin/codec.ts';
import { FEATURES } from '../../src/plugin/features.ts';
import type { PluginResponse } from '../../src/plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers, SubscribedCall } from '../../src/plugin/server/handlers.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
import { INCOMING_LIMIT } from '../../src/rpc/rpc-limits.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { firstEvent, identities, rejection } from '../support/links.ts';
import { deferred, until } from '../support/waiting.ts';

/** More calls than those that get a stream of their own. */
const MANY = 20;

for (const kind of ['quic', 'tls'] as const) {
	describe(`plugin calls over ${kind}`, () => {
		it('get their own responses, many at once and in any order', async () => {
			const { client } = await openPair(kind, {
				toolCall: async ({ toolName }) => {
					// A deliberate pause: some answers overtake others.
					await wait(toolName.endsWith('7') ? 20 : 0);
					return { success: true, result: { text: toolName } };
				},
			});
			const names = Array.from({ length: 200 }, (_, index) => `tool${index}`);
			const got = await Promise.all(names.map((name) => client.send(toolCall(name))));
			expect(got.map(textOf)).toEqual(names);
			expect(client.pending).toBe(0);
		});

		it('share a stream between our own ends when there are many, and can still be canceled one by one', async () => {
			const aborted: string[] = [];
			const { client } = await openPair(kind, {
				toolCall: async ({ toolName }, { signal }) => {
					if (toolName !== 'slow') return { success: true, result: { text: toolName } };
					await new Promise((resolve) => signal.addEventListener('abort', resolve));
					aborted.push(toolName);
					return { success: true };
				},
			});
			client.features = new Set(FEATURES);
			const slow = Array.from({ length: 20 }, () =>
				rejection(client.send(toolCall('slow'), { timeoutMs: 100 })),
			);
			const quick = Array.from({ length: 200 }, (_, index) => client.send(toolCall(`quick${index}`)));
			expect((await Promise.all(quick)).map(textOf)).toEqual(quick.map((_, index) => `quick${index}`));
			for (const error of await Promise.all(slow)) expect(OrchestraError.is(error, 'timeout')).toBe(true);
			await until('all twenty calls are aborted', () => aborted.length === 20);
			expect(textOf(await client.send(toolCall('after')))).toBe('after');
		});

		it('are refused beyond the limit of one stream, and the calls in flight still end', async () => {
			const release = deferred();
			const { client } = await openPair(kind, {
				toolCall: () => release.promise.then(() => ({ success: true, result: { text: 'done' } })),
			});
			client.features = new Set(FEATURES);
			const sent = Array.from({ length: INCOMING_LIMIT + MANY }, () => client.send(toolCall('slow')));
			const refused = await Promise.race(sent);
			expect(refused.response.value).toMatchObject({ success: false, errorCode: 'too_many_calls' });
			release.resolve();
			const texts = (await Promise.all(sent)).map(textOf);
			expect(texts.filter((text) => text === 'done').length).toBeGreaterThanOrEqual(INCOMING_LIMIT);
			expect(texts).toContain(undefined);
		});

		it('carry the error of a handler in the response, and the server keeps running', async () => {
			const { client } = await openPair(kind, {
				toolCall: ({ toolName }) => {
					if (toolName === 'strict') throw toolFailure('name is missing', { code: 'validation_error' });
					throw new Error('oops');
				},
				boot: () => Promise.reject(new Error('no disk')),
			});
			const answers = [await client.send(toolCall('strict')), await client.send(toolCall('other'))];
			expect(answers.map(({ response }) => response.value)).toMatchObject([
				{ success: false, errorCode: 'validation_error', errorMessage: 'name is missing' },
				{ success: false, errorCode: 'handler_error', errorMessage: 'oops' },
			]);
			const boot = await client.send({ request: { case: 'boot', value: {} } });
			expect(boot.response.value).toMatchObject({ ready: false, error: 'no disk' });
		});

		it('get an error for a kind without a handler, and health is always answered', async () => {
			const { client } = await openPair(kind, {});
			const unknown = await client.send({ requestId: 'u1', request: { case: 'listTools', value: {} } });
			expect([unknown.requestId, unknown.response.value]).toMatchObject([
				'u1',
				{ errorCode: 'unknown_request', errorMessage: 'unrecognized request type' },
			]);
			const health = await client.send({ request: { case: 'health', value: {} } });
			expect(health.response).toMatchObject({ case: 'health', value: { status: 1, message: 'ok' } });
		});

		it('end by deadline and by signal, and the server is notified', async () => {
			const aborted: unknown[] = [];
			const { client } = await openPair(kind, {
				toolCall: async (_request, { signal }) => {
					await new Promise((resolve) => signal.addEventListener('abort', resolve));
					aborted.push(signal.reason);
					return { success: true };
				},
			});
			const late = await rejection(client.send(toolCall('slow'), { timeoutMs: 50 }));
			expect(OrchestraError.is(late, 'timeout')).toBe(true);
			const stopped = await rejection(client.send(toolCall('slow'), { signal: AbortSignal.timeout(50) }));
			expect(OrchestraError.is(stopped, 'canceled')).toBe(true);
			await until('both calls are aborted', () => aborted.length === 2);
		});

		it('deliver chunks as they arrive, then the end', async () => {
			const { client } = await openPair(kind, {
				streamStart: async ({ toolName }, { chunk }) => {
					for (const letter of toolName) await chunk(Buffer.from(letter));
				},
			});
			const got: PluginResponse[] = [];
			for await (const answer of client.sendStream(streamStart('s1', 'abc'))) got.push(answer);
			expect(got.map(({ response }) => response.value)).toMatchObject([
				{ streamId: 's1', sequence: 0n, data: Uint8Array.from(Buffer.from('a')) },
				{ sequence: 1n },
				{ sequence: 2n },
				{ success: true, totalChunks: 3n },
			]);
		});

		it('stop the tool when the reader leaves a stream', async () => {
			let chunks = 0;
			let end: unknown;
			const { client } = await openPair(kind, {
				streamStart: async (_start, { chunk, signal }) => {
					signal.addEventListener('abort', () => (end = signal.reason));
					for (;;) {
						await chunk(Buffer.alloc(10_000));
						chunks++;
						await wait(1); // paces an endless stream
					}
				},
			});
			for await (const answer of client.sendStream(streamStart('s2', 'endless'))) {
				if (answer.response.case === 'streamChunk' && answer.response.value.sequence === 3n) break;
			}
			await until('the stream is aborted', () => end !== undefined);
			expect(chunks).toBeGreaterThan(3);
			expect(OrchestraError.is(end)).toBe(true);
		});

		it('report how a stream failed', async () => {
			const { client } = await openPair(kind, {
				streamStart: () => Promise.reject(toolFailure('enough for today', { code: 'quota' })),
			});
			const got: PluginResponse[] = [];
			for await (const answer of client.sendStream(streamStart('s3', 'x'))) got.push(answer);
			expect(got.map(({ response }) => response.value)).toMatchObject([
				{ success: false, errorCode: 'quota', errorMessage: 'enough for today', totalChunks: 0n },
			]);
		});

		it('deliver events to a subscriber until it leaves', async () => {
			const subscribers = new Set<SubscribedCall>();
			const { client } = await openPair(kind, {
				subscribe: (_subscription, call) => {
					subscribers.add(call);
					call.signal.addEventListener('abort', () => subscribers.delete(call));
				},
				publish: ({ topic, eventType, payload }) => {
					for (const call of subscribers) call.deliver({ topic, eventType, ...(payload ? { payload } : {}) });
				},
			});
			const events: unknown[] = [];
			for await (const { response } of client.subscribe({ id: 'sub1', topic: 'files' })) {
				events.push(response.value);
				if (events.length === 3) break;
				await client.send({
					request: {
						case: 'publish',
						value: { topic: 'files', eventType: 'changed', payload: { n: events.length } },
					},
				});
			}
			expect(events).toMatchObject([
				{ subscriptionId: 'sub1', topic: 'files', eventType: '' },
				{ subscriptionId: 'sub1', eventType: 'changed', payload: { n: 1 } },
				{ payload: { n: 2 } },
			]);
			await until('no subscriber is left', () => subscribers.size === 0);
		});

		it('carry MCP messages through a tunnel, both ways and in order', async () => {
			const { client } = await openPair(kind, { tunnel: (tunnel) => loud(tunnel) });
			const tunnel = client.openTunnel();
			const got: string[] = [];
			const ended = new Promise<OrchestraError>((resolve) => {
				tunnel.start({ message: (text) => void got.push(text), oversize: () => {}, end: resolve });
			});
			const messages = Array.from(
				{ length: 100 },
				(_, index) => `{"n":${index},"ü":"${'x'.repeat(index * 10)}"}`,
			);
			for (const message of messages) tunnel.post(message);
			await until('all hundred events arrive', () => got.length === 100);
			expect(got).toEqual(messages.map((message) => message.toUpperCase()));
			tunnel.post('bye');
			expect((await ended).code).toBe('closed');
			expect(tunnel.isClosed).toBe(true);
			expect(() => tunnel.post('late')).toThrowError(/closed/);
		});

		it('end the tunnel with the reason when the server has none', async () => {
			const { client } = await openPair(kind, {});
			const tunnel = client.openTunnel();
			const reason = new Promise<OrchestraError>((resolve) => {
				tunnel.start({ message: () => {}, oversize: () => {}, end: resolve });
			});
			tunnel.post('{}');
			expect((await reason).message).toContain('unrecognized request type');
		});

		it('survive an invalid frame: its stream ends, the next call works', async () => {
			const { client, address, identity } = await openPair(kind, { listTools: () => ({ tools: [] }) });
			const link = await dial({ kind, address, identity });
			onTestFinished(() => link.close());
			expect(OrchestraError.is(await rejection(firstEvent(link, Uint8Array.of(0xff, 0xff))))).toBe(true);
			const request = encodePluginRequest({ requestId: 'a', request: { case: 'listTools', value: {} } });
			expect((await firstEvent(link, request)).length).toBeGreaterThan(0);
			expect((await client.send({ request: { case: 'listTools', value: {} } })).response.case).toBe(
				'listTools',
			);
		});

		it('fail when the client itself is closed before they are answered', async () => {
			const { client } = await openPair(kind, { toolCall: () => new Promise(() => {}) });
			client.features = new Set(FEATURES);
			const waiting = Array.from({ length: 20 }, () => rejection(client.send(toolCall('never'))));
			await client.close();
			for (const error of await Promise.all(waiting)) expect(OrchestraError.is(error, 'closed')).toBe(true);
			expect(client.pending).toBe(0);
		});

		it('fail with the reason when the server goes away', async () => {
			const started = deferred();
			const { client, close } = await openPair(kind, {
				toolCall: () => {
					started.resolve();
					return new Promise(() => {});
				},
			});
			const waiting = rejection(client.send(toolCall('never')));
			await started.promise;
			await close();
			expect(OrchestraError.is(await waiting, 'closed')).toBe(true);
		});
	});
}

it('a client moves to a fresh connection only when the peer is of our own kind', async () => {
	const who = await identities();
	const handlers = { toolCall: () => ({ success: true }) };
	const server = await servePlugin({ kind: 'quic', address: 'localhost:0', identity: who.server, handlers });
	onTestFinished(() => server.close());
	const { address } = server;
	const client = await PluginClient.connect({
		kind: 'quic',
		address,
		identity: who.client,
		renewAfterStreams: 10,
	});
	onTestFinished(() => client.close());
	for (let call = 0; call < 30; call++) await client.send(toolCall('any'));
	expect(server.counts.accepted).toBe(1);
	client.features = new Set(FEATURES);
	for (let call = 0; call < 30; call++) await client.send(toolCall('any'));
	await until('the second link is accepted', () => server.counts.accepted > 1);
});

interface ServedPair {
	client: PluginClient;
	address: string;
	identity: Awaited<ReturnType<typeof identities>>['client'];
	close: () => Promise<void>;
}

async function openPair(kind: LinkKind, handlers: PluginHandlers): Promise<ServedPair> {
	const who = await identities();
	const server = await servePlugin({ kind, address: 'localhost:0', identity: who.server, handlers });
	onTestFinished(() => server.close());
	const client = await PluginClient.connect({ kind, address: server.address, identity: who.client });
	onTestFinished(() => client.close());
	return { client, address: server.address, identity: who.client, close: () => server.close() };
}

function toolCall(toolName: string): RequestInit {
	return { request: { case: 'toolCall', value: { toolName, arguments: {} } } };
}

function streamStart(streamId: string, toolName: string): RequestInit {
	return { request: { case: 'streamStart', value: { streamId, toolName } } };
}

function textOf({ response }: PluginResponse): unknown {
	return response.case === 'toolCall' ? response.value.result?.['text'] : undefined;
}

function loud(tunnel: Transport): void {
	tunnel.start({
		message: (text) => {
			if (text === 'bye') void tunnel.close();
			else tunnel.post(text.toUpperCase());
		},
		oversize: () => {},
		end: () => {},
	});
}
