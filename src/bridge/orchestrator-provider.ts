/*
 * Translates MCP to orchestra.plugin.v1: each MCP request becomes one request of the
 * plugin protocol. A failed connection or an invalid response is an internal error
 * with its reason; a failed tool is a result.
 */
import { OrchestraError, requestOutcomeOf } from '../errors.ts';
import { resourceNotFound } from '../mcp/define/definition-provider.ts';
import type { CallContext } from '../mcp/server/call-context.ts';
import { answerBy, type CallAnswers } from '../mcp/server/methods.ts';
import type { Call, CallToolParams, Capability, GetPromptParams, Provider } from '../mcp/server/provider.ts';
import type { PluginClient } from '../plugin/client/plugin-client.ts';
import type { CallOptions } from '../plugin/client/unary-calls.ts';
import { expectKind, type RequestInit, type ResponseKind, type ResponseValue } from '../plugin/codec.ts';
import { argumentsIn, exactBytes } from '../plugin/exact-json.ts';
import { promptOf, promptResultOf, toolOf, toolResultOf } from '../plugin/mcp-translation.ts';
import { isMissingFile } from '../plugin/missing-file.ts';
import {
	STORED_MIME_TYPE,
	storedFolders,
	storedPath,
	storedResource,
	storedTemplates,
} from '../plugin/storage-resources.ts';
import type { Item, ItemKind } from '../protocol/item-lists.ts';
import type {
	Awaitable,
	CallToolResult,
	GetPromptResult,
	Prompt,
	ReadResourceResult,
	Resource,
	Result,
	Tool,
} from '../protocol/mcp-types.ts';
import { rpcError, rpcErrorOf } from '../rpc/rpc-error.ts';
import type { JsonObject } from '../wire/json.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import { BRIDGE_ID, ORCHESTRATOR_PROBE_MS, TOOL_CALL_MS } from './bridge-limits.ts';
import { lostMessage } from './error-responses.ts';

type Request = NonNullable<RequestInit['request']>;
/** The message of each kind of request; its response has the same kind. */
type RequestValues = { [Each in Request as NonNullable<Each['case']>]: Each['value'] };

