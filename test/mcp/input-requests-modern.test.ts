/* A modern client is asked by results: input_required, signed state, retries. */

import { describe, expect, it } from 'vitest';
import { provide } from '../../src/mcp/define/serve.ts';
import { CLIENT_ANSWER_MS, SUSPENDED_CALLS_LIMIT } from '../../src/mcp/mcp-limits.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import { type SharedState, sharedState } from '../../src/mcp/server/mcp-session.ts';
import { RequestStates } from '../../src/mcp/server/request-state.ts';
import { rpcError } from '../../src/rpc/rpc-error.ts';
import { formFor, kitchenSink, sampling } from '../support/mcp-server.ts';
import { type Fields, modernMeta, RawClient, type Wire } from '../support/raw-client.ts';
import { nextTurn } from '../support/waiting.ts';

const form = { elicitation: {} };
const accept = (content: Fields): Fields => ({ action: 'accept', content });

describe('a tool that asks', () => {
	it('answers with the input request, and resumes with the retry', async () => {
		const client = new RawClient(kitchenSink());
		const { result } = await ask(client, 'name');
		expect(result).toMatchObject({
			resultType: 'input_required',
			inputRequests: { answer: formFor('name') },
		});
		const retry = await ask(client, 'name', { answer: accept({ name: 'Ann' }) }, result.requestState);
		expect(retry['result']).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Ann!' }] });
		await client.end();
	});

	it('may ask in several rounds, with a new state each time', async () => {
		const client = new RawClient(kitchenSink());
		const first = await ask(client, 'interview');
		const second = await ask(client, 'interview', { name: accept({}) }, first['result'].requestState);
		expect(second['result'].inputRequests).toEqual({ colour: formFor('colour') });
		expect(second['result'].requestState).not.toBe(first['result'].requestState);
		const third = await ask(client, 'interview', { colour: accept({}) }, second['result'].requestState);
		expect(JSON.parse(third['result'].content[0].text)).toEqual({ name: accept({}), colour: accept({}) });
		await client.end();
	});

	it('may ask several things side by side, and they are shown together', async () => {
		const client = new RawClient(kitchenSink());
		const { result } = await ask(client, 'both');
		expect(result.inputRequests).toEqual({ answer: formFor('name'), 'answer-2': formFor('colour') });
		const answers = { answer: accept({ name: 'Ann' }), 'answer-2': accept({ colour: 'red' }) };
		const retry = await ask(client, 'both', answers, result.requestState);
		expect(JSON.parse(retry['result'].content[0].text)).toEqual(Object.values(answers));
		await client.end();
	});

	it('that has finished without waiting for the answer gives its result to the retry', async () => {
		const client = new RawClient(kitchenSink());
		const { result } = await ask(client, 'impatient');
		await nextTurn();
		const retry = await ask(client, 'impatient', { answer: accept({}) }, result.requestState);
		expect(retry['result'].content[0].text).toBe('not waited for');
		await client.end();
	});

	it('may ask while its client is away, and that is shown next', async () => {
		const run = async (_input: unknown, context: CallContext): Promise<string> => {
			const first = context.askAll({ name: formFor('name') });
			await nextTurn();
			const second = context.askAll({ colour: formFor('colour') });
			return JSON.stringify(await Promise.all([first, second]));
		};
		const client = new RawClient(provide({ name: 'x', version: '1', tools: { apart: { run } } }));
		const one = await ask(client, 'apart');
		await nextTurn();
		const two = await ask(client, 'apart', { name: accept({}) }, one['result'].requestState);
		expect(two['result'].inputRequests).toEqual({ colour: formFor('colour') });
		const three = await ask(client, 'apart', { colour: accept({}) }, two['result'].requestState);
		expect(three['result'].content[0].text).toBe(
			JSON.stringify([{ name: accept({}) }, { colour: accept({}) }]),
		);
		await client.end();
	});

	it('that failed while it was suspended fails the retry', async () => {
		const run = async (_input: unknown, context: CallContext): Promise<void> => {
			void context.askAll({ name: formFor('name') });
			await nextTurn();
			throw rpcError(7, 'too late');
		};
		const client = new RawClient(provide({ name: 'x', version: '1', tools: { hasty: { run } } }));
		const { requestState } = (await ask(client, 'hasty'))['result'];
		await nextTurn();
		expect((await ask(client, 'hasty', { name: {} }, requestState))['error'].code).toBe(7);
		await client.end();
	});

	it('works for prompts and resources too', async () => {
		const client = new RawClient(kitchenSink());
		for (const [method, params] of [
			['prompts/get', { name: 'asks' }],
			['resources/read', { uri: 'note://secret' }],
		] as const) {
			const { result } = await client.modern(method, params, form);
			expect(result.resultType).toBe('input_required');
			const inputResponses = { answer: accept({}) };
			const retry = { ...params, inputResponses, requestState: result.requestState };
			expect((await client.modern(method, retry, form))['result'].resultType).toBe('complete');
		}
		await client.end();
	});

	it('sends no progress while it is suspended, and sends it to the retry', async () => {
		const client = new RawClient(kitchenSink());
		const first = await client.modern('tools/call', { name: 'name' }, form, { progressToken: 'one' });
		const retry = {
			name: 'name',
			inputResponses: { answer: accept({ name: 'x' }) },
			requestState: first['result'].requestState,
		};
		await client.modern('tools/call', retry, form, { progressToken: 'two' });
		expect(client.notices('notifications/progress').map(({ params }) => params.progressToken)).toEqual([
			'two',
		]);
		await client.end();
	});

	it('asks nothing once its call was cancelled, and is not suspended', async () => {
		let ask: () => Promise<unknown> = () => Promise.resolve();
		const run = (_input: unknown, context: CallContext): Promise<unknown> => {
			const gone = new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
			ask = () => context.askAll({ name: formFor('name') });
			return gone.then(ask);
		};
		const shared = sharedState();
		const client = new RawClient(provide({ name: 'x', version: '1', tools: { late: { run } } }), { shared });
		client.send({ id: 'c', method: 'tools/call', params: { name: 'late', _meta: modernMeta(form) } });
		client.send({ method: 'notifications/cancelled', params: { requestId: 'c' } });
		await client.modern('tools/list');
		await expect(ask()).rejects.toMatchObject({ code: 'canceled' });
		expect(shared.suspendedCalls.find('1')).toBeUndefined();
		await client.end();
	});

	it('asks again only who says that it can answer', async () => {
		const client = new RawClient(kitchenSink());
		const { result } = await ask(client, 'name');
		const params = { name: 'name', arguments: {}, requestState: result.requestState };
		expect((await client.modern('tools/call', params))['error'].code).toBe(-32021);
		expect((await client.modern('tools/call', params, form))['result'].resultType).toBe('input_required');
		await client.end();
	});

	it('takes a retry whose keys stand in another order', async () => {
		const client = new RawClient(kitchenSink());
		const first = { name: 'name', arguments: { a: 1, b: { c: [2], d: 3 } } };
		const { result } = await client.modern('tools/call', first, form);
		const retry = {
			requestState: result.requestState,
			arguments: { b: { d: 3, c: [2] }, a: 1 },
			inputResponses: { answer: accept({ name: 'Ann' }) },
			name: 'name',
		};
		const again = { ...retry, arguments: { b: { d: 3, c: [3] }, a: 1 } };
		expect((await client.modern('tools/call', again, form))['error'].code).toBe(-32602);
		expect((await client.modern('tools/call', retry, form))['result'].resultType).toBe('complete');
		await client.end();
	});

	it('is given up when its retry is cancelled', async () => {
		let report: (reason: unknown) => void = () => {};
		const aborted = new Promise((resolve) => (report = resolve));
		const run = async (_input: unknown, context: CallContext): Promise<void> => {
			context.signal.addEventListener('abort', () => report(context.signal.reason));
			await context.askAll({ name: formFor('name') });
			await aborted;
		};
		const client = new RawClient(provide({ name: 'x', version: '1', tools: { wait: { run } } }));
		const { requestState } = (await ask(client, 'wait'))['result'];
		const params = { name: 'wait', arguments: {}, inputResponses: { name: {} }, requestState };
		client.send({ id: 'retry', method: 'tools/call', params: { ...params, _meta: modernMeta(form) } });
		client.send({ method: 'notifications/cancelled', params: { requestId: 'retry' } });
		expect(await aborted).toMatchObject({ code: 'canceled' });
		await client.end();
		expect(client.received.some(({ id }) => id === 'retry')).toBe(false);
	});
});

