/* The protocol handlers of a plugin definition. */

import { type OrchestraError, toolFailure } from '../../errors.ts';
import { jsonSchemaOf } from '../../schema/standard-schema.ts';
import { isObject, type JsonObject, ownEntry } from '../../wire/json.ts';
import type { Orchestrator } from '../client/orchestrator-client.ts';
import { type ExactObject, exactBytes, exactText, parseExact, readExact } from '../exact-json.ts';
import { EXACT_JSON } from '../features.ts';
import type { PluginHandlers, ServerCall } from '../server/handlers.ts';
import type {
	ExactResult,
	PluginCall,
	PluginDefinition,
	PluginResult,
	PromptMessage,
} from './plugin-definition.ts';

const ANY_OBJECT: JsonObject = { type: 'object' };

export interface PluginHooks {
	orchestrator: Orchestrator;
	/** Run the shutdown hook, then stop. Resolves with false when the hook threw. */
	shutDown: () => Promise<boolean>;
}

/** A result with exact digits, from the JSON text of an object. Throws `bad_input`. */
export function exactResult(text: string): ExactResult {
	return { exact: parseExact(text) };
}

/** The handlers for all requests of the orchestrator. */
export function pluginHandlers(plugin: PluginDefinition, hooks: PluginHooks): PluginHandlers {
	const { tools = {}, streamingTools = {} } = plugin;
	const peers: PeerFeatures = new Map();
	return {
		...plugin.storage,
		...lifecycle(plugin, hooks, peers),
		listTools: () => ({
			tools: Object.entries({ ...tools, ...streamingTools }).map(([name, tool]) => ({
				name,
				description: tool.description,
				inputSchema:
					tool.inputSchema === undefined ? ANY_OBJECT : jsonSchemaOf(tool.inputSchema, 'input', name),
			})),
		}),
		async toolCall(request, call) {
			const tool = ownEntry(tools, request.toolName);
			if (!tool) throw notFound('tool', request.toolName);
			const input = readExact(request.arguments, request.argumentsJson);
			const result = resultOf(await tool.run(input.value, describe(input, request, { call, hooks })));
			return {
				success: true,
				result: result.value,
				resultJson: exactBytes(
					result,
					request.argumentsJson.length > 0 || peers.get(call.peer.name)?.includes(EXACT_JSON) === true,
				),
			};
		},
		async streamStart(request, call) {
			const tool = ownEntry(streamingTools, request.toolName);
			if (!tool) throw notFound('streaming tool', request.toolName);
			const input = { value: request.arguments ?? {} };
			for await (const chunk of tool.run(input.value, describe(input, request, { call, hooks }))) {
				const isText = typeof chunk === 'string';
				const isBytes = chunk instanceof Uint8Array;
				const data = isBytes ? chunk : Buffer.from(isText ? chunk : JSON.stringify(chunk));
				await call.chunk(data, tool.contentType ?? (isText || isBytes ? 'text/plain' : 'application/json'));
			}
		},
		...promptHandlers(plugin, hooks),
	};
}

function promptHandlers({ prompts = {} }: PluginDefinition, hooks: PluginHooks): PluginHandlers {
	return {
		listPrompts: () => ({
			prompts: Object.entries(prompts).map(([name, prompt]) => ({
				name,
				description: prompt.description,
				arguments: prompt.arguments ?? [],
			})),
		}),
		async promptGet(request, call) {
			const prompt = ownEntry(prompts, request.promptName);
			if (!prompt) throw notFound('prompt', request.promptName);
			const input = { value: request.arguments };
			const rendered = await prompt.render(request.arguments, describe(input, {}, { call, hooks }));
			const messages: PromptMessage[] =
				typeof rendered === 'string' ? [{ role: 'user', text: rendered }] : rendered;
			return {
				description: prompt.description,
				messages: messages.map(({ role, text }) => ({ role, content: { type: 'text', text } })),
			};
		},
	};
}

function lifecycle(plugin: PluginDefinition, hooks: PluginHooks, peers: PeerFeatures): PluginHandlers {
	return {
		register(manifest, call) {
			peers.set(call.peer.name, manifest.features);
			// Only hubs serve tunnels.
			return { accepted: true, features: [EXACT_JSON] };
		},
		async boot({ config }) {
			await plugin.onBoot?.(config, hooks.orchestrator);
			return { ready: true };
		},
		publish: ({ topic, eventType, payload = {}, sourcePlugin }) =>
			plugin.onEvent?.({ topic, eventType, payload, sourcePlugin }, hooks.orchestrator),
		shutdown: async () => ({ clean: await hooks.shutDown() }),
	};
}

/** The features of each peer, by the name in its certificate. */
type PeerFeatures = Map<string, readonly string[]>;

function describe(
	input: ExactObject,
	from: { callerPlugin?: string; sessionId?: string; provider?: string },
	{ call, hooks }: { call: ServerCall; hooks: PluginHooks },
): PluginCall {
	return {
		get inputText() {
			return exactText(input);
		},
		get signal() {
			return call.signal;
		},
		caller: from.callerPlugin ?? '',
		sessionId: from.sessionId ?? '',
		provider: from.provider ?? '',
		orchestrator: hooks.orchestrator,
	};
}

function resultOf(result: PluginResult): ExactObject {
	if (typeof result === 'string') return { value: { text: result } };
	const given: unknown = result;
	// The type demands a string or an object; JavaScript code may return anything.
	if (!isObject(given)) return { value: given === undefined ? {} : { text: JSON.stringify(given) } };
	// Encoding fails with a reason for values that are not JSON.
	return isExactResult(given) ? given.exact : { value: given as JsonObject };
}

function isExactResult(result: object): result is ExactResult {
	const exact: unknown = Reflect.get(result, 'exact');
	return isObject(exact) && 'value' in exact && Object.keys(result).length === 1;
}

function notFound(what: string, name: string): OrchestraError {
	return toolFailure(`${what} "${name}" not found`, { code: `${what.replace('streaming ', '')}_not_found` });
}
