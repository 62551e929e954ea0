/*
 * The hub: one catalogue over all backends and one router to them, for any number of
 * clients. It is the provider of the MCP sessions.
 *
 * A call is routed once and never repeated: when its backend dies during the call, the
 * error says that the outcome is unknown.
 */

import { messageOf, type OrchestraError } from '../errors.ts';
import { packageVersion } from '../files/package-version.ts';
import { Log } from '../log.ts';
import { resourceNotFound } from '../mcp/define/defined-provider.ts';
import type { CallContext } from '../mcp/server/call-context.ts';
import { after } from '../mcp/server/methods.ts';
import type {
	CallToolParams,
	Change,
	CompleteParams,
	GetPromptParams,
	Provider,
} from '../mcp/server/provider.ts';
import { ResourceSubscriptions } from '../mcp/server/resource-subscriptions.ts';
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
import type { Backend, OwnedProcess } from './backends/backend.ts';
import { Catalogue } from './catalogue.ts';
import { type Journal, journaled, noJournal } from './journal.ts';
import { qualifiedName } from './names.ts';
import { clientName, missing, type RecordedCall } from './recorded-call.ts';
import { resourceOwner, templateOwner } from './resource-owner.ts';
import type { BigResults } from './results/big-results.ts';
import { SessionEnds } from './session-ends.ts';

/** Options of a `Hub`. */
export interface HubOptions {
	backends?: readonly Backend[];
	log?: Log;
	journal?: Journal;
	/** How long a list waits for a backend that has not answered, in milliseconds. Default 2 s. */
	listWaitMs?: () => number | undefined;
	/** Shortens large results; one of `backends`. Default: results of any size are sent. */
	results?: BigResults;
}