describe('calls that wait', () => {
	it('are bounded in number', async () => {
		const client = new RawClient(kitchenSink());
		await Promise.all(Array.from({ length: SUSPENDED_CALLS_LIMIT }, () => ask(client, 'name')));
		expect((await ask(client, 'name'))['result']).toMatchObject({
			isError: true,
			content: [
				{ text: `more than ${SUSPENDED_CALLS_LIMIT} calls are waiting for input from their clients` },
			],
		});
		await client.end();
	});

	it('are canceled when the server shuts down, and their signal is aborted', async () => {
		let report: (error: unknown) => void = () => {};
		const failed = new Promise((resolve) => (report = resolve));
		const run = async (_input: unknown, context: CallContext): Promise<void> => {
			await context.ask('roots/list').catch((error: unknown) => report([error, context.signal.aborted]));
		};
		const shared = sharedState();
		const client = new RawClient(provide({ name: 'x', version: '1', tools: { wait: { run } } }), { shared });
		await client.modern('tools/call', { name: 'wait' }, { roots: {} });
		shared.suspendedCalls.close();
		expect(await failed).toMatchObject([{ code: 'canceled', message: 'the server is shutting down' }, true]);
		await client.end();
	});

	it('cannot be in a list, nor ask what no client answers', async () => {
		const client = new RawClient({
			info: { name: 'x', version: '1' },
			capabilities: ['tools'],
			list: async (_kind, context) => [
				await (context?.ask('roots/list') ?? Promise.resolve()).then(() => ({ name: 'x', inputSchema: {} })),
			],
			request: async ({ context }) => ({
				content: [
					{ type: 'text', text: JSON.stringify(await context.askAll({ answer: { method: 'x/y' } })) },
				],
			}),
		});
		expect((await client.modern('tools/list', {}, { roots: {} }))['error'].message).toMatch(/cannot ask/);
		expect((await client.modern('tools/call', { name: 'x' }))['error'].message).toMatch(
			/x\/y is not a request that a client can answer/,
		);
		await client.end();
	});
});

