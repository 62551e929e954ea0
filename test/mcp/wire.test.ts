/* How a session answers valid, invalid and damaged messages. */
import { describe, expect, it } from 'vitest';
import { kitchenSink } from '../support/mcp-server.ts';
import { modernMeta, RawClient, type Wire } from '../support/raw-client.ts';
import { nextTurn, until } from '../support/waiting.ts';

const later = { name: 'later', arguments: { text: 'x' } };

describe('batches', () => {
	it('are answered as one array in a 2025-03-26 session', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-03-26');
		const answered = client.next((message) => Array.isArray(message));
		client.write(
			`${JSON.stringify([
				{ jsonrpc: '2.0', id: 'a', method: 'ping' },
				{ jsonrpc: '2.0', method: 'notifications/initialized' },
				{ jsonrpc: '2.0', id: 'b', method: 'tools/call', params: later },
				{ jsonrpc: '2.0', id: 'c', method: 'no/such' },
				5,
			])}\n`,
		);
		const answers = await answered;
		expect(answers).toHaveLength(4);
		expect(answers).toEqual(
			expect.arrayContaining([
				{ jsonrpc: '2.0', id: 'a', result: {} },
				{ jsonrpc: '2.0', id: 'b', result: { content: [{ type: 'text', text: 'x' }] } },
				expect.objectContaining({ id: 'c', error: expect.objectContaining({ code: -32601 }) }),
				expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
			]),
		);
		await client.end();
	});

	it('refuse an initialize inside, and answer the rest', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-03-26');
		const answered = client.next((message) => Array.isArray(message));
		client.write(
			'[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n',
		);
		expect(await answered).toEqual([
			{ jsonrpc: '2.0', id: 1, error: { code: -32600, message: expect.stringContaining('batch') } },
			{ jsonrpc: '2.0', id: 2, result: {} },
		]);
		await client.end();
	});

	it('get no answer when they hold notifications only', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-03-26');
		client.write('[{"jsonrpc":"2.0","method":"notifications/initialized"}]\n');
		await client.request('ping');
		expect(client.received).toHaveLength(2);
		await client.end();
	});

	it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('are refused in a %s session', async (version) => {
		const client = await RawClient.legacy(kitchenSink(), version);
		client.write('[{"jsonrpc":"2.0","id":9,"method":"ping"}]\n');
		await expect(client.next(() => true)).resolves.toMatchObject({ id: null, error: { code: -32600 } });
		await client.end();
	});

	it('are refused on a modern connection, and the id is left out', async () => {
		const client = new RawClient(kitchenSink());
		await client.modern('server/discover');
		const refused = client.next(() => true);
		client.write(
			`[${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta() } })}]\n`,
		);
		const answer = await refused;
		expect(answer).toMatchObject({ error: { code: -32600 } });
		expect(answer).not.toHaveProperty('id');
		await client.end();
	});
});

describe('bad lines', () => {
	it('get -32700 with id null before anything was said and in a legacy session', async () => {
		const client = new RawClient(kitchenSink());
		for (const prepare of [() => Promise.resolve({}), () => client.initialize('2025-11-25')]) {
			await prepare();
			const answer = client.next(() => true);
			client.write('{"jsonrpc":"2.0",\n');
			expect(await answer).toMatchObject({ id: null, error: { code: -32700 } });
		}
		await client.end();
	});

	it('get -32700 without an id on a connection with modern requests only', async () => {
		const client = new RawClient(kitchenSink());
		await client.modern('tools/list');
		const answer = client.next(() => true);
		client.write('garbage\n');
		const { error, ...rest } = await answer;
		expect(error.code).toBe(-32700);
		expect(rest).toEqual({ jsonrpc: '2.0' });
		await client.end();
	});

	it('are refused when the id is null or no id at all, and the next line works', async () => {
		const client = await RawClient.legacy(kitchenSink());
		for (const id of ['null', '{}', '[1]', 'true']) {
			const answer = client.next(() => true);
			client.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
			expect(await answer).toMatchObject({ id: null, error: { code: -32600 } });
		}
		expect((await client.request('ping'))['result']).toEqual({});
		await client.end();
	});

	it.each([
		['tools/call', { name: 5 }],
		['tools/call', {}],
		['tools/call', { name: 'echo', arguments: [] }],
		['prompts/get', { name: 'greet', arguments: { who: 5 } }],
		['resources/read', {}],
		['completion/complete', { ref: 'x' }],
		['logging/setLevel', { level: 'loud' }],
	])('with wrong params of %s get -32602: %j', async (method, params) => {
		const client = await RawClient.legacy(kitchenSink());
		expect((await client.request(method, params))['error'].code).toBe(-32602);
		await client.end();
	});
});

