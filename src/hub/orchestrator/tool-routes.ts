/*
 * Handlers for tools, prompts and streams of the plugin protocol.
 *
 * A call of a plugin's tool is forwarded unchanged. A tool of another backend is called
 * through the hub, and its result is translated. AI plugins are selected by the provider
 * in the request.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { OrchestraError, toolFailure } from '../../errors.ts';
import { CallContext, type ClientConnection } from '../../mcp/server/call-context.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
import { readExact } from '../../plugin/exact-json.ts';
import type {
	PluginResponse,
	ToolRequest,
	ToolResponseSchema,
} from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers, ServerCall, StreamingCall } from '../../plugin/server/handlers.ts';
import { isInputRequired, type Result } from '../../protocol/mcp-types.ts';
import { negotiate } from '../../protocol/revisions.ts';
import { IncomingCall } from '../../rpc/incoming-call.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { PluginBackend } from '../backends/plugin-backend.ts';
import type { Hub } from '../hub.ts';
import { withDownReasons } from '../hub-offer.ts';
import { DEFAULT_PROVIDER } from '../names.ts';
import { publishedTool } from '../published-tools.ts';
import type { RecordedCall } from '../recorded-call.ts';

/** Providers that use the API of another one. */
const aliases: ReadonlyMap<string, string> = new Map(
	['grok', 'perplexity', 'deepseek', 'qwen', 'kimi'].map((name) => [name, 'openai']),
);

/** The error code of a call that the policy refused. */
const DENIED = 'denied_by_policy';

type Routes = Pick<PluginHandlers, 'listTools' | 'toolCall' | 'listPrompts' | 'promptGet' | 'streamStart'>;
type ToolResponseInit = MessageInitShape<typeof ToolResponseSchema>;

export function toolRoutes(hub: () => Hub): Routes {
	return {
		async listTools(_request, call) {
			const tools = await hub().listToolsFor(callerName(call));
			return {
				tools: tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })),
			};
		},
		toolCall: (request, call) => callTool(hub(), request, call),
		async listPrompts() {
			const prompts = await hub().listPrompts();
			return {
				prompts: prompts.map(({ name, description = '', arguments: given = [] }) => ({
					name,
					description,
					arguments: given.map((argument) => ({ description: '', required: false, ...argument })),
				})),
			};
		},
		async promptGet({ promptName: name, arguments: input }, call) {
			const result = await hub().getPrompt({ name, arguments: input }, contextOf(call));
			if (isInputRequired(result))
				throw new OrchestraError(
					'bad_input',
					`the prompt ${name} needs answers that this protocol cannot carry`,
				);
			return {
				description: typeof result.description === 'string' ? result.description : '',
				messages: result.messages.map(({ role, content }) => ({
					role,
					content: {
						type: content.type,
						text: content.type === 'text' ? content.text : JSON.stringify(content),
					},
				})),
			};
		},
		streamStart: (request, call) => relayStream(hub(), request, call),
	};
}

async function callTool(hub: Hub, request: ToolRequest, call: ServerCall): Promise<ToolResponseInit> {
	const plugin = await pluginFor(hub, request);
	if (!plugin) return callThroughHub(hub, request, call);
	const { value } = hub.hasPolicy
		? readExact(request.arguments, request.argumentsJson)
		: { value: request.arguments };
	const entry = await toolEntry(hub, plugin, { ...request, arguments: value }, call);
	const refuse = (errorMessage: string): ToolResponseInit => ({
		success: false,
		errorCode: DENIED,
		errorMessage,
	});
	const forward = (): Promise<ToolResponseInit> => {
		const traceParent = entry.context?.tracer?.sent();
		const sent = traceParent === undefined ? request : { ...request, traceParent };
		return plugin.forwardTool(sent, call.signal);
	};
	return hub.record(entry, forward, refuse);
}

/**
 * The plugin for a request: that of the named provider, that of the default provider, else the plugin that lists the
 * tool. A call to a plugin that is down is routed to it too: the plugin may be restarting, and its error has the
 * reason.
 */
async function pluginFor(
	hub: Hub,
	{ toolName, provider }: Pick<ToolRequest, 'toolName' | 'provider'>,
): Promise<PluginBackend | undefined> {
	const plugins = hub.backends.filter((backend) => backend instanceof PluginBackend);
	const listing = plugins.filter((plugin) => plugin.lists(toolName));
	const known = listing.find(({ providesAi }) => providesAi.includes(DEFAULT_PROVIDER)) ?? listing[0];
	// A tool of a plugin without AI does not wait for the plugin of the default provider.
	if (known && provider === '' && known.providesAi.length === 0) return known;
	for (const wanted of [provider, aliases.get(provider), DEFAULT_PROVIDER]) {
		const found = plugins.find(({ providesAi }) => wanted !== undefined && providesAi.includes(wanted));
		if (found && (await offers(found, toolName))) return found;
	}
	if (known) return known;
	if (await hub.hasTool(toolName)) return plugins.find((plugin) => plugin.lists(toolName));
	const down = plugins.find((plugin) => plugin.hasDownTool(toolName));
	if (down) return down;
	const whom = provider === '' ? '' : ` for provider "${provider}"`;
	const sentence = `no plugin provides tool "${toolName}"${whom}`;
	throw toolFailure(withDownReasons(sentence, hub.backends, toolName), { code: 'tool_not_found' });
}

