/* A recording as a server, in memory: matching, order, notifications, questions; and differences. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationOf } from '../../src/record/exchanges.ts';
import { jsonDifferences } from '../../src/record/json-differences.ts';
import type { Side } from '../../src/record/recording-format.ts';
import { ReplayServer } from '../../src/record/replay-server.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { until } from '../support/waiting.ts';

describe('ReplayServer', () => {
	it('answers equal requests in the order of the recording, whatever the order of keys is', async () => {
		const said = await replay(
			[
				['client', call(1, { a: 1, b: 2 })],
				['server', result(1, 'first')],
				['client', call(2, { b: 2, a: 1 })],
				['server', result(2, 'second')],
			],
			[call('x', { b: 2, a: 1 }), call('y', { a: 1, b: 2 })],
		);
		expect(said).toEqual([result('x', 'first'), result('y', 'second')]);
	});

	it('repeats the last answer of a list, but not of a call', async () => {
		const list = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`;
		const said = await replay(
			[
				['client', list(1)],
				['server', result(1, 'tools')],
			],
			[list(5), list(6)],
		);
		expect(said).toEqual([result(5, 'tools'), result(6, 'tools')]);
	});

	it('sends progress with the token of the new client, and none when it has no token', async () => {
		const progress = (token: string): string =>
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1}}`;
		const recording: Said[] = [
			['client', call(1, {}, { progressToken: 7 })],
			['server', progress('7')],
			['server', result(1, 'done')],
		];
		expect(await replay(recording, [call(2, {}, { progressToken: 'mine' })])).toEqual([
			progress('"mine"'),
			result(2, 'done'),
		]);
		expect(await replay(recording, [call(2, {})])).toEqual([result(2, 'done')]);
	});

	it('gives a subscription its notifications, with the id of the new request', async () => {
		const meta = (id: string): string => `"_meta":{"io.modelcontextprotocol/subscriptionId":${id}}`;
		const changed = (id: string): string =>
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${meta(id)}}}`;
		const listen = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"subscriptions/listen"}`;
		const said = await replay(
			[
				['client', listen(1)],
				['server', changed('1')],
			],
			[listen(9)],
		);
		expect(said).toEqual([changed('9')]);
	});

	it('repeats the client requests of the server before the answer', async () => {
		const question = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}';
		const said: string[] = [];
		const { send } = open(
			[
				['client', call(1, {})],
				['server', question],
				['client', '{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}'],
				['server', result(1, 'done')],
			],
			said,
		);
		send(call(4, {}));
		await until('it asks', () => said.length === 1);
		expect(said).toEqual([question]);
		send('{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///other"}]}}');
		await until('it answers', () => said.length === 2);
		expect(said[1]).toBe(result(4, 'done'));
	});

	it('finds the handshake of another client, and answers ping', async () => {
		const hello = (id: number, name: string): string =>
			`{"jsonrpc":"2.0","id":${id},"method":"initialize","params":{"clientInfo":{"name":"${name}"}}}`;
		const said = await replay(
			[
				['client', hello(1, 'one')],
				['server', result(1, 'welcome')],
			],
			[hello(2, 'other'), '{"jsonrpc":"2.0","id":3,"method":"ping"}'],
		);
		expect(said.toSorted()).toEqual([result(2, 'welcome'), '{"jsonrpc":"2.0","id":3,"result":{}}']);
	});

	it('answers a batch with a batch, and garbage with an error', async () => {
		const recording: Said[] = [
			['client', `[${call(1, {})},${call(2, { a: 1 })}]`],
			['server', `[${result(2, 'two')},${result(1, 'one')}]`],
		];
		const said = await replay(recording, [`[${call('x', { a: 1 })},${call('y', {})}]`, '{"id":']);
		expect(said).toContain(`[${result('x', 'two')},${result('y', 'one')}]`);
		expect(said.join('')).toContain('"code":-32700');
	});

	it('says when the recording ends before an answer', async () => {
		const [answer] = await replay([['client', call(1, {})]], [call(3, {})]);
		expect(answer).toContain('tools/call in line 2 has no answer: the recording ends before its answer');
	});

	it('takes a replaced secret for any text', async () => {
		const recording: Said[] = [
			['client', call(1, { key: 'Bearer •••!', other: 1 })],
			['server', result(1, 'in')],
		];
		expect(await replay(recording, [call(2, { other: 1, key: 'Bearer s3cret!' })])).toEqual([
			result(2, 'in'),
		]);
		const [refused] = await replay(recording, [call(2, { other: 1, key: 'Basic s3cret!' })]);
		expect(refused).toContain('was not recorded with these params');
	});
});

describe('jsonDifferences', () => {
	it('names the path of each difference', () => {
		const before = { content: [{ text: 'a' }], gone: true, same: [1] };
		const after = { content: [{ text: 'b' }, { text: 'c' }], same: [1] };
		expect(jsonDifferences(before, after)).toEqual([
			{ path: 'content[0].text', before: 'a', after: 'b' },
			{ path: 'content[1]', after: { text: 'c' } },
			{ path: 'gone', before: true },
		]);
	});

	it('finds none between a value and its copy, and one between different values', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
				expect(jsonDifferences(one, JSON.parse(JSON.stringify(one)))).toEqual([]);
				const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
				expect(jsonDifferences(one, other).length > 0).toBe(!isSame);
			}),
		);
	});
});

type Said = [Side, string];

function open(recording: readonly Said[], said: string[]): { send: (text: string) => void } {
	const header = { server: 'x', startedAt: new Date().toISOString(), part: 0 };
	const messages = recording.map(([from, text], at) => ({
		...{ line: at + 2, at, from, text },
		value: JSON.parse(text),
	}));
	const { exchanges } = conversationOf({ file: 'x', header, messages });
	const [ours, theirs] = memoryPair();
	theirs.start(new ReplayServer(theirs, exchanges, () => {}));
	ours.start({ message: (text) => void said.push(text), oversize: () => {}, end: () => {} });
	return { send: (text) => void ours.post(text) };
}

/** What the server says to these messages, until it answers a last `ping`. */
async function replay(recording: readonly Said[], messages: readonly string[]): Promise<string[]> {
	const said: string[] = [];
	const { send } = open(recording, said);
	for (const message of messages) send(message);
	send('{"jsonrpc":"2.0","id":"last","method":"ping"}');
	await until('the last is answered', () => said.some((text) => text.includes('"last"')));
	return said.filter((text) => !text.includes('"last"'));
}

function call(id: number | string, input: object, meta?: object): string {
	const params = { name: 'it', arguments: input, ...(meta && { _meta: meta }) };
	return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

function result(id: number | string, text: string): string {
	return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"text":"${text}"}}`;
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
	return Object.fromEntries(
		Object.entries(value)
			.map(([name, inner]) => [name, sorted(inner)] as const)
			.sort(([one], [other]) => (one < other ? -1 : 1)),
	);
}