describe('ids', () => {
	it('are echoed exactly: huge, negative, fractional, text', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const lines: string[] = [];
		client.output.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trimEnd().split('\n')));
		const ids = ['123456789012345678901234567890', '-1', '1.5', '"1"', '""', '"é\\n"', '1e400'];
		for (const id of ids) client.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
		await client.end();
		for (const id of ids) {
			const shown = id === '"é\\n"' ? '"é\\n"' : id;
			expect(lines).toContain(`{"jsonrpc":"2.0","id":${shown},"result":{}}`);
		}
	});

	it('of subscriptions and tokens of progress keep every digit', async () => {
		const client = await RawClient.legacy(kitchenSink());
		await client.modern('tools/list');
		let lines = '';
		client.output.on('data', (chunk: Buffer) => {
			lines += String(chunk);
		});
		const line = (id: string, method: string, params: object): string => {
			const text = JSON.stringify(params).replace('"TOKEN"', '12345678901234567891');
			return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${text}}\n`;
		};
		client.write(line('1', 'tools/call', { name: 'work', _meta: { progressToken: 'TOKEN' } }));
		const notifications = { toolsListChanged: true };
		client.write(
			line('12345678901234567892', 'subscriptions/listen', { notifications, _meta: modernMeta() }),
		);
		await until('both', () => lines.includes('acknowledged') && lines.includes('"id":1,'));
		await client.end();
		expect(lines.match(/"progressToken":\d+/g)).toEqual([
			'"progressToken":12345678901234567891',
			'"progressToken":12345678901234567891',
		]);
		expect(lines.match(/subscriptionId":\d+/g)).toEqual([
			'subscriptionId":12345678901234567892',
			'subscriptionId":12345678901234567892',
		]);
	});

	it('that are in flight already are refused, and the first call is answered', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const answers: Wire[] = [];
		const both = new Promise<void>((resolve) => {
			void client.next((message) => {
				if (message.id === 'same') answers.push(message);
				if (answers.length === 2) resolve();
				return answers.length === 2;
			});
		});
		client.send({ id: 'same', method: 'tools/call', params: later });
		client.send({ id: 'same', method: 'tools/call', params: later });
		await both;
		expect(answers).toMatchObject([{ error: { code: -32600 } }, { result: { content: [{ text: 'x' }] } }]);
		await client.end();
	});
});

describe('unknown fields', () => {
	it('are no reason to refuse a message, on any level', async () => {
		const client = new RawClient(kitchenSink());
		const params = { name: 'echo', arguments: { text: 'hi', more: 1 }, extra: true, _meta: modernMeta() };
		const answer = client.next(({ id }) => id === 1);
		client.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, trace: 'x' })}\n`);
		expect((await answer)['result'].content[0].text).toBe('hi');
		await client.end();
	});
});

describe('large and many messages', () => {
	it('of 10 MiB pass, both ways', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const text = 'x'.repeat(10 * 1024 * 1024 - 200);
		const { result } = await client.request('tools/call', { name: 'echo', arguments: { text } });
		expect(result.content[0].text.length).toBe(text.length);
		await client.end();
	});

	it('over the limit get -32600 under their own id, and the next one works', async () => {
		const client = new RawClient(kitchenSink(), { limitBytes: 100_000 });
		const big = { name: 'echo', arguments: { text: 'x'.repeat(200_000) } };
		expect((await client.request('tools/call', big))['error']).toMatchObject({ code: -32600 });
		expect((await client.request('ping'))['result']).toEqual({});
		await client.end();
	});

	it.each(['modern', 'request'] as const)('a thousand calls in flight are all answered: %s', async (how) => {
		const client = await RawClient.legacy(kitchenSink());
		const calls = Array.from({ length: 1000 }, (_, index) =>
			client[how]('tools/call', { name: 'later', arguments: { text: String(index) } }),
		);
		const answers = await Promise.all(calls);
		expect(answers.map(({ result }) => result.content[0].text)).toEqual(
			answers.map((_, index) => `${index}`),
		);
		await client.end();
	});
});