describe('answers', () => {
	it.each([{}, { other: accept({}) }, { name: accept({}) }, { name: 5, words: null, roots: 'x' }])(
		'that are missing are asked for again: %j',
		async (given) => {
			const client = new RawClient(kitchenSink());
			const capabilities = { elicitation: {}, sampling: {}, roots: {} };
			const first = await client.modern('tools/call', { name: 'everything' }, capabilities);
			const again = await client.modern(
				'tools/call',
				{ name: 'everything', inputResponses: given, requestState: first['result'].requestState },
				capabilities,
			);
			expect(again['result'].inputRequests).toEqual({
				name: formFor('name'),
				words: sampling,
				roots: { method: 'roots/list' },
			});
			const inputResponses = { name: accept({}), words: {}, roots: { roots: [] }, extra: {} };
			const { requestState } = again['result'];
			const last = await client.modern(
				'tools/call',
				{ name: 'everything', inputResponses, requestState },
				capabilities,
			);
			expect(JSON.parse(last['result'].content[0].text)).toEqual({
				name: accept({}),
				words: {},
				roots: { roots: [] },
			});
			await client.end();
		},
	);

	it('that are no object are refused', async () => {
		const client = new RawClient(kitchenSink());
		for (const inputResponses of [null, 5, []])
			expect((await client.modern('tools/call', { name: 'name', inputResponses }, form))['error'].code).toBe(
				-32602,
			);
		await client.end();
	});
});

