/* What the compiler makes of a definition, as a user of the package meets it. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type CallContext, type ElicitResult, provide, type ServerDefinition } from '../../src/mcp/index.ts';
import { definePlugin } from '../../src/plugin/index.ts';
import { type KnownToolEvent, knownEvent, type ToolEvent } from '../../src/tool/event.ts';
import { RawClient } from '../support/raw-client.ts';

interface Weather {
	city: string;
	degrees: number;
}

const base = { name: 'typed', version: '1.0.0' };

describe('the input of a handler', () => {
	it('has the type of a JSON Schema literal', () => {
		provide({
			...base,
			tools: {
				greet: {
					input: {
						type: 'object',
						properties: {
							name: { type: 'string' },
							times: { type: 'integer' },
							tone: { enum: ['kind', 'dry'] },
						},
						required: ['name'],
					},
					run: (input, context) => {
						expectTypeOf(input).toEqualTypeOf<{ name: string; times?: number; tone?: 'kind' | 'dry' }>();
						expectTypeOf(context).toEqualTypeOf<CallContext>();
						return input.name;
					},
				},
			},
		});
	});

	it('has the type of a schema that was declared before, as const', () => {
		const inputSchema = {
			type: 'object',
			properties: { ids: { type: 'array', items: { type: 'number' } }, note: { type: ['string', 'null'] } },
			required: ['ids', 'note'],
		} as const;
		provide({
			...base,
			tools: {
				sum: {
					inputSchema,
					run: ({ ids, note }) => {
						expectTypeOf(ids).toEqualTypeOf<number[]>();
						expectTypeOf(note).toEqualTypeOf<string | null>();
						return ids.length;
					},
				},
			},
		});
	});

	it('has the type of a Standard Schema, and the value that the schema makes of it', async () => {
		const provider = provide({
			...base,
			tools: {
				greet: {
					input: z.object({ name: z.string().trim(), times: z.number().default(2) }),
					run: ({ name, times }) => {
						expectTypeOf(name).toEqualTypeOf<string>();
						expectTypeOf(times).toEqualTypeOf<number>();
						return `${name} ${times}`;
					},
				},
			},
		});
		expect(provider.list('tools')[0]?.inputSchema).toMatchObject({
			type: 'object',
			properties: { name: { type: 'string' } },
		});
		const client = new RawClient(provider);
		const { result } = await client.modern('tools/call', { name: 'greet', arguments: { name: ' Ada ' } });
		expect(result).toMatchObject({ content: [{ type: 'text', text: 'Ada 2' }] });
		const wrong = await client.modern('tools/call', { name: 'greet', arguments: { name: 7 } });
		expect(wrong['result']).toMatchObject({ isError: true });
		expect(JSON.stringify(wrong['result'])).toContain('arguments.name');
		await client.end();
	});

	it('takes the JSON Schema of a library', () => {
		const inputSchema = z.toJSONSchema(z.object({ name: z.string() }));
		const provider = provide({
			...base,
			tools: {
				greet: {
					inputSchema,
					run: ({ name }) => {
						expectTypeOf(name).toEqualTypeOf<string>();
						return name;
					},
				},
			},
		});
		expect(provider.list('tools')).toHaveLength(1);
	});

	it('is an open object where there is no schema', () => {
		provide({
			...base,
			tools: {
				any: {
					run: (input) => {
						expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
					},
				},
			},
		});
	});
});

describe('what a handler returns', () => {
	it('must be what the output schema describes', async () => {
		const output = {
			type: 'object',
			properties: { city: { type: 'string' }, degrees: { type: 'number' } },
			required: ['city', 'degrees'],
		} as const;
		const weather: Weather = { city: 'Oslo', degrees: -3 };
		const provider = provide({ ...base, tools: { weather: { output, run: () => weather } } });
		// @ts-expect-error degrees is missing
		provide({ ...base, tools: { weather: { output, run: () => ({ city: 'Oslo' }) } } });
		const client = new RawClient(provider);
		const { result } = await client.modern('tools/call', { name: 'weather' });
		expect(result).toMatchObject({ structuredContent: weather });
		await client.end();
	});

	it('is text alone for a tool without an output schema', async () => {
		const client = new RawClient(
			provide({ ...base, tools: { weather: { run: (): Weather => ({ city: 'Oslo', degrees: 1 }) } } }),
		);
		const { result } = await client.modern('tools/call', { name: 'weather' });
		expect(result).toMatchObject({ content: [{ type: 'text', text: '{"city":"Oslo","degrees":1}' }] });
		expect(result).not.toHaveProperty('structuredContent');
		await client.end();
	});

	it('is refused when a whole result has the wrong shape', () => {
		// @ts-expect-error content is a list of blocks
		provide({ ...base, tools: { wrong: { run: () => ({ content: 'text' }) } } });
		// @ts-expect-error a text block has a text
		provide({ ...base, tools: { wrong: { run: () => ({ content: [{ type: 'text' }] }) } } });
	});
});

describe('a definition', () => {
	it('does not take misspelled fields', () => {
		// @ts-expect-error descripton
		const typo: ServerDefinition = { ...base, descripton: 'x' };
		expect(typo).toBeDefined();
		// @ts-expect-error descripton
		provide({ ...base, tools: { greet: { descripton: 'x', run: () => 'hello' } } });
	});

	it('types what the client answers', () => {
		provide({
			...base,
			tools: {
				ask: {
					run: async (_input, context) => {
						const answer = await context.ask('elicitation/create', { message: 'Sure?', requestedSchema: {} });
						expectTypeOf(answer).toEqualTypeOf<ElicitResult>();
						const { roots } = await context.ask('roots/list');
						expectTypeOf(roots).toEqualTypeOf<{ uri: string; name?: string }[]>();
						return answer.action;
					},
				},
			},
		});
	});

	it('of a plugin types its inputs too', () => {
		const inputSchema = {
			type: 'object',
			properties: { name: { type: 'string' } },
			required: ['name'],
		} as const;
		const plugin = definePlugin({
			id: 'tools.typed',
			version: '1.0.0',
			tools: {
				greet: {
					description: 'Greets',
					inputSchema,
					run: ({ name }) => {
						expectTypeOf(name).toEqualTypeOf<string>();
						const weather: Weather = { city: name, degrees: 1 };
						return weather;
					},
				},
			},
		});
		expect(plugin.manifest.providesTools).toEqual(['greet']);
	});
});

describe('knownEvent', () => {
	const event = (type: string, payload: ToolEvent['payload']): ToolEvent => ({
		type,
		payload,
		ts: '2026-01-01T00:00:00.000Z',
		toolId: 'x',
		raw: Buffer.alloc(0),
		isSynthetic: false,
	});

	it('reads the payload by the type', () => {
		const known = knownEvent(event('log', { level: 'info', message: 'hello' }));
		expectTypeOf(known).toEqualTypeOf<KnownToolEvent | undefined>();
		if (known?.type !== 'log') throw new Error('expected a log event');
		expectTypeOf(known.payload.message).toEqualTypeOf<string>();
		expect(known.payload.message).toBe('hello');
	});

	it.each([
		['a type of the tool’s own', event('constructor', {})],
		['a log without a message', event('log', { level: 'info' })],
		['a progress that is no number', event('progress', { progress: 'half' })],
		['an artifact whose name is no string', event('artifact', { path: 'a', name: 1 })],
	])('gives nothing for %s', (_what, odd) => {
		expect(knownEvent(odd)).toBeUndefined();
	});
});
