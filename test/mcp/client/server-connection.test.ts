/* Requests over a connection, with servers that break the rules or die at each step. */
import { describe, expect, it } from 'vitest';
import { Log } from '../../../src/log.ts';
import type { ServerConnection } from '../../../src/mcp/client/server-connection.ts';
import { rpcErrorOf } from '../../../src/rpc/rpc-error.ts';
import { connected, failure, fixtureServer, misbehaving, starting } from '../../support/servers.ts';
import { deferred, until } from '../../support/waiting.ts';

describe('a request', () => {
	it('drops an answer that comes twice and counts it', async () => {
		const connection = await connected(misbehaving('answers-twice'), { knownEra: 'legacy' });
		const results = await Promise.all(['one', 'two', 'three'].map((text) => echo(connection, text)));
		expect(results).toEqual(['one', 'two', 'three']);
		await until('all repeated answers are counted', () => connection.diagnose().droppedResponses === 4);
	});

	it('is not settled by an answer with another id', async () => {
		const connection = await connected(misbehaving('other-id'));
		const error = await failure(connection.request('tools/call', { name: 'echo' }, { timeoutMs: 100 }));
		expect(error).toMatchObject({ code: 'timeout', data: { kind: 'idle', phase: 'call' } });
		expect(connection.diagnose().droppedResponses).toBe(1);
	});

	it('fails with the line when the answer is no response', async () => {
		const connection = await connected(misbehaving('broken-answers'));
		const error = await failure(connection.request('tools/list'));
		expect(error).toMatchObject({ code: 'bad_frame', data: { phase: 'list' } });
	});

	it('is settled by an answer in an array in the one revision that has batches', async () => {
		const connection = await connected(misbehaving('answers-in-arrays', '2025-03-26'));
		expect(await echo(connection, 'hi')).toBe('hi');
		const later = await connected(misbehaving('answers-in-arrays', '2025-06-18'));
		expect(await failure(echo(later, 'hi'))).toMatchObject({ code: 'bad_frame' });
	});

	it('releases its caller at once when it is canceled; the late answer is dropped', async () => {
		const connection = await connected(misbehaving('normal'));
		const abort = new AbortController();
		const canceled = failure(connection.request('tools/call', { name: 'late' }, { signal: abort.signal }));
		abort.abort();
		// The server answers when `notifications/cancelled` arrives.
		expect(await canceled).toMatchObject({ code: 'canceled', data: { phase: 'call' } });
		expect(await echo(connection, 'next')).toBe('next');
		expect(connection.diagnose().droppedResponses).toBe(1);
	});

	it('tells the idle timeout and the total timeout apart', async () => {
		const connection = await connected(misbehaving('normal'));
		const hang = { name: 'hang' };
		const idle = await failure(connection.request('tools/call', hang, { timeoutMs: 20 }));
		const total = await failure(connection.request('tools/call', hang, { maxTotalMs: 20 }));
		expect(idle.message).toBe('tools/call got no answer and no progress for 20ms');
		expect(total.message).toBe('tools/call was not complete within its total time of 20ms');
	});

	it('keeps the JSON-RPC error of the server', async () => {
		const connection = await connected(misbehaving('normal'));
		const error = await failure(connection.request('no/such'));
		expect(rpcErrorOf(error)).toEqual({ code: -32601, message: 'no no/such here' });
	});

	it('does not carry a modern envelope or a foreign progress token to a legacy server', async () => {
		const connection = await connected(fixtureServer('mcp-server.mjs'), { knownEra: 'legacy' });
		const _meta = {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			progressToken: 1,
			traceparent: 't',
		};
		const result = await connection.request('tools/list', { _meta });
		expect(result).not.toHaveProperty('resultType');
	});

	it('carries logs and progress to its caller before the result', async () => {
		const connection = await connected(misbehaving('modern'));
		const events: string[] = [];
		await connection.request(
			'tools/call',
			{ name: 'log' },
			{ onLog: () => events.push('log'), onProgress: () => events.push('progress') },
		);
		expect(events).toEqual(['log', 'progress']);
	});

	it('leaves a log message to the connection when two requests are in flight', async () => {
		const notices: string[] = [];
		const connection = await connected(misbehaving('modern'), {
			onNotification: (method) => notices.push(method),
		});
		const abort = new AbortController();
		const other = failure(connection.request('tools/call', { name: 'hang' }, { signal: abort.signal }));
		const logs: unknown[] = [];
		await connection.request('tools/call', { name: 'log' }, { onLog: (params) => logs.push(params) });
		expect(logs).toEqual([]);
		expect(notices).toEqual(['notifications/message']);
		abort.abort();
		await other;
	});
});

