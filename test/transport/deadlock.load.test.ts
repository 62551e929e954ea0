/* Real processes that write any amount in any order never deadlock. */
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import type { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { ChildTransport } from '../../src/transport/child-transport.ts';
import { Client } from '../../src/transport/client.ts';
import { thrownBy } from '../support/programs.ts';

const MEBIBYTE = 1024 * 1024;
const size = fc.oneof(fc.nat(2000), fc.nat(100_000), fc.nat(MEBIBYTE));
const sizes = fc.array(fc.tuple(size, size), { minLength: 1, maxLength: 60, size: 'max' });

describe('two peers of ours', () => {
	it('answer 100 calls of 20,000 bytes at once', async () => {
		await using ours = await connected(fixture('asking-peer.mjs'));
		const text = 'x'.repeat(20_000);
		const calls = Array.from({ length: 100 }, () =>
			ours.client.request('fill', { text, answerBytes: 20_000 }, { timeoutMs: 20_000 }),
		);
		const answers = await Promise.all(calls);
		expect(answers.every((answer) => answer === 'a'.repeat(20_000))).toBe(true);
	});

	it('answer every call of any size, in both directions at once, in bounded memory', async () => {
		await using ours = await connected(fixture('asking-peer.mjs'));
		const direction = fc.constantFrom('fill', 'ask');
		const calls = fc.array(fc.tuple(direction, size, size), { minLength: 1, maxLength: 100, size: 'max' });
		const property = fc.asyncProperty(calls, async (plan) => {
			const answers = plan.map(async ([method, requestBytes, answerBytes]) => {
				const params = { text: 'r'.repeat(requestBytes), answerBytes };
				const answer = await ours.client.request(method, params, { timeoutMs: 60_000 });
				expect(typeof answer === 'string' ? answer.length : answer).toBe(answerBytes);
			});
			await Promise.all(answers);
		});
		await fc.assert(property, { numRuns: 8 });
		expect(await ours.client.request('memory')).toBeLessThan(700 * MEBIBYTE);
	});
});

describe('a peer of ours with one that blocks', () => {
	it('serves a client that writes all requests before it reads a response', async () => {
		const property = fc.asyncProperty(sizes, async (plan) => {
			expect(await serveBlockingClient(plan)).toEqual({ answered: plan.length });
		});
		await fc.assert(property, {
			numRuns: 6,
			examples: [[Array.from({ length: 50 }, () => [MEBIBYTE, 500_000])]],
		});
	});

	it('calls a server that reads only between its responses', async () => {
		await using ours = await connected(fixture('blocking-peer.mjs', 'server'));
		const property = fc.asyncProperty(sizes, async (plan) => {
			const answers = plan.map(([requestBytes, answerBytes]) => {
				const params = { text: 'r'.repeat(requestBytes), answerBytes };
				return ours.client.request('fill', params, { timeoutMs: 60_000 });
			});
			const lengths = (await Promise.all(answers)).map((answer) => String(answer).length);
			expect(lengths).toEqual(plan.map(([, answerBytes]) => answerBytes));
		});
		await fc.assert(property, { numRuns: 6 });
	});

	it('disconnects a client that writes without end and never reads', async () => {
		const flood: SpawnRecord = {
			command: process.execPath,
			args: ['-e', FLOOD],
		};
		const transport = await ChildTransport.open(flood);
		const ended = new Promise((_, reject) => {
			const onRequest = (): string => 'a'.repeat(10_000);
			transport.start(new Peer(transport, { role: 'server', onRequest, onEnd: reject, stallMs: 300 }));
		});
		expect(await thrownBy(() => ended)).toMatchObject({ code: 'timeout' });
		await transport.close();
		expect(transport.isRunning).toBe(false);
	});
});

const FLOOD = `
	const { writeSync } = require('node:fs');
	const text = 'r'.repeat(500_000);
	for (let id = 0; ; id++)
		writeSync(1, JSON.stringify({ jsonrpc: '2.0', id, method: 'x', params: [text] }) + '\\n');
`;

function fixture(name: string, ...args: string[]): SpawnRecord {
	const path = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
	return { command: process.execPath, args: [path, ...args] };
}

function fill({ params }: IncomingCall): unknown {
	const { answerBytes } = params as { answerBytes: number };
	return 'a'.repeat(answerBytes);
}

async function connected(record: SpawnRecord): Promise<{ client: Client } & AsyncDisposable> {
	const client = await Client.open(record, { stderr: 'inherit', onRequest: fill });
	return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** Be the server of a client that blocks; gives back what it says at its end. */
async function serveBlockingClient(plan: [number, number][]): Promise<unknown> {
	const transport = await ChildTransport.open(fixture('blocking-peer.mjs', 'client', JSON.stringify(plan)));
	try {
		return await new Promise((resolve, reject) => {
			const onNotification = (_: string, params: unknown): void => resolve(params);
			transport.start(
				new Peer(transport, { role: 'server', onRequest: fill, onNotification, onEnd: reject }),
			);
		});
	} finally {
		await transport.close();
	}
}
