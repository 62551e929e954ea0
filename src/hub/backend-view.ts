/*
 * One backend of a hub as a provider: only its tools, prompts and resources, under its
 * own names. Calls are recorded in the journal as those of the hub are.
 *
 * The backend is looked up for each request, because a change of the configuration
 * replaces it.
 */

import { OrchestraError } from '../errors.ts';
import { resourceNotFound } from '../mcp/define/defined-provider.ts';
import { failure } from '../mcp/define/defined-results.ts';
import type { CallContext, ClientConnection } from '../mcp/server/call-context.ts';
import { after } from '../mcp/server/methods.ts';
import type {
	CallToolParams,
	Change,
	CompleteParams,
	GetPromptParams,
	Provider,
	RootsClient,
} from '../mcp/server/provider.ts';
import type {
	Awaitable,
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	Implementation,
	InputRequired,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	ServerCapabilities,
	Tool,
} from '../protocol/mcp-types.ts';
import { rpcError } from '../rpc/rpc-error.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import type { Backend } from './backends/backend.ts';
import type { Hub } from './hub.ts';
import { publishedTool, shownTools } from './published-tools.ts';
import { clientName, type RecordedCall } from './recorded-call.ts';

export class BackendView implements Provider {
	readonly info: Implementation;
	readonly #hub: Hub;
	readonly #id: string;
	/** The last lists that clients got, to notify them of real changes only. */
	readonly #given = new Map<Change['kind'], readonly unknown[]>();

	constructor(hub: Hub, id: string) {
		this.#hub = hub;
		this.#id = id;
		this.info = { name: id, version: hub.info.version };
	}

	/** False when the configuration no longer has this backend. */
	get exists(): boolean {
		return this.#hub.backends.some(({ id }) => id === this.#id);
	}

	get instructions(): Awaitable<string | undefined> {
		return this.#backend().instructions?.();
	}

	capabilities(): ServerCapabilities {
		const backend = this.#backend();
		return {
			...(backend.listTools ? { tools: { listChanged: true } } : {}),
			...(backend.listPrompts ? { prompts: { listChanged: true } } : {}),
			...(backend.readResource ? { resources: { listChanged: true, subscribe: true } } : {}),
			...(backend.complete ? { completions: {} } : {}),
			logging: {},
		};
	}