describe('the state', () => {
	it('is refused when it was changed, belongs to another request or is no text', async () => {
		const client = new RawClient(kitchenSink());
		const { requestState } = (await ask(client, 'name'))['result'];
		const [body = '', signature = ''] = requestState.split('.');
		const forged = Buffer.from('{"suspended":"x","expires":9e15}').toString('base64url');
		const wrong = [
			`${requestState}x`,
			`x${requestState}`,
			`${body}.`,
			body,
			'',
			'.',
			`${forged}.${signature}`,
			`${requestState}.x`,
			5,
			null,
		];
		const answers = { answer: accept({ name: 'x' }) };
		for (const state of wrong) {
			const { error } = await ask(client, 'name', answers, state);
			expect(error, String(state)).toMatchObject({ code: -32602 });
		}
		expect((await ask(client, 'interview', answers, requestState))['error'].message).toMatch(
			/another request/,
		);
		expect((await ask(client, 'name', answers, requestState))['result'].content[0].text).toBe('Hello, x!');
		await client.end();
	});

	it('works once: its call has ended afterwards', async () => {
		const client = new RawClient(kitchenSink());
		const { requestState } = (await ask(client, 'name'))['result'];
		await ask(client, 'name', { answer: accept({ name: 'x' }) }, requestState);
		const again = await ask(client, 'name', { answer: accept({ name: 'x' }) }, requestState);
		expect(again['error']).toMatchObject({ code: -32602, message: expect.stringContaining('has ended') });
		await client.end();
	});

	it('expires', async () => {
		let now = 1000;
		const states = new RequestStates(() => now);
		const client = new RawClient(kitchenSink(), { shared: { ...sharedState(), states } });
		const { requestState } = (await ask(client, 'name'))['result'];
		now += CLIENT_ANSWER_MS + 1;
		const { error } = await ask(client, 'name', { answer: accept({}) }, requestState);
		expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('expired') });
		await client.end();
	});

	it('may be returned on another connection of the same server, which then gets the progress', async () => {
		const shared: SharedState = sharedState();
		const provider = kitchenSink();
		const [one, two] = [new RawClient(provider, { shared }), new RawClient(provider, { shared })];
		const { requestState } = (await ask(one, 'name'))['result'];
		await one.end();
		const retry = {
			name: 'name',
			arguments: {},
			inputResponses: { answer: accept({ name: 'Bo' }) },
			requestState,
		};
		const { result } = await two.modern('tools/call', retry, form, { progressToken: 7 });
		expect(result.content[0].text).toBe('Hello, Bo!');
		expect(two.notices('notifications/progress')).toHaveLength(1);
		await two.end();
	});

	it('of another server is refused', async () => {
		const [one, two] = [new RawClient(kitchenSink()), new RawClient(kitchenSink())];
		const { requestState } = (await ask(one, 'name'))['result'];
		expect((await ask(two, 'name', { answer: accept({}) }, requestState))['error'].code).toBe(-32602);
		await Promise.all([one.end(), two.end()]);
	});
});

describe('a provider that keeps its own state', () => {
	it('gets it back exactly, with the answers, over several rounds', async () => {
		const client = new RawClient(kitchenSink());
		const first = await ask(client, 'stateful');
		expect(first['result'].requestState).not.toContain('round');
		const second = await ask(client, 'stateful', { a: accept({ a: '1' }) }, first['result'].requestState);
		const third = await ask(client, 'stateful', { b: accept({ b: '2' }) }, second['result'].requestState);
		expect(third['result'].content[0].text).toBe(`round 2: ${JSON.stringify({ b: accept({ b: '2' }) })}`);
		await client.end();
	});

	it('may ask for nothing but another try', async () => {
		const client = new RawClient(kitchenSink());
		const { result } = await ask(client, 'endless');
		expect(Object.keys(result).sort()).toEqual(['_meta', 'requestState', 'resultType']);
		await client.end();
	});
});

describe('a capability that the client did not declare', () => {
	it.each([
		['name', {}, { elicitation: { form: {} } }],
		['name', { elicitation: { url: {} } }, { elicitation: { form: {} } }],
		['visit', { elicitation: {} }, { elicitation: { url: {} } }],
		['everything', { elicitation: {}, roots: {} }, { sampling: {} }],
		['everything', { elicitation: {}, sampling: {} }, { roots: {} }],
		['stateful', {}, { elicitation: { form: {} } }],
	])('fails %s with -32021 under %j', async (name, capabilities, requiredCapabilities) => {
		const client = new RawClient(kitchenSink());
		const { error } = await client.modern('tools/call', { name }, capabilities);
		expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
		await client.end();
	});
});

function ask(
	client: RawClient,
	name: string,
	inputResponses?: Fields,
	requestState?: unknown,
): Promise<Wire> {
	const retry = inputResponses === undefined ? {} : { inputResponses, requestState };
	return client.modern('tools/call', { name, arguments: {}, ...retry }, form);
}