export class OrchestratorProvider implements Provider {
	readonly answersAll = true;
	readonly info = { name: 'orchestra', version: '1.0.0' };
	readonly #client: PluginClient;
	readonly #sessionId: string;
	readonly #isExact: boolean;
	/** It reports no changes. */
	readonly capabilities: Promise<readonly Capability[]>;
	readonly #answers: CallAnswers = {
		'tools/call': (params, context) => this.#callTool(params, context),
		'prompts/get': (params, context) => this.#getPrompt(params, context),
		'resources/read': ({ uri }, context) => this.#readResource(uri, context),
	};

	/** @param isExact whether the orchestrator supports exact JSON */
	constructor(client: PluginClient, sessionId: string, isExact: boolean) {
		this.#client = client;
		this.#sessionId = sessionId;
		this.#isExact = isExact;
		this.capabilities = this.#probe();
	}

	list(kind: ItemKind, context: CallContext): Awaitable<readonly Item[]> {
		switch (kind) {
			case 'tools':
				return this.#listTools(context);
			case 'prompts':
				return this.#listPrompts(context);
			case 'resources':
				return this.#listResources(context);
			case 'templates':
				return storedTemplates;
			case 'skills':
				return [];
		}
	}

	request(call: Call): Awaitable<Result> {
		return answerBy(this.#answers, call);
	}

	async #listTools(context: CallContext): Promise<Tool[]> {
		const { tools } = await this.#ask('listTools', {}, { prefix: 'lt', context });
		return tools.map(toolOf).sort(byName);
	}

	async #callTool({ name, arguments: input }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		// It came from `JSON.parse`.
		const exact = argumentsIn(context.text, input as JsonObject);
		const { traceparent } = context.meta;
		const call = {
			toolName: name,
			arguments: exact.value,
			argumentsJson: exactBytes(exact, this.#isExact),
			callerPlugin: BRIDGE_ID,
			sessionId: this.#sessionId,
			traceParent: typeof traceparent === 'string' ? traceparent : '',
		};
		const options = { prefix: 'tc', context, timeoutMs: TOOL_CALL_MS };
		return toolResultOf(await this.#ask('toolCall', call, options));
	}

	async #listPrompts(context: CallContext): Promise<Prompt[]> {
		const { prompts } = await this.#ask('listPrompts', {}, { prefix: 'lp', context });
		return prompts.map(promptOf).sort(byName);
	}

	async #getPrompt(
		{ name, arguments: input }: GetPromptParams,
		context: CallContext,
	): Promise<GetPromptResult> {
		const request = { promptName: name, arguments: input };
		const found = await this.#ask('promptGet', request, { prefix: 'pg', context }).catch((error: unknown) => {
			throw isNotFound(error) ? noPrompt(name) : error;
		});
		if (found.messages.length === 0) throw noPrompt(name);
		return promptResultOf(found);
	}

	async #listResources(context: CallContext): Promise<Resource[]> {
		const lists = await Promise.all(storedFolders.map((prefix) => this.#stored(prefix, context)));
		return lists.flat().sort((one, other) => compare(one.uri, other.uri));
	}

	async #readResource(uri: string, context: CallContext): Promise<ReadResourceResult> {
		const path = storedPath(uri);
		if (path === undefined) throw resourceNotFound(uri);
		const found = await this.#ask('storageRead', { path }, { prefix: 'sr', context }).catch(
			(error: unknown) => {
				throw isNotFound(error) ? resourceNotFound(uri) : error;
			},
		);
		if (isMissingFile(found)) throw resourceNotFound(uri);
		const text = Buffer.from(found.content).toString('utf8');
		return { contents: [{ uri, mimeType: STORED_MIME_TYPE, text }] };
	}

	async #stored(prefix: string, context: CallContext): Promise<Resource[]> {
		const { entries } = await this.#ask('storageList', { prefix }, { prefix: `sl-${prefix}`, context });
		return entries.flatMap(
			({ path }) => storedResource(path.startsWith(`${prefix}/`) ? path : `${prefix}/${path}`) ?? [],
		);
	}

	/** One request, with an id derived from the client's, canceled when the client cancels. */
	async #ask<K extends ResponseKind & keyof RequestValues>(
		kind: K,
		value: RequestValues[K],
		{ prefix, context, timeoutMs }: { prefix: string; context: CallContext; timeoutMs?: number },
	): Promise<ResponseValue<K>> {
		const { id, signal } = context;
		const requestId = `stdio-${prefix}-${id.replaceAll('"', '')}`;
		return this.#send(kind, value, { requestId, signal, timeoutMs });
	}

	async #send<K extends ResponseKind & keyof RequestValues>(
		kind: K,
		value: RequestValues[K],
		{ requestId = '', ...options }: CallOptions & { requestId?: string },
	): Promise<ResponseValue<K>> {
		// The compiler cannot tie the case to the value through a type parameter.
		const request = { case: kind, value } as Request;
		try {
			return expectKind(await this.#client.send({ requestId, request }, options), kind);
		} catch (thrown) {
			throw internalError(thrown);
		}
	}

	/** Every orchestrator has tools; prompts and storage are probed once. */
	async #probe(): Promise<readonly Capability[]> {
		const options = { timeoutMs: ORCHESTRATOR_PROBE_MS };
		const [prompts, ...stored] = await Promise.allSettled([
			this.#send('listPrompts', {}, options),
			...storedFolders.map((prefix) => this.#send('storageList', { prefix }, options)),
		]);
		// An orchestrator without storage may answer with an empty list.
		const hasStored = stored.some((list) => list.status === 'fulfilled' && list.value.entries.length > 0);
		const hasPrompts = prompts.status === 'fulfilled' && prompts.value.prompts.length > 0;
		return [
			'tools',
			...(hasStored ? ['resources' as const] : []),
			...(hasPrompts ? ['prompts' as const] : []),
		];
	}
}

/** A broken connection or an invalid response is not the fault of the client's request. */
function internalError(thrown: unknown): OrchestraError {
	const error = OrchestraError.from(thrown);
	const { code } = error;
	const outcome = requestOutcomeOf(error) ?? (code === 'tool_failed' ? undefined : 'unknown');
	const isLost = code === 'closed' && outcome === 'unknown';
	const message = isLost ? lostMessage(error) : error.message;
	const wrapped = rpcError(rpcCodes.internal, message, { code, outcome });
	const rpc = rpcErrorOf(wrapped);
	return new OrchestraError('rpc', message, { cause: thrown, data: { rpc, reason: error.data['code'] } });
}

/** Whether the orchestrator reported "not found". */
function isNotFound(error: unknown): boolean {
	const reason = OrchestraError.is(error) ? error.data['reason'] : undefined;
	return typeof reason === 'string' && reason.endsWith('not_found');
}

function noPrompt(name: string): OrchestraError {
	return rpcError(rpcCodes.invalidParams, `Unknown prompt: ${name}`);
}

function byName(one: { name: string }, other: { name: string }): number {
	return compare(one.name, other.name);
}

function compare(one: string, other: string): number {
	return one < other ? -1 : Number(one > other);
}
