/* Tools, resources, prompts and completion: their results, and the form for each revision. */
import { describe, expect, it } from 'vitest';
import type { ToolReturn } from '../../src/mcp/define/definition.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import { rpcError } from '../../src/rpc/rpc-error.ts';
import { kitchenSink } from '../support/mcp-server.ts';
import { RawClient, type Wire } from '../support/raw-client.ts';

const eras = ['legacy', 'modern'] as const;

describe.each(eras)('tools in the %s era', (era) => {
	it('that do not exist are an error -32602', async () => {
		for (const name of ['nope', 'constructor', '__proto__', ''])
			expect((await once(era, 'tools/call', { name }))['error'].code).toBe(-32602);
	});

	it('get no bad arguments: the result says what is wrong with each', async () => {
		for (const given of [{}, { text: 5 }, undefined]) {
			const { result } = await once(era, 'tools/call', { name: 'echo', arguments: given });
			expect(result.isError).toBe(true);
			expect(result.content[0].text).toMatch(/^Invalid arguments for echo: arguments\.text /);
		}
	});

	it('that throw give a result with isError', async () => {
		const { result } = await once(era, 'tools/call', { name: 'fail' });
		expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'it does not work' }] });
	});

	it('fail when their output does not match the output schema', async () => {
		const { result } = await once(era, 'tools/call', { name: 'sum', arguments: { a: 1, b: 2 } });
		expect(result).toMatchObject({ structuredContent: { sum: 3 }, content: [{ text: '{"sum":3}' }] });
		const broken = await once(era, 'tools/call', { name: 'broken' });
		expect(broken['result']).toMatchObject({
			isError: true,
			content: [{ text: 'The output of the tool does not match its output schema: output.sum is required' }],
		});
	});
});

describe('what a tool returns', () => {
	const cases: [string, () => ToolReturn<unknown>, Record<string, unknown>][] = [
		['a text', () => 'x', { content: [{ type: 'text', text: 'x' }] }],
		['nothing', () => undefined, { content: [] }],
		['null', () => null, { content: [{ type: 'text', text: 'null' }] }],
		['a list', () => [1], { content: [{ type: 'text', text: '[1]' }] }],
		['a whole result', () => ({ content: [], extra: 1 }), { content: [], extra: 1 }],
	];

	it.each(cases)('may be %s', async (_what, run, expected) => {
		for (const returned of [run, async () => run()]) {
			const client = new RawClient(provide({ name: 'x', version: '1', tools: { t: { run: returned } } }));
			expect((await client.modern('tools/call', { name: 't' }))['result']).toMatchObject(expected);
			await client.end();
		}
	});

	it.each([
		['a value that is no JSON', () => ({ big: 1n })],
		['a promise of it', async () => ({ big: 1n })],
	])('fails the call with a sentence when it is %s', async (_what, run) => {
		const client = new RawClient(provide({ name: 'x', version: '1', tools: { t: { run } } }));
		expect((await client.modern('tools/call', { name: 't' }))['result'].isError).toBe(true);
		await client.end();
	});

	it('may be an error of the protocol with its own number', async () => {
		const run = (): never => {
			throw rpcError(-32099 + 100_000, 'busy', { retry: true });
		};
		const client = new RawClient(provide({ name: 'x', version: '1', tools: { t: { run } } }));
		expect((await client.modern('tools/call', { name: 't' }))['error']).toEqual({
			code: 67_901,
			message: 'busy',
			data: { retry: true },
		});
		await client.end();
	});

	it('must be declared with a schema of an object', () => {
		const tools = { t: { inputSchema: { type: 'string' }, run: () => '' } };
		expect(() => provide({ name: 'x', version: '1', tools })).toThrow(
			'the input schema of the tool t must have "type": "object"',
		);
	});
});

describe('content for older revisions', () => {
	const link = { type: 'text', text: 'The first: a note (note://one)' };

	it('has links as text and audio as a resource in 2024-11-05', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2024-11-05');
		const { result } = await client.request('tools/call', { name: 'links' });
		expect(result.content.slice(1)).toEqual([
			link,
			{ type: 'resource', resource: { uri: 'data:audio', mimeType: 'audio/wav', blob: 'AAAA' } },
		]);
		const prompt = await client.request('prompts/get', { name: 'listen' });
		expect(prompt['result'].messages[0].content.type).toBe('resource');
		await client.end();
	});

	it('has links as text in 2025-03-26, and everything as it is from 2025-06-18', async () => {
		for (const [version, types] of [
			['2025-03-26', ['text', 'text', 'audio']],
			['2025-06-18', ['text', 'resource_link', 'audio']],
		] as const) {
			const client = await RawClient.legacy(kitchenSink(), version);
			const { result } = await client.request('tools/call', { name: 'links' });
			expect(result.content.map(({ type }: { type: string }) => type)).toEqual(types);
			await client.end();
		}
	});

	it('has structured content and output schemas only where they are objects', async () => {
		const client = await RawClient.legacy(kitchenSink(), '2025-06-18');
		expect((await client.request('tools/call', { name: 'seven' }))['result']).toEqual({
			content: [{ type: 'text', text: '7' }],
		});
		const { tools } = (await client.request('tools/list'))['result'];
		expect(schemaOf(tools, 'seven')).toBeUndefined();
		expect(schemaOf(tools, 'sum')).toMatchObject({ type: 'object' });
		const modern = (await client.modern('tools/list'))['result'].tools;
		expect(schemaOf(modern, 'seven')).toEqual({ type: 'number' });
		await client.end();
	});
});