/** A provider over many backends. `close` it to stop their processes. */
export class Hub implements Provider {
	/** The name and version that clients see. */
	readonly info: Implementation = { name: 'orchestra', version: packageVersion() };
	readonly #log: Log;
	readonly #journal: Journal;
	readonly #catalogue: Catalogue;
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #resourceSubscriptions = new ResourceSubscriptions();
	readonly #unsubscribers = new Map<Backend, () => void>();
	readonly #lastCalls = new Map<string, Date>();
	/** Replaced backends that drain their calls. */
	readonly #retiring = new Set<Backend>();
	readonly #results: BigResults | undefined;
	readonly #sessionEnds = new SessionEnds((id) => {
		for (const backend of this.#backends) backend.endSession?.(id);
	});
	#backends: readonly Backend[] = [];

	constructor({
		backends = [],
		log = Log.silent,
		journal = noJournal,
		listWaitMs,
		results,
	}: HubOptions = {}) {
		this.#results = results;
		this.#log = log;
		this.#journal = journal;
		const onLate = (change: Change): void => this.#onChange(change);
		this.#catalogue = new Catalogue({ backends: () => this.#backends, log, listWaitMs, onLate });
		this.#setBackends(backends);
	}

	/** In configuration order. */
	get backends(): readonly Backend[] {
		return this.#backends;
	}

	/** Use these backends. Removed ones with `retire` drain in the background; resolves when the others are closed. */
	async replaceBackends(backends: readonly Backend[]): Promise<void> {
		const gone = this.#backends.filter((backend) => !backends.includes(backend));
		const isSame = backends.every((backend, at) => backend === this.#backends[at]) && gone.length === 0;
		this.#setBackends(backends);
		if (isSame) return;
		for (const kind of ['tools', 'prompts', 'resources'] as const) this.#onChange({ kind });
		const closed = gone.map(async (backend) => {
			this.#retiring.add(backend);
			await this.#closeBackend(backend, () => backend.retire?.() ?? backend.close());
			this.#retiring.delete(backend);
		});
		await Promise.all(closed.filter((_, at) => gone[at]?.retire === undefined));
	}

	/** Let backends start slow work early. */
	warm(): void {
		for (const backend of this.#backends) backend.warm?.();
	}

	/** Resolves when the content of all backends is loaded. */
	async ready(): Promise<void> {
		await Promise.all(this.#backends.map(async (backend) => backend.ready?.()));
	}

	/** Every process that the hub owns. */
	processes(): OwnedProcess[] {
		return [...this.#backends, ...this.#retiring].flatMap((backend) => backend.processes?.() ?? []);
	}

	/** The time of the last call to a backend; undefined when there was none. */
	lastCall(backendId: string): Date | undefined {
		return this.#lastCalls.get(backendId);
	}

	capabilities(): ServerCapabilities {
		const has = (method: keyof Backend): boolean =>
			this.#backends.some((backend) => backend[method] !== undefined);
		return {
			tools: { listChanged: true },
			...(has('listPrompts') ? { prompts: { listChanged: true } } : {}),
			...(has('readResource') ? { resources: { listChanged: true, subscribe: true } } : {}),
			...(has('complete') ? { completions: {} } : {}),
			logging: {},
		};
	}

	listTools(): Awaitable<readonly Tool[]> {
		return after(this.#catalogue.tools(), ({ items }) => items);
	}

	/** True when a backend offers this tool. */
	async hasTool(name: string): Promise<boolean> {
		return (await this.#catalogue.tool(name)) !== undefined;
	}

	callTool(
		{ name, arguments: input }: CallToolParams,
		context: CallContext,
	): Awaitable<CallToolResult | InputRequired> {
		return after(this.#catalogue.tool(name), (route) => {
			const backend = route?.backend ?? this.#backends.find((each) => each.hasDownTool?.(name));
			if (!backend?.callTool) throw this.#unknownTool(name);
			const call = { name: route?.name ?? name, arguments: input };
			const entry = { method: 'tools/call', name, backend, client: clientName(context) };
			const called = this.record(entry, () => backend.callTool?.(call, context));
			return after(called, (result) => this.#results?.shorten(result, route?.item, context) ?? result);
		});
	}

	#unknownTool(name: string): OrchestraError {
		const [reason] = this.#backends.flatMap((backend) => backend.unlistedReason?.(name) ?? []);
		return rpcError(rpcCodes.invalidParams, reason ?? this.withDownReasons(`Unknown tool: ${name}`, name));
	}

	/** Append the backends that are down to a "not found" sentence: the missing item may be theirs. */
	withDownReasons(sentence: string, name = ''): string {
		const mayHave = ({ id, qualifiesNames }: Backend): boolean =>
			!qualifiesNames || name.startsWith(qualifiedName(id, ''));
		const reasons = this.#backends.filter(mayHave).flatMap(({ downReason }) => downReason ?? []);
		if (reasons.length === 0) return sentence;
		return `${sentence}. It may belong to a plugin that is down: ${reasons.join('; ')}`;
	}

	listPrompts(): Awaitable<readonly Prompt[]> {
		return after(this.#catalogue.prompts(), ({ items }) => items);
	}

	getPrompt(
		{ name, arguments: input }: GetPromptParams,
		context: CallContext,
	): Awaitable<GetPromptResult | InputRequired> {
		return after(this.#catalogue.prompt(name), (route) => {
			if (!route?.backend.getPrompt)
				throw rpcError(rpcCodes.invalidParams, this.withDownReasons(`Unknown prompt: ${name}`, name));
			const call = { name: route.name, arguments: input };
			const { backend } = route;
			const entry = { method: 'prompts/get', name, backend, client: clientName(context) };
			return this.record(entry, () => backend.getPrompt?.(call, context));
		});
	}

	listResources(): Awaitable<readonly Resource[]> {
		return after(this.#catalogue.resources(), ({ items }) => items);
	}

	listResourceTemplates(): Awaitable<readonly ResourceTemplate[]> {
		return after(this.#catalogue.templates(), ({ items }) => items);
	}

	readResource(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired> {
		return after(this.#backendOf(uri), (backend) => {
			if (!backend?.readResource) throw resourceNotFound(uri);
			const entry = { method: 'resources/read', name: uri, backend, client: clientName(context) };
			return this.record(entry, () => backend.readResource?.(uri, context));
		});
	}

	complete(params: CompleteParams, context: CallContext): Awaitable<CompleteResult> {
		const { ref } = params;
		if (ref.type === 'ref/prompt') {
			return after(this.#catalogue.prompt(ref.name ?? ''), (route) => {
				if (route === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown prompt: ${ref.name ?? ''}`);
				return (
					route.backend.complete?.({ ...params, ref: { ...ref, name: route.name } }, context) ??
					nothingToComplete
				);
			});
		}
		const uri = ref.uri ?? '';
		return after(templateOwner(uri, this.#backends, this.#catalogue), (backend) => {
			if (backend === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown resource template: ${uri}`);
			return backend.complete?.(params, context) ?? nothingToComplete;
		});
	}

	/** Backends are notified of the first subscriber and of the last one, over all clients. */
	subscribeResource(uri: string, isSubscribed: boolean): void {
		if (!this.#resourceSubscriptions.change(uri, isSubscribed)) return;
		const notify = (owner: Backend | undefined): void => {
			for (const backend of owner ? [owner] : this.#backends) backend.subscribeResource?.(uri, isSubscribed);
		};
		const owner = this.#backendOf(uri);
		if (owner instanceof Promise) void owner.catch(() => undefined).then(notify);
		else notify(owner);
	}

	sessionOpened(sessionId: string): void {
		this.#sessionEnds.opened(sessionId);
	}

	sessionClosed(sessionId: string): void {
		this.#sessionEnds.closed(sessionId);
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Stop everything. Idempotent. */
	async close(): Promise<void> {
		const backends = [...this.#backends, ...this.#retiring];
		this.#backends = [];
		this.#sessionEnds.clear();
		await Promise.all(backends.map((backend) => this.#closeBackend(backend, () => backend.close())));
		await this.#journal.close();
	}

	#setBackends(backends: readonly Backend[]): void {
		this.#backends = backends;
		for (const backend of backends) {
			if (this.#unsubscribers.has(backend)) continue;
			this.#unsubscribers.set(backend, backend.onChange?.((change) => this.#onChange(change)) ?? (() => {}));
		}
	}

	async #closeBackend(backend: Backend, close: () => Promise<void>): Promise<void> {
		this.#unsubscribers.get(backend)?.();
		this.#unsubscribers.delete(backend);
		try {
			await close();
		} catch (error) {
			this.#log.warn(`${backend.id} did not close cleanly: ${messageOf(error)}`);
		}
	}

	/** Notify clients only when the list really differs. */
	#onChange(change: Change): void {
		if (change.kind === 'resource') return this.#notify(change);
		const isDifferent = this.#catalogue.hasChanged(change);
		if (isDifferent === true) return this.#notify(change);
		void Promise.resolve(isDifferent)
			.catch(() => true) // a list that cannot be compared may have changed
			.then((isChanged) => isChanged && this.#notify(change));
	}

	#notify(change: Change): void {
		for (const listener of this.#listeners) listener(change);
	}

	#backendOf(uri: string): Awaitable<Backend | undefined> {
		return resourceOwner(uri, this.#backends, this.#catalogue);
	}

	/** Make a call and write one line to the journal. */
	record<T extends object>(
		{ method, name, backend, client }: RecordedCall,
		call: () => Awaitable<T> | undefined,
	): Awaitable<T> {
		if (this.#journal === noJournal) return call() ?? missing(backend, method);
		const startedAt = new Date();
		this.#lastCalls.set(backend.id, startedAt);
		return journaled(this.#journal, { method, name, backend: backend.id, client, startedAt }, () => {
			return call() ?? missing(backend, method);
		});
	}
}

const nothingToComplete: CompleteResult = { completion: { values: [], total: 0, hasMore: false } };