describe('cancellation', () => {
	it('in storms leaves nothing running and nothing answered', async () => {
		const client = await RawClient.legacy(kitchenSink());
		for (let id = 1000; id < 2000; id++) {
			const params = id % 2 ? { name: 'hang' } : { name: 'hang', _meta: modernMeta() };
			client.send({ id, method: 'tools/call', params });
			client.send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'storm' } });
		}
		for (const requestId of [5, 'x', null, {}, undefined])
			client.send({ method: 'notifications/cancelled', params: { requestId } });
		expect((await client.request('ping'))['result']).toEqual({});
		expect(client.received.filter(({ id }) => Number(id) >= 1000)).toEqual([]);
		await client.end();
	});

	it('finds a call by an id that a double cannot hold, to the last digit', async () => {
		const client = new RawClient(kitchenSink(), { drainMs: 10 });
		const hang = (id: string): void =>
			client.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"hang"}}\n`);
		const cancel = (id: string): void =>
			client.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}\n`);
		hang('12345678901234567891');
		cancel('12345678901234567891');
		await client.request('ping');
		hang('12345678901234567891');
		await client.request('ping');
		expect(client.received.filter(({ error }) => error)).toEqual([]);
		hang('99999999999999999991');
		hang('99999999999999999992');
		cancel('99999999999999999991');
		await client.request('ping');
		hang('99999999999999999991');
		await client.request('ping');
		expect(client.received.filter(({ error }) => error)).toEqual([]);
		hang('99999999999999999992');
		await expect(client.next(({ error }) => error)).resolves.toMatchObject({ error: { code: -32600 } });
		await client.end();
	});

	it('stops progress and logs of the call at once', async () => {
		let go = (): void => {};
		const client = await RawClient.legacy({
			info: { name: 'x', version: '1' },
			capabilities: ['tools'],
			list: () => [],
			request: async ({ context }) => {
				await new Promise<void>((resolve) => (go = resolve));
				context.progress(1);
				context.log('error', 'late');
				return { content: [] };
			},
		});
		client.send({ id: 'c', method: 'tools/call', params: { name: 'x', _meta: { progressToken: 1 } } });
		client.send({ method: 'notifications/cancelled', params: { requestId: 'c' } });
		await client.request('ping');
		go();
		await client.request('ping');
		expect(client.received.filter(({ method }) => method !== undefined)).toEqual([]);
		await client.end();
	});
});

describe('the end of input', () => {
	it('lets work in flight finish, then the server is done', async () => {
		const client = await RawClient.legacy(kitchenSink());
		const answers = [client.request('tools/call', later), client.modern('tools/call', later)];
		await client.end();
		for (const { result } of await Promise.all(answers)) expect(result.content[0].text).toBe('x');
	});

	it('does not wait for a call that never ends, nor for a suspended one', async () => {
		const client = new RawClient(kitchenSink(), { drainMs: 50 });
		await client.modern('tools/call', { name: 'name' }, { elicitation: {} });
		client.send({ id: 'h', method: 'tools/call', params: { name: 'hang' } });
		await client.end();
		expect(client.received).toHaveLength(1);
	});

	it('fails a client request that is open towards a legacy client, with a sentence', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-11-25', { elicitation: {} });
		const asked = client.next(({ method }) => method === 'elicitation/create');
		const answered = client.request('tools/call', { name: 'name' });
		await asked;
		await client.end();
		expect((await answered)['result']).toMatchObject({ isError: true });
	});
});

describe('a slow client', () => {
	it('holds up its own requests, not the memory of the server, and gets every answer', async () => {
		const client = await RawClient.legacy(kitchenSink());
		client.output.pause();
		const text = 'y'.repeat(100_000);
		const calls = Array.from({ length: 100 }, () =>
			client.request('tools/call', { name: 'echo', arguments: { text } }),
		);
		const waiting = (): number => client.output.readableLength + client.output.writableLength;
		await until('the server has answered as much as it may', () => waiting() > 1_000_000);
		for (let turn = 0; turn < 200; turn++) await nextTurn();
		expect(waiting()).toBeLessThan(5_000_000);
		client.output.resume();
		for (const { result } of await Promise.all(calls)) expect(result.content[0].text).toBe(text);
		await client.end();
	});
});