describe.each(eras)('resources in the %s era', (era) => {
	it('are read as text, bytes or by template', async () => {
		expect((await once(era, 'resources/read', { uri: 'note://one' }))['result'].contents).toEqual([
			{ uri: 'note://one', mimeType: 'text/plain', text: 'first note' },
		]);
		expect((await once(era, 'resources/read', { uri: 'note://bytes' }))['result'].contents).toEqual([
			{ uri: 'note://bytes', blob: 'AQID' },
		]);
		expect((await once(era, 'resources/read', { uri: 'note://by-id/a%20b' }))['result'].contents).toEqual([
			{ uri: 'note://by-id/a%20b', mimeType: 'application/json', text: '{"id":"a b"}' },
		]);
	});

	it('that do not exist are an error -32602 with the URI, never -32002 or an empty list', async () => {
		for (const uri of ['note://none', 'note://by-id/none', 'constructor', ''])
			expect((await once(era, 'resources/read', { uri }))['error']).toEqual({
				code: -32602,
				message: `Resource not found: ${uri}`,
				data: { uri },
			});
	});
});

describe.each(eras)('prompts in the %s era', (era) => {
	it('become messages', async () => {
		const params = { name: 'greet', arguments: { who: 'Ann' } };
		expect((await once(era, 'prompts/get', params))['result']).toMatchObject({
			description: 'Greets somebody',
			messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ann.' } }],
		});
	});

	it('that do not exist or lack an argument are an error -32602', async () => {
		expect((await once(era, 'prompts/get', { name: 'nope' }))['error'].code).toBe(-32602);
		expect((await once(era, 'prompts/get', { name: 'greet' }))['error']).toMatchObject({
			code: -32602,
			message: 'missing required argument: who',
		});
	});
});

describe.each(eras)('completion in the %s era', (era) => {
	it('gives at most a hundred values and says how many there are', async () => {
		const ref = { type: 'ref/prompt', name: 'greet' };
		const params = { ref, argument: { name: 'who', value: 'a' }, context: { arguments: { how: '-' } } };
		const { completion } = (await once(era, 'completion/complete', params))['result'];
		expect(completion.values).toHaveLength(100);
		expect(completion).toMatchObject({ total: 150, hasMore: true });
		expect(completion.values[0]).toBe('a-0');
	});

	it('works for templates, and is empty where nothing completes', async () => {
		const argument = { name: 'id', value: '7' };
		const template = { type: 'ref/resource', uri: 'note://by-id/{id}' };
		const { result } = await once(era, 'completion/complete', { ref: template, argument });
		expect(result.completion).toEqual({ values: ['id:7'], total: 1, hasMore: false });
		const none = await once(era, 'completion/complete', {
			ref: { type: 'ref/prompt', name: 'listen' },
			argument,
		});
		expect(none['result'].completion.values).toEqual([]);
	});

	it('of what does not exist is an error -32602', async () => {
		const argument = { name: 'id', value: '7' };
		for (const ref of [
			{ type: 'ref/prompt', name: 'nope' },
			{ type: 'ref/resource', uri: 'x://y' },
			{ type: 'ref/other' },
			{},
		])
			expect((await once(era, 'completion/complete', { ref, argument }))['error'].code).toBe(-32602);
	});
});

/** One request to a server of its own. */
async function once(
	era: (typeof eras)[number],
	method: string,
	params: Record<string, unknown>,
): Promise<Wire> {
	const client = era === 'legacy' ? await RawClient.legacy(kitchenSink()) : new RawClient(kitchenSink());
	const answer = await (era === 'legacy' ? client.request(method, params) : client.modern(method, params));
	await client.end();
	return answer;
}

function schemaOf(tools: { name: string; outputSchema?: unknown }[], name: string): unknown {
	return tools.find((tool) => tool.name === name)?.outputSchema;
}
