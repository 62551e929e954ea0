/* An MCP server that uses every feature, for the tests of sessions. */

import type { ToolDefinition } from '../../src/mcp/define/definition.ts';
import type { DefinitionProvider } from '../../src/mcp/define/definition-provider.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import type { ElicitParams } from '../../src/protocol/client-methods.ts';
import type { ContentBlock } from '../../src/protocol/mcp-types.ts';
import { nextTurn } from './waiting.ts';

const textInput = {
	type: 'object',
	properties: { text: { type: 'string' } },
	required: ['text'],
};

/** A question for a form with one field. */
export function formFor(field: string): { method: string; params: ElicitParams } {
	return {
		method: 'elicitation/create',
		params: {
			message: `Which ${field}?`,
			requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
		},
	};
}

export const sampling = {
	method: 'sampling/createMessage',
	params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 },
};

const links: ContentBlock[] = [
	{ type: 'text', text: 'see' },
	{ type: 'resource_link', uri: 'note://one', name: 'one', title: 'The first', description: 'a note' },
	{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
];

const tools: Record<string, ToolDefinition> = {
	echo: {
		title: 'Echo',
		description: 'Gives back the text',
		icons: [{ src: 'data:image/png;base64,AAAA', mimeType: 'image/png', sizes: ['1x1'] }],
		annotations: { readOnlyHint: true },
		_meta: { 'example.com/kind': 'test' },
		inputSchema: textInput,
		run: ({ text }: { text: string }) => text,
	},
	later: {
		inputSchema: textInput,
		run: async ({ text }: { text: string }) => {
			await nextTurn();
			return text;
		},
	},
	hang: {
		run: (_input: unknown, { signal }: CallContext) =>
			new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
	},
	sum: {
		inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
		outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
		run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
	},
	broken: {
		outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
		run: () => ({ total: 1 }),
	},
	seven: { outputSchema: { type: 'number' }, run: () => 7 },
	fail: {
		run: () => {
			throw new Error('it does not work');
		},
	},
	links: { run: () => ({ content: links }) },
	work: {
		run: async (_input: unknown, context: CallContext) => {
			context.progress(1, 2, 'half');
			context.log('debug', 'details');
			context.log('error', { what: 'trouble' }, 'work');
			await nextTurn();
			context.progress(2, 2);
			setImmediate(() => context.progress(3));
			return 'done';
		},
	},
	name: {
		run: async (_input: unknown, context: CallContext) => {
			const { content } = await context.ask('elicitation/create', formFor('name').params);
			context.progress(1);
			return `Hello, ${String(content?.['name'])}!`;
		},
	},
	interview: {
		run: async (_input: unknown, context: CallContext) => {
			const first = await context.askAll({ name: formFor('name') });
			const second = await context.askAll({ colour: formFor('colour') });
			return JSON.stringify({ ...first, ...second });
		},
	},
	both: {
		run: async (_input: unknown, context: CallContext) =>
			JSON.stringify(
				await Promise.all([
					context.ask('elicitation/create', formFor('name').params),
					context.ask('elicitation/create', formFor('colour').params),
				]),
			),
	},
	impatient: {
		run: (_input: unknown, context: CallContext) => {
			const answered = context.ask('elicitation/create', formFor('name').params).then(() => 'answered');
			return Promise.race([answered, new Promise((resolve) => setImmediate(resolve, 'not waited for'))]);
		},
	},
	everything: {
		run: async (_input: unknown, context: CallContext) =>
			JSON.stringify(
				await context.askAll({ name: formFor('name'), words: sampling, roots: { method: 'roots/list' } }),
			),
	},
	visit: {
		run: (_input: unknown, context: CallContext) =>
			context.ask('elicitation/create', {
				mode: 'url',
				message: 'go',
				url: 'https://example.com',
				elicitationId: '1',
			}),
	},
	stateful: {
		run: (_input: unknown, { inputResponses, requestState }: CallContext) => {
			if (requestState === undefined)
				return { resultType: 'input_required', inputRequests: { a: formFor('a') }, requestState: 'round 1' };
			if (requestState === 'round 1')
				return { resultType: 'input_required', inputRequests: { b: formFor('b') }, requestState: 'round 2' };
			return `${requestState}: ${JSON.stringify(inputResponses)}`;
		},
	},
	endless: {
		run: () => ({ resultType: 'input_required', requestState: 'again' }),
	},
	context: {
		output: { type: 'object' },
		run: (_input: unknown, { meta, clientInfo, clientCapabilities, revision }: CallContext) => ({
			meta,
			clientInfo,
			clientCapabilities,
			version: revision.version,
		}),
	},
};

/** A fresh provider. */
export function kitchenSink(): DefinitionProvider {
	return provide({
		name: 'sink',
		version: '1.0.0',
		title: 'Kitchen sink',
		instructions: 'Call anything.',
		tools,
		resources: {
			'note://one': { name: 'one', title: 'The first', mimeType: 'text/plain', read: () => 'first note' },
			'note://bytes': { read: () => new Uint8Array([1, 2, 3]) },
			'note://secret': {
				read: async (context) => {
					await context.ask('elicitation/create', formFor('password').params);
					return 'opened';
				},
			},
		},
		templates: {
			'note://by-id/{id}': {
				name: 'by id',
				mimeType: 'application/json',
				read: ({ id }) => (id === 'none' ? undefined : JSON.stringify({ id })),
				complete: (variable, typed) => [`${variable}:${typed}`],
			},
		},
		prompts: {
			greet: {
				description: 'Greets somebody',
				arguments: [{ name: 'who', required: true }, { name: 'how' }],
				get: ({ who }) => `Greet ${who}.`,
				complete: (_argument, typed, { how = '' }) =>
					Array.from({ length: 150 }, (_, index) => `${typed}${how}${index}`),
			},
			listen: {
				get: () => ({ messages: [{ role: 'user', content: links[2] ?? { type: 'text', text: '' } }] }),
			},
			asks: {
				get: async (_input, context) =>
					`for ${JSON.stringify(await context.ask('elicitation/create', formFor('topic').params))}`,
			},
		},
	});
}