	listTools(context?: CallContext): Awaitable<readonly Tool[]> {
		const list = this.#list('tools', (backend) => backend.listTools?.(), byName);
		if (!this.#hub.hasPolicy) return list;
		const viewer = { backend: this.#backend(), client: context ? clientName(context) : '' };
		return after(list, (tools) => shownTools(this.#hub, viewer, tools));
	}

	callTool(params: CallToolParams, context: CallContext): Awaitable<CallToolResult | InputRequired> {
		const backend = this.#backend();
		const { name } = params;
		return after(backend.listTools?.() ?? [], (tools) => {
			const isKnown = tools.some((tool) => tool.name === name) || backend.hasDownTool?.(name) === true;
			if (!isKnown) throw this.#unknown(backend.unlistedReason?.(name) ?? `Unknown tool: ${name}`);
			return this.#hub.hasPolicy
				? this.#callPublished(params, context)
				: this.#hub.record(this.#toolEntry(params, context), () => backend.callTool?.(params, context));
		});
	}

	/** A policy has the names that clients of the whole hub see. */
	async #callPublished(
		params: CallToolParams,
		context: CallContext,
	): Promise<CallToolResult | InputRequired> {
		const backend = this.#backend();
		const published = await publishedTool(this.#hub, backend, params.name);
		const entry = { ...this.#toolEntry(params, context), ...published };
		return this.#hub.record(entry, () => backend.callTool?.(params, context), failure);
	}

	#toolEntry({ name, arguments: input }: CallToolParams, context: CallContext): RecordedCall {
		const client = clientName(context);
		return { method: 'tools/call', name, backend: this.#backend(), client, context, arguments: input };
	}

	listPrompts(): Awaitable<readonly Prompt[]> {
		return this.#list('prompts', (backend) => backend.listPrompts?.(), byName);
	}

	getPrompt(params: GetPromptParams, context: CallContext): Awaitable<GetPromptResult | InputRequired> {
		const backend = this.#backend();
		const { name } = params;
		return after(backend.listPrompts?.() ?? [], (prompts) => {
			if (!prompts.some((prompt) => prompt.name === name)) throw this.#unknown(`Unknown prompt: ${name}`);
			return this.#record('prompts/get', name, context, () => backend.getPrompt?.(params, context));
		});
	}

	listResources(): Awaitable<readonly Resource[]> {
		return this.#list('resources', (backend) => backend.listResources?.(), byUri);
	}

	listResourceTemplates(): Awaitable<readonly ResourceTemplate[]> {
		return after(this.#backend().listResourceTemplates?.() ?? [], (templates) =>
			[...templates].sort((one, other) => (one.uriTemplate < other.uriTemplate ? -1 : 1)),
		);
	}

	readResource(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired> {
		const backend = this.#backend();
		if (!backend.readResource) throw resourceNotFound(uri);
		return this.#record('resources/read', uri, context, () => backend.readResource?.(uri, context));
	}

	complete(params: CompleteParams, context: CallContext): Awaitable<CompleteResult> {
		return (
			this.#backend().complete?.(params, context) ?? { completion: { values: [], total: 0, hasMore: false } }
		);
	}

	subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		return this.#hub.subscribeResource(uri, isSubscribed, client);
	}

	rootsChanged(client: RootsClient): void {
		this.#backend().rootsChanged?.(client);
	}

	sessionOpened(sessionId: string, transport?: string): void {
		this.#hub.sessionOpened(sessionId, transport);
	}

	clientConnected(client: ClientConnection): void {
		this.#hub.clientConnected(client);
	}

	logLevelChanged(client: ClientConnection): void {
		this.#hub.logLevelChanged(client);
	}

	sessionClosed(sessionId: string): void {
		this.#hub.sessionClosed(sessionId);
	}

	onChange(listener: (change: Change) => void): () => void {
		return this.#hub.onChange((change) => this.#onChange(change, listener));
	}

	#backend(): Backend {
		const backend = this.#hub.backends.find(({ id }) => id === this.#id);
		if (backend) return backend;
		throw new OrchestraError('not_found', `the configuration no longer has ${this.#id}`, {
			hint: 'Add it again, or connect to another server.',
		});
	}

	#list<T>(
		kind: Change['kind'],
		list: (backend: Backend) => Awaitable<readonly T[]> | undefined,
		isBefore: (one: T, other: T) => number,
	): Awaitable<readonly T[]> {
		return after(list(this.#backend()) ?? [], (items) => {
			this.#given.set(kind, items);
			return [...items].sort(isBefore);
		});
	}

	/** The hub reports a change of any backend. */
	#onChange(change: Change, listener: (change: Change) => void): void {
		if (change.kind === 'log') return void (change.source === this.#id && listener(change));
		const given = this.#given.get(change.kind);
		if (change.kind === 'resource' || change.kind === 'resources' || given === undefined || !this.exists)
			return listener(change);
		const backend = this.#backend();
		const items = change.kind === 'tools' ? backend.listTools?.() : backend.listPrompts?.();
		void Promise.resolve(items).then(
			(now = []) => isSameList(given, now) || listener(change),
			() => listener(change), // a list that cannot be compared may have changed
		);
	}

	#record<T extends object>(
		method: string,
		name: string,
		context: CallContext,
		call: () => Awaitable<T> | undefined,
	): Awaitable<T> {
		return this.#hub.record(
			{ method, name, backend: this.#backend(), client: clientName(context), context },
			call,
		);
	}

	#unknown(sentence: string): OrchestraError {
		return rpcError(rpcCodes.invalidParams, sentence);
	}
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
	return one.length === other.length && one.every((item, at) => item === other[at]);
}

function byName(one: { name: string }, other: { name: string }): number {
	return one.name < other.name ? -1 : 1;
}

function byUri(one: { uri: string }, other: { uri: string }): number {
	return one.uri < other.uri ? -1 : 1;
}
