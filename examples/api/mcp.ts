/* `orchestra-hub/mcp`: an MCP server with everything that one can have, and a client that uses it. With the argument `serve` it is the server. */
import { ok } from 'node:assert/strict';
import {
	type Call,
	type CallContext,
	type CallProgress,
	type CallToolResult,
	type Change,
	type ClientHandlers,
	type CompleteResult,
	type CompletionQuery,
	type ConnectServerOptions,
	type ContentBlock,
	type CreateMessageParams,
	type CreateMessageResult,
	connectServer,
	type ElicitParams,
	type ElicitResult,
	type GetPromptResult,
	type HttpAuth,
	type Implementation,
	type InferInput,
	Log,
	type McpCallOptions,
	type McpClient,
	type McpClientOptions,
	OrchestraError,
	type Prompt,
	type PromptDefinition,
	type Provider,
	provide,
	type ReadResourceResult,
	type RemoteTarget,
	type Resource,
	type ResourceContent,
	type ResourceDefinition,
	type ResourceTemplate,
	rpcError,
	type ServeMcpOptions,
	type ServerDefinition,
	type ServerLogMessage,
	type ServerTarget,
	type StandardSchema,
	serve,
	serveProvider,
	type TemplateDefinition,
	type Tool,
	type ToolAnnotations,
	type ToolDefinition,
	type ToolFailureDetails,
	type ToolReturn,
	toolFailure,
	type Unauthorized,
} from 'orchestra-hub/mcp';

const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const readOnly: ToolAnnotations = { readOnlyHint: true };
const greet: ToolDefinition<typeof nameSchema> = {
	description: 'Greet a user',
	annotations: readOnly,
	input: nameSchema,
	run({ name }: InferInput<typeof nameSchema>, context: CallContext): ToolReturn<unknown> {
		const details: ToolFailureDetails = { hint: 'Give a name.' };
		if (name === '') throw toolFailure('the name is empty', details);
		context.progress(1, 1);
		return `Hello, ${name}!`;
	},
};

/** A schema of your own library: anything with `~standard` validates. */
const anyObject: StandardSchema = {
	'~standard': {
		version: 1,
		vendor: 'example',
		validate: (value) => (typeof value === 'object' ? { value } : { issues: [{ message: 'not an object' }] }),
		jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
	} as StandardSchema['~standard'],
};
const careful: ToolDefinition<typeof anyObject> = {
	input: anyObject,
	run: async (_input, context) => {
		const question: ElicitParams = {
			message: 'Sure?',
			requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
		};
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
const info: Implementation = { name: 'one-tool', version: '1.0.0' };
const oneTool: Provider = {
	info,
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
else if (process.argv[2] === 'provide') await serveProvider(provide(definition), options);
else if (process.argv[2] === 'ping') await serveProvider(oneTool, options);
else await useServers();

async function useServers(): Promise<void> {
	const handlers: ClientHandlers = {
		elicit: async (): Promise<ElicitResult> => ({ action: 'accept', content: { sure: true } }),
		sample: async ({ messages }: CreateMessageParams): Promise<CreateMessageResult> => ({
			role: 'assistant',
			content: { type: 'text', text: `${messages.length}` },
			model: 'mine',
		}),
	};
	const settings: McpClientOptions = { ...handlers, clientInfo: { name: 'example', version: '1.0.0' } };
	const connection: ConnectServerOptions = { ...settings, stderr: 'discard' };
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

	const seen: (CallProgress | ServerLogMessage)[] = [];
	const call: McpCallOptions = {
		onProgress: (progress) => seen.push(progress),
		onLog: (line) => seen.push(line),
	};
	const greeting: CallToolResult = await client.callTool('greet', { name: 'Ada' }, call);
	ok(JSON.stringify(greeting.content).includes('Hello, Ada!') && seen.length === 1);
	ok(JSON.stringify(await client.callTool('careful')).includes('done'));

	const read: ReadResourceResult = await client.readResource('note://today');
	const [content]: readonly ResourceContent[] = read.contents;
	ok(content?.text === 'Water the plants.');
	const prompt: GetPromptResult = await client.getPrompt('review', { file: 'a.ts' });
	ok(prompt.messages.length === 1);
	const query: CompletionQuery = {
		ref: { type: 'ref/resource', uri: 'note://by-id/{id}' },
		argument: { name: 'id', value: '' },
	};
	const completed: CompleteResult['completion'] = await client.complete(query);
	ok(completed.values.join() === '1,2');
	await client.close();
}

/** A remote server; here nothing listens there. */
async function connectRemote(): Promise<McpClient> {
	const auth: HttpAuth = {
		token: async () => 'a token',
		onUnauthorized: async ({ status }: Unauthorized) => (status === 401 ? 'retry' : 'fail'),
	};
	const target: RemoteTarget = { url: 'http://127.0.0.1:9/mcp' };
	return connectServer(target, { auth, startMs: 5000 });
}