describe('a server that dies', () => {
	it.each(['tools/list', 'resources/subscribe'])(
		'during %s fails the request with its exit',
		async (method) => {
			const connection = await connected(misbehaving('dies-at', method), { knownEra: 'legacy' });
			const work: Promise<unknown> =
				method === 'tools/list' ? connection.listAll('tools') : connection.subscribeResource('a:b', true);
			const error = await failure(work);
			expect(error).toMatchObject({ code: 'closed', data: { exitCode: 7, outcome: 'unknown' } });
		},
	);

	it('in the middle of a call says that the outcome is unknown, once for each call', async () => {
		const ended = deferred<string>();
		const connection = await connected(misbehaving('normal'), { onEnd: ({ code }) => ended.resolve(code) });
		const other = failure(connection.request('tools/call', { name: 'hang' }));
		const error = await failure(connection.request('tools/call', { name: 'exit' }));
		expect(error).toMatchObject({ code: 'closed', data: { phase: 'call', exitCode: 9, outcome: 'unknown' } });
		expect(error.hint).toContain('the disk is on fire');
		expect(await other).toMatchObject({ data: { outcome: 'unknown' } });
		expect(await ended.promise).toBe('closed');
		const after = await failure(connection.request('tools/call', { name: 'echo' }));
		expect(after).toMatchObject({ code: 'closed', data: { phase: 'call', outcome: 'not_run' } });
	});

	it('with its stdout closed but alive is stopped', async () => {
		const start = starting(misbehaving('closes-stdout'));
		const connection = await connected(start);
		const error = await failure(connection.request('tools/call', { name: 'echo' }));
		expect(error).toMatchObject({ code: 'closed' });
		expect(error.hint).toContain('closed its stdout but still runs');
		expect(await start.started[0]?.exited).toBeDefined();
	});

	it('after close does not report an end', async () => {
		let ends = 0;
		const connection = await connected(misbehaving('normal'), { onEnd: () => ends++ });
		const pending = failure(connection.request('tools/call', { name: 'hang' }));
		await Promise.all([connection.close(), connection.close()]);
		expect(await pending).toMatchObject({ code: 'closed' });
		expect(ends).toBe(0);
	});
});

describe('a list', () => {
	it.each([
		['endless-pages', 'it has more than 100 pages', 600],
		['repeated-cursor', 'its cursor repeats', 12],
	])('has an end and a warning: %s', async (how, reason, count) => {
		const { log, lines } = recordingLog();
		const connection = await connected(misbehaving(how), { log });
		const { items } = await connection.listAll('tools');
		expect(items).toHaveLength(count);
		expect(lines.join('')).toContain(reason);
	});

	it('without its array is an error', async () => {
		const connection = await connected(misbehaving('no-array'));
		expect(await failure(connection.listAll('tools'))).toMatchObject({
			code: 'bad_frame',
			data: { phase: 'list' },
		});
	});

	it('leaves out items without a name, with a warning', async () => {
		const { log, lines } = recordingLog();
		const connection = await connected(misbehaving('nameless'), { log });
		expect((await connection.listAll('tools')).items).toHaveLength(6);
		expect(lines.join('')).toContain('2 items without a "name" are left out');
	});

	it('that the server does not have is empty', async () => {
		const connection = await connected(misbehaving('normal'));
		expect(await connection.listAll('prompts')).toEqual({ items: [] });
		expect(await connection.listAll('templates')).toEqual({ items: [] });
	});

	it('has the cache hints of a modern server', async () => {
		const connection = await connected(fixtureServer('mcp-server.mjs'));
		expect(await connection.listAll('tools')).toMatchObject({ ttlMs: 10_000, cacheScope: 'private' });
	});

	it('has one total deadline for all pages', async () => {
		const connection = await connected(misbehaving('silent-on-probe'), { knownEra: 'legacy' });
		expect((await connection.listAll('tools', { maxTotalMs: 5000 })).items).toHaveLength(6);
	});
});

describe('a request of the server', () => {
	it('goes to the handler, and the idle timeout pauses meanwhile', async () => {
		const answered = deferred<object>();
		const asked = deferred();
		const connection = await connected(misbehaving('normal'), {
			capabilities: { elicitation: {} },
			onRequest: () => {
				asked.resolve();
				return answered.promise;
			},
		});
		const call = connection.request('tools/call', { name: 'ask' }, { timeoutMs: 500 });
		await asked.promise;
		// Longer than the idle timeout: a second call times out meanwhile on a connection of its own.
		const other = await connected(misbehaving('normal'));
		await failure(other.request('tools/call', { name: 'hang' }, { timeoutMs: 700 }));
		answered.resolve({ action: 'decline' });
		expect(await call).toMatchObject({ content: [{ text: '{"action":"decline"}' }] });
	});

	it.each(['elicitation/create', 'no/such'])('without a handler is refused: %s', async (method) => {
		const connection = await connected(misbehaving('normal'));
		const result = await connection.request('tools/call', { name: 'ask', arguments: { method } });
		expect(JSON.stringify(result)).toContain('-32601');
	});

	it('is answered by us when it is ping', async () => {
		const connection = await connected(misbehaving('normal'));
		const result = await connection.request('tools/call', { name: 'ask', arguments: { method: 'ping' } });
		expect(result).toMatchObject({ content: [{ text: '{}' }] });
	});

	it('is ignored with a warning when the server is modern', async () => {
		const { log, lines } = recordingLog();
		const connection = await connected(misbehaving('sends-requests'), { log });
		expect(await echo(connection, 'hi')).toBe('hi');
		expect(lines.join('')).toContain('the server sent the request ping, which the modern protocol forbids');
	});
});

async function echo(connection: ServerConnection, text: string): Promise<string> {
	const { content } = await connection.request('tools/call', { name: 'echo', arguments: { text } });
	return Array.isArray(content) ? content[0].text : '';
}

function recordingLog(): { log: Log; lines: string[] } {
	const lines: string[] = [];
	const write = (line: string): void => void lines.push(line);
	return { log: new Log('test', { level: 'info', format: 'text', write, now: () => new Date(0) }), lines };
}