async function offers(plugin: PluginBackend, toolName: string): Promise<boolean> {
	// A plugin that is down has no tools; its supervisor restarts it.
	await plugin.listTools().catch(() => []);
	return plugin.lists(toolName);
}

async function callThroughHub(hub: Hub, request: ToolRequest, call: ServerCall): Promise<ToolResponseInit> {
	const { value } = readExact(request.arguments, request.argumentsJson);
	const result = await hub.callTool(
		{ name: request.toolName, arguments: value },
		contextOf(call, request.traceParent),
	);
	if (isInputRequired(result))
		throw toolFailure(`${request.toolName} needs answers that this protocol cannot carry`, {
			code: 'input_required',
		});
	const text = textOf(result);
	if (result.isError === true) return { success: false, errorCode: 'tool_error', errorMessage: text };
	return { success: true, result: structured(result) ?? { text } };
}

function textOf({ content }: Result): string {
	const blocks: unknown[] = Array.isArray(content) ? content : [];
	return blocks
		.map((block) =>
			isObject(block) && typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block),
		)
		.join('\n');
}

function structured({ structuredContent }: Result): JsonObject | undefined {
	// It came from a JSON message.
	return isObject(structuredContent) ? (structuredContent as JsonObject) : undefined;
}

/** Forward the chunks of a stream; cancellation is forwarded to the plugin. */
async function relayStream(
	hub: Hub,
	request: Parameters<NonNullable<PluginHandlers['streamStart']>>[0],
	call: StreamingCall,
): Promise<void> {
	const plugin = await pluginFor(hub, { toolName: request.toolName, provider: '' });
	if (!plugin)
		throw toolFailure(`no plugin provides the streaming tool "${request.toolName}"`, {
			code: 'tool_not_found',
		});
	const entry = await toolEntry(hub, plugin, { ...request, callerPlugin: '' }, call);
	const refuse = (text: string): never => {
		throw toolFailure(text, { code: DENIED });
	};
	const stream = async ({ client }: PluginProcess): Promise<object> => {
		const sent = { request: { case: 'streamStart', value: request } } as const;
		await forwardChunks(client.sendStream(sent, { signal: call.signal }), call);
		return {};
	};
	await hub.record(entry, () => plugin.use(stream), refuse);
}

async function forwardChunks(stream: AsyncIterable<PluginResponse>, call: StreamingCall): Promise<void> {
	for await (const { response } of stream) {
		if (response.case === 'streamChunk') await call.chunk(response.value.data, response.value.contentType);
		else if (response.case === 'streamEnd' && !response.value.success) {
			throw toolFailure(response.value.errorMessage, { code: response.value.errorCode });
		} else if (response.case === 'toolCall')
			throw toolFailure(response.value.errorMessage, { code: response.value.errorCode });
	}
}

/**
 * The entry of a call that is forwarded to a plugin. With a policy it has the name that clients see, and the name of
 * the certificate as its client: the name in the request is a claim.
 */
async function toolEntry(
	hub: Hub,
	plugin: PluginBackend,
	request: Pick<ToolRequest, 'toolName' | 'callerPlugin'> & {
		arguments?: JsonObject | undefined;
		traceParent?: string;
	},
	call: ServerCall,
): Promise<RecordedCall> {
	const { toolName, callerPlugin, arguments: input = {} } = request;
	const context = contextOf(call, request.traceParent);
	const base = { method: 'tools/call', backend: plugin, arguments: input, context };
	if (!hub.hasPolicy) return { ...base, name: toolName, client: callerPlugin || call.peer.name };
	const { name = toolName, tool } = (await publishedTool(hub, plugin, toolName)) ?? {};
	return { ...base, name, tool, client: callerName(call) };
}

/** The name of the plugin in the certificate of its link. */
function callerName({ peer }: ServerCall): string {
	return peer.name.replace(/-client$/, '');
}

/** The context of a call without an MCP client: it can be canceled, but not ask or notify. */
function contextOf(call: ServerCall, traceParent = ''): CallContext {
	const incoming = new IncomingCall(call.requestId, 'tools/call', {});
	call.signal.addEventListener('abort', () => incoming.cancel('the caller gave up'), { once: true });
	const clientInfo = { name: callerName(call), version: '1' };
	const meta = traceParent === '' ? {} : { traceparent: traceParent };
	return new CallContext({ ...noClient, clientInfo }, incoming, meta);
}

const noClient: Omit<ClientConnection, 'clientInfo'> = {
	revision: negotiate(undefined),
	capabilities: {},
	sessionId: '',
	logLevel: () => undefined,
	notify: () => {},
};
