/* A request or an answer whose bytes were damaged ends its own call, with a reason, and nothing else. */
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { dial, listen } from '../../src/link/open-link.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import { decodeResponse, encodePluginRequest, encodeResponse } from '../../src/plugin/codec.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
import { exchange, identities } from '../support/links.ts';

const RUNS = 60;
const DEADLINE_MS = 60_000;
const good = encodePluginRequest({
	requestId: 'good',
	request: { case: 'toolCall', value: { toolName: 'echo', arguments: { text: 'hello' } } },
});
const answer = encodeResponse({
	requestId: 'good',
	response: { case: 'toolCall', value: { success: true, result: { text: 'hello' } } },
});
const flips = fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 4 });

function damaged(bytes: Uint8Array, bits: number[]): Uint8Array {
	const copy = Uint8Array.from(bytes);
	for (const bit of bits) {
		const at = bit % (copy.length * 8);
		copy[at >> 3] = (copy[at >> 3] ?? 0) ^ (1 << (at & 7));
	}
	return copy;
}

function inTime<T>(promise: Promise<T>): Promise<T> {
	const late = new Promise<never>((_resolve, reject) => {
		setTimeout(() => reject(new Error('no answer and no error')), DEADLINE_MS).unref();
	});
	return Promise.race([promise, late]);
}

for (const kind of ['quic', 'tls'] as const) {
	describe(`damaged bytes over ${kind}`, () => {
		it('of a request end that call with an answer or a typed error, and the next call is answered', async () => {
			const who = await identities();
			const toolCall = (): { success: boolean; result: { text: string } } => ({
				success: true,
				result: { text: 'hello' },
			});
			const server = await servePlugin({
				kind,
				address: 'localhost:0',
				identity: who.server,
				handlers: { toolCall },
			});
			onTestFinished(() => server.close());
			const link = await dial({ kind, address: server.address, identity: who.client });
			onTestFinished(() => link.close());
			await fc.assert(
				fc.asyncProperty(flips, async (bits) => {
					const got = await inTime(exchange(link, damaged(good, bits))).catch((error: unknown) => error);
					if (Array.isArray(got)) expect(() => got.map(decodeResponse)).not.toThrow();
					else expect(OrchestraError.is(got)).toBe(true);
					const [next = new Uint8Array()] = await inTime(exchange(link, good));
					expect(decodeResponse(next)).toMatchObject({ requestId: 'good', response: { case: 'toolCall' } });
				}),
				{ numRuns: RUNS },
			);
		});

		it('of a response fail that call, if they can be detected, and leave the connection open', async () => {
			const who = await identities();
			let bits: number[] = [];
			const server = await listen({
				kind,
				address: 'localhost:0',
				identity: who.server,
				onStream: (stream) =>
					stream.receive({
						frame: () => stream.send(bits.length > 0 ? damaged(answer, bits) : answer),
						end: () => stream.end(),
						fail: () => {},
					}),
			});
			onTestFinished(() => server.close());
			const client = new PluginClient(await dial({ kind, address: server.address, identity: who.client }));
			onTestFinished(() => client.close());
			const call = (): Promise<unknown> =>
				inTime(client.send({ requestId: 'good', request: { case: 'health', value: {} } }));
			await fc.assert(
				fc.asyncProperty(flips, async (flipped) => {
					bits = flipped;
					await call().catch((error: unknown) => expect(OrchestraError.is(error)).toBe(true));
					bits = [];
					expect(await call()).toMatchObject({ response: { case: 'toolCall' } });
				}),
				{ numRuns: RUNS },
			);
		});
	});
}

describe('an answer that comes twice', () => {
	it('does not fail the call that waits by then', async () => {
		const who = await identities();
		const server = await listen({
			kind: 'tls',
			address: 'localhost:0',
			identity: who.server,
			onStream: (stream) => {
				let first: Uint8Array | undefined;
				const say = (requestId: string): Uint8Array => {
					const value = { success: true, result: { text: requestId } };
					const bytes = encodeResponse({ requestId, response: { case: 'toolCall', value } });
					stream.send(bytes);
					return bytes;
				};
				stream.receive({
					frame: () => {
						// The second call gets the first answer once more before its own.
						if (first) stream.send(first);
						first = say(first ? 'two' : 'one');
					},
					end: () => stream.end(),
					fail: () => {},
				});
			},
		});
		onTestFinished(() => server.close());
		const client = new PluginClient(
			await dial({ kind: 'tls', address: server.address, identity: who.client }),
		);
		onTestFinished(() => client.close());
		for (const requestId of ['one', 'two']) {
			const got = await client.send({ requestId, request: { case: 'health', value: {} } });
			expect(got).toMatchObject({ requestId, response: { value: { result: { text: requestId } } } });
		}
	});
});
