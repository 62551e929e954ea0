/* `orchestra-hub/mcp`: an MCP server with everything that one can have, and a client that uses it. With the argument `serve` it is the server. */
import { ok } from 'node:assert/strict';
import {
	type Call,
	type CallContext,
	type CallToolResult,
	type Change,
	type ClientHandlers,
	type CompleteResult,
	type ConnectServerOptions,
	type ContentBlock,
	type CreateMessageResult,
	connectServer,
	type DefinitionProvider,
	type ElicitResult,
	type GetPromptResult,
	type HttpAuth,
	type InferInput,
	Log,
	type McpCallOptions,
	type McpClient,
	OrchestraError,
	type Prompt,
	type PromptDefinition,
	type Provider,
	provide,
	type ReadResourceResult,
	type Resource,
	type ResourceDefinition,
	type ResourceTemplate,
	rpcError,
	type ServeMcpOptions,
	type ServerDefinition,
	type ServerTarget,
	serve,
	serveProvider,
	type TemplateDefinition,
	type Tool,
	type ToolDefinition,
	type ToolFailureDetails,
	toolFailure,
} from 'orchestra-hub/mcp';

const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const greet: ToolDefinition<typeof nameSchema> = {
	description: 'Greet a user',
	annotations: { readOnlyHint: true },
	input: nameSchema,
	run({ name }: InferInput<typeof nameSchema>, context: CallContext) {
		const details: ToolFailureDetails = { hint: 'Give a name.' };
		if (name === '') throw toolFailure('the name is empty', details);
		context.progress(1, 1);
		return `Hello, ${name}!`;
	},
};

/** A schema of your own library: anything with `~standard` validates. */
const anyObject = {
	'~standard': {
		version: 1,
		vendor: 'example',
		validate: (value: unknown) =>
			typeof value === 'object' ? { value } : { issues: [{ message: 'not an object' }] },
		jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
	},
} as const;
const careful: ToolDefinition<typeof anyObject> = {
	input: anyObject,
	run: async (_input, context) => {
		const question = {
			message: 'Sure?',
			requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
		} as const;
		const { action }: ElicitResult = await context.ask('elicitation/create', question);
		return action === 'accept' ? 'done' : 'left as it was';
	},
};
const today: ResourceDefinition = { mimeType: 'text/plain', read: () => 'Water the plants.' };
const byId: TemplateDefinition = {
	read: ({ id }) => (id === '1' ? 'The first note.' : undefined),
	complete: (_variable, typed) => ['1', '2'].filter((id) => id.startsWith(typed)),
};
const review: PromptDefinition = {
	arguments: [{ name: 'file', required: true }],
	get: ({ file }) => `Review ${file}.`,
};
const definition: ServerDefinition = {
	name: 'notes',
	version: '1.0.0',
	tools: { greet: greet as ToolDefinition, careful: careful as ToolDefinition },
	resources: { 'note://today': today },
	templates: { 'note://by-id/{id}': byId },
	prompts: { review },
};

/** A provider of your own answers requests itself. */
const oneTool: Provider = {
	info: { name: 'one-tool', version: '1.0.0' },
	capabilities: ['tools'],
	list: (kind) => (kind === 'tools' ? [{ name: 'ping', inputSchema: { type: 'object' } }] : []),
	request({ method, params }: Call): CallToolResult {
		if (method !== 'tools/call' || params.name !== 'ping') throw rpcError(-32602, 'there is only ping');
		return { content: [{ type: 'text', text: 'pong' }] };
	},
	watch: (listener: (change: Change) => void) => {
		listener({ kind: 'tools' });
		return () => {};
	},
};

const options: ServeMcpOptions = { log: Log.silent };
if (process.argv[2] === 'serve') await serve(definition);
else if (process.argv[2] === 'provide') await serveNotes();
else if (process.argv[2] === 'ping') await serveProvider(oneTool, options);
else await useServers();

/** The provider of a definition, which notifies clients of changes. */
async function serveNotes(): Promise<void> {
	const provider: DefinitionProvider = provide(definition);
	setTimeout(() => provider.notifyChange({ kind: 'resource', uri: 'note://today' }), 10).unref();
	await serveProvider(provider, options);
}

async function useServers(): Promise<void> {
	const handlers: ClientHandlers = {
		elicit: async (): Promise<ElicitResult> => ({ action: 'accept', content: { sure: true } }),
		sample: async ({ messages }): Promise<CreateMessageResult> => ({
			role: 'assistant',
			content: { type: 'text', text: `${messages.length}` },
			model: 'mine',
		}),
	};
	const clientInfo = { name: 'example', version: '1.0.0' };
	const connection: ConnectServerOptions = { ...handlers, clientInfo, stderr: 'discard' };
	await useNotes(await connectServer(targetOf('serve'), connection));
	const other = await connectServer(targetOf('provide'), connection);
	ok((await other.listPrompts()).prompts.length === 1);
	await other.close();
	const ping = await connectServer(targetOf('ping'));
	const { content } = await ping.callTool('ping');
	const [block]: readonly ContentBlock[] = content;
	ok(block?.type === 'text' && block.text === 'pong');
	await ping.close();
	ok(OrchestraError.is(await connectRemote().catch((error: unknown) => error)));
}

function targetOf(role: string): ServerTarget {
	return { command: process.execPath, args: [import.meta.filename, role] };
}

async function useNotes(client: McpClient): Promise<void> {
	const tools: readonly Tool[] = (await client.listTools()).tools;
	const prompts: readonly Prompt[] = (await client.listPrompts()).prompts;
	const resources: readonly Resource[] = (await client.listResources()).resources;
	const templates: readonly ResourceTemplate[] = (await client.listResourceTemplates()).resourceTemplates;
	ok([tools, prompts, resources, templates].map(({ length }) => length).join() === '2,1,1,1');

	const seen: object[] = [];
	const call: McpCallOptions = {
		onProgress: (progress) => seen.push(progress),
		onLog: (line) => seen.push(line),
	};
	const greeting: CallToolResult = await client.callTool('greet', { name: 'Ada' }, call);
	ok(JSON.stringify(greeting.content).includes('Hello, Ada!') && seen.length === 1);
	ok(JSON.stringify(await client.callTool('careful')).includes('done'));

	const read: ReadResourceResult = await client.readResource('note://today');
	const [content] = read.contents;
	ok(content?.text === 'Water the plants.');
	const prompt: GetPromptResult = await client.getPrompt('review', { file: 'a.ts' });
	ok(prompt.messages.length === 1);
	const completed: CompleteResult['completion'] = await client.complete({
		ref: { type: 'ref/resource', uri: 'note://by-id/{id}' },
		argument: { name: 'id', value: '' },
	});
	ok(completed.values.join() === '1,2');
	await client.close();
}

/** A remote server; here nothing listens there. */
async function connectRemote(): Promise<McpClient> {
	const auth: HttpAuth = {
		token: async () => 'a token',
		onUnauthorized: async ({ status }) => (status === 401 ? 'retry' : 'fail'),
	};
	const target: ServerTarget = { url: 'http://127.0.0.1:9/mcp' };
	return connectServer(target, { auth, startMs: 5000 });
}
