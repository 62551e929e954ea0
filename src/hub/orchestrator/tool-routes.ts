/*
 * Handlers for tools, prompts and streams of the plugin protocol.
 *
 * A call of a plugin's tool is forwarded unchanged. A tool of another source is called
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
import { answerValue, type GetPromptResult, isInputRequired, type Result } from '../../protocol/mcp-types.ts';
import { negotiate } from '../../protocol/revisions.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { HubCall, type OtherWay } from '../calls/hub-call.ts';
import { withDownReasons } from '../catalogue/targets.ts';
import type { Hub } from '../hub.ts';
import { publishedTarget } from '../one-source.ts';
import { PluginSource } from '../sources/plugin-source.ts';

/** The provider for a named one that no plugin serves. */
const DEFAULT_PROVIDER = 'claude';

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
			const prompts = await hub().list('prompts');
			return {
				prompts: prompts.map(({ name, description = '', arguments: given = [] }) => ({
					name,
					description,
					arguments: given.map((argument) => ({ description: '', required: false, ...argument })),
				})),
			};
		},
		async promptGet({ promptName: name, arguments: input }, call) {
			const isKnown = (await hub().list('prompts')).some((prompt) => prompt.name === name);
			if (!isKnown) throw toolFailure(`no plugin provides prompt "${name}"`, { code: 'prompt_not_found' });
			const answer = await hub().request({
				method: 'prompts/get',
				params: { name, arguments: input },
				context: contextOf(call),
			});
			const result = answerValue(answer);
			if (isInputRequired(result))
				throw new OrchestraError(
					'bad_input',
					`the prompt ${name} needs answers that this protocol cannot carry`,
				);
			// The result of `prompts/get`.
			const { description, messages } = result as GetPromptResult;
			return {
				description: typeof description === 'string' ? description : '',
				messages: messages.map(({ role, content }) => ({
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
	const context = contextOf(call, request.traceParent);
	const way: OtherWay = {
		refuse: (errorMessage): ToolResponseInit => ({ success: false, errorCode: DENIED, errorMessage }),
		send() {
			const traceParent = context.tracer?.sent();
			const sent = traceParent === undefined ? request : { ...request, traceParent };
			return plugin.forwardTool(sent, call.signal);
		},
	};
	const forwarded = { ...request, arguments: value, plugin, context, call, way };
	return sendBy(hub, forwarded);
}

/**
 * The plugin for a request: with a provider its AI plugin, else the plugin without AI that lists the tool. A call to a
 * plugin that is down is routed to it too: the plugin may be restarting, and its error has the reason.
 */
async function pluginFor(
	hub: Hub,
	{ toolName, provider }: Pick<ToolRequest, 'toolName' | 'provider'>,
): Promise<PluginSource | undefined> {
	const plugins = hub.sources.filter((source) => source instanceof PluginSource);
	const wanted = provider === '' ? [] : [provider, aliases.get(provider), DEFAULT_PROVIDER];
	for (const name of wanted) {
		const found = plugins.find(({ providesAi }) => name !== undefined && providesAi.includes(name));
		if (found && (await hasTool(found, toolName))) return found;
	}
	const lists = (plugin: PluginSource): boolean => !plugin.isAi && plugin.lists(toolName);
	const known = plugins.find(lists);
	if (known) return known;
	if (await hub.hasTool(toolName)) return plugins.find(lists);
	const down = plugins.find((plugin) => !plugin.isAi && plugin.hasDownTool(toolName));
	if (down) return down;
	const whom = provider === '' ? '' : ` for provider "${provider}"`;
	const sentence = `no plugin provides tool "${toolName}"${whom}`;
	throw toolFailure(withDownReasons(sentence, hub.sources, toolName), { code: 'tool_not_found' });
}

async function hasTool(plugin: PluginSource, toolName: string): Promise<boolean> {
	// A plugin that is down has no tools; its supervisor restarts it.
	await plugin.list('tools').catch(() => []);
	return plugin.lists(toolName);
}

async function callThroughHub(hub: Hub, request: ToolRequest, call: ServerCall): Promise<ToolResponseInit> {
	const { value } = readExact(request.arguments, request.argumentsJson);
	const answer = await hub.request({
		method: 'tools/call',
		params: { name: request.toolName, arguments: value },
		context: contextOf(call, request.traceParent),
	});
	const result = answerValue(answer);
	if (isInputRequired(result))
		throw toolFailure(`${request.toolName} needs answers that this protocol cannot carry`, {
			code: 'input_required',
		});
	const text = textOf(result);
	if (result.isError === true) return { success: false, errorCode: 'tool_error', errorMessage: text };
	const { structuredContent } = result;
	// It came from a JSON message.
	return {
		success: true,
		result: isObject(structuredContent) ? (structuredContent as JsonObject) : { text },
	};
}

function textOf({ content }: Result): string {
	const blocks: unknown[] = Array.isArray(content) ? content : [];
	return blocks
		.map((block) =>
			isObject(block) && typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block),
		)
		.join('\n');
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
	const stream = async ({ client }: PluginProcess): Promise<object> => {
		const sent = { request: { case: 'streamStart', value: request } } as const;
		await forwardChunks(client.sendStream(sent, { signal: call.signal }), call);
		return {};
	};
	const way: OtherWay = {
		send: () => plugin.use(stream),
		refuse(text) {
			throw toolFailure(text, { code: DENIED });
		},
	};
	await sendBy(hub, { ...request, callerPlugin: '', plugin, context: contextOf(call), call, way });
}

async function forwardChunks(stream: AsyncIterable<PluginResponse>, call: StreamingCall): Promise<void> {
	for await (const { response } of stream) {
		if (response.case === 'streamChunk') await call.chunk(response.value.data, response.value.contentType);
		else if (response.case === 'toolCall' || (response.case === 'streamEnd' && !response.value.success))
			throw toolFailure(response.value.errorMessage, { code: response.value.errorCode });
	}
}

/** A call that is forwarded to a plugin in its own protocol. */
interface ForwardedCall extends Pick<ToolRequest, 'toolName' | 'callerPlugin'> {
	readonly arguments?: JsonObject | undefined;
	readonly plugin: PluginSource;
	readonly context: CallContext;
	readonly call: ServerCall;
	readonly way: OtherWay;
}

/**
 * Make it, as every call of the hub. With a policy it has the name that clients see, and the name of the certificate
 * as its client: the name in the request is a claim.
 */
async function sendBy(hub: Hub, forwarded: ForwardedCall): Promise<Result> {
	const { toolName: name, callerPlugin, plugin: source, context, call, way } = forwarded;
	const client = hub.hasPolicy ? callerName(call) : callerPlugin || call.peer.name;
	const params = { name, arguments: forwarded.arguments ?? {} };
	const made = new HubCall({ method: 'tools/call', params, context }, client);
	const found = hub.hasPolicy ? await publishedTarget(hub, source, name) : { source, name };
	made.target = { ...found, way };
	return answerValue(await hub.send(made));
}

/** The name of the plugin in the certificate of its link. */
export function callerName({ peer }: ServerCall): string {
	return peer.name.replace(/-client$/, '');
}

/** The context of a call without an MCP client: it can be canceled, but not ask or notify. */
function contextOf(call: ServerCall, traceParent = ''): CallContext {
	const incoming = new IncomingCall(JSON.stringify(call.requestId), 'tools/call', {});
	onAbort(call.signal, () => incoming.cancel('the caller gave up'));
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
