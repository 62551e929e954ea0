/*
 * The hub: one catalogue over all backends and one router to them, for any number of
 * clients. It is the provider of the MCP sessions.
 *
 * A call is routed once and never repeated: when its backend dies during the call, the
 * error says that the outcome is unknown.
 */
import { packageVersion } from '../files/package-version.ts';
import { Log } from '../log.ts';
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
import type { CallGate } from '../trust/call-gate.ts';
import { BackendSet } from './backend-set.ts';
import type { Backend, OwnedProcess } from './backends/backend.ts';
import { CallFeed } from './call-feed.ts';
import { Catalogue } from './catalogue.ts';
import { ChangeFeed } from './change-feed.ts';
import { ConnectedClients } from './connected-clients.ts';
import { isSearchTool } from './expose/search-tools.ts';
import type { ToolExposure } from './expose/tool-exposure.ts';
import { capabilitiesFor, unknownPrompt, unknownTool } from './hub-offer.ts';
import type { HubOptions } from './hub-options.ts';
import { type Journal, noJournal } from './journal.ts';
import type { MergedList } from './merged-list.ts';
import { CallRecorder, clientName } from './recorded-call.ts';
import { ResourceRoutes } from './resource-routes.ts';
import type { BigResults } from './results/big-results.ts';
import { instructionsFor } from './server-instructions.ts';
import { SessionEnds } from './session-ends.ts';

/** A provider over many backends. `close` it to stop their processes. */
export class Hub implements Provider {
	/** The name and version that clients see. */
	readonly info: Implementation = { name: 'orchestra', version: packageVersion() };
	/** The calls as they happen. */
	readonly calls: CallFeed = new CallFeed();
	/** The clients that are connected. */
	readonly clients: ConnectedClients;
	readonly #journal: Journal;
	readonly #catalogue: Catalogue;
	readonly #resources: ResourceRoutes;
	/** What clients see of the tools; undefined when they see all. */
	readonly exposure: ToolExposure | undefined;
	readonly #changes = new ChangeFeed((change) => this.#catalogue.hasChanged(change));
	readonly #gate: CallGate | undefined;
	readonly #recorder: CallRecorder;
	readonly #results: BigResults | undefined;
	readonly #unusedReason: HubOptions['unusedReason'];
	readonly #instructions: HubOptions['instructions'];
	readonly #sessionEnds = new SessionEnds((id) => {
		for (const backend of this.backends) backend.endSession?.(id);
		this.exposure?.endSession(id);
	});
	readonly #backends: BackendSet;

	constructor({
		backends = [],
		log = Log.silent,
		clients = new ConnectedClients(),
		journal = noJournal,
		listWaitMs,
		results,
		exposure,
		unusedReason,
		instructions,
		gate,
	}: HubOptions = {}) {
		this.clients = clients;
		this.#gate = gate;
		this.#recorder = new CallRecorder(journal, gate, this.calls);
		this.#results = results;
		this.exposure = exposure;
		this.#unusedReason = unusedReason;
		this.#instructions = instructions;
		this.#journal = journal;
		const onChange = (change: Change): void => this.#changes.mayHaveChanged(change);
		this.#backends = new BackendSet(log, onChange);
		const current = (): readonly Backend[] => this.backends;
		this.#catalogue = new Catalogue({ backends: current, log, listWaitMs, onLate: onChange });
		this.#resources = new ResourceRoutes(current, this.#catalogue, onChange);
		this.#changes.listen(({ kind }) => kind === 'resources' && this.#resources.subscriptions.reroute());
		this.#backends.use(backends);
	}

	/** In configuration order. */
	get backends(): readonly Backend[] {
		return this.#backends.current;
	}

	/** Use these backends. Removed ones with `retire` drain in the background; resolves when the others are closed. */
	async replaceBackends(backends: readonly Backend[]): Promise<void> {
		const before = this.backends;
		const gone = this.#backends.use(backends);
		if (gone.length === 0 && backends.every((backend, at) => backend === before[at])) return;
		for (const kind of ['tools', 'prompts', 'resources'] as const) this.#changes.mayHaveChanged({ kind });
		this.#resources.subscriptions.reroute();
		await this.#backends.retire(gone);
	}

	/** Let backends start slow work early. */
	warm(): void {
		for (const backend of this.backends) backend.warm?.();
	}

	/** Resolves when the content of all backends is loaded. */
	async ready(): Promise<void> {
		await Promise.all(this.backends.map(async (backend) => backend.ready?.()));
	}

	/** Every process that the hub owns. */
	processes(): OwnedProcess[] {
		return this.#backends.all.flatMap((backend) => backend.processes?.() ?? []);
	}

	/** The time of the last call to a backend; undefined when there was none. */
	lastCall(backendId: string): Date | undefined {
		return this.#recorder.lastCall(backendId);
	}

	capabilities(): ServerCapabilities {
		return capabilitiesFor(this.backends);
	}

	/** Those of the hub itself, and of the MCP servers whose lists are known. */
	get instructions(): Awaitable<string | undefined> {
		return instructionsFor(this.backends, this.#instructions?.());
	}

	/** What the client of a request sees; without a context all tools. */
	listTools(context?: CallContext): Awaitable<readonly Tool[]> {
		return after(this.#toolsFor(context && clientName(context)), (list) =>
			context && this.exposure ? this.exposure.visible(list, context) : list.items,
		);
	}

	/** All tools that the policy shows to a client of this name. */
	listToolsFor(client: string): Awaitable<readonly Tool[]> {
		return after(this.#toolsFor(client), ({ items }) => items);
	}

	#toolsFor(client: string | undefined): Awaitable<MergedList<Tool>> {
		return after(this.#catalogue.tools(), (list) => {
			if (client === undefined || !this.#gate?.hidesTools) return list;
			return { ...list, items: this.#gate.listed(list.items, client) };
		});
	}

	/** The lists of all backends, with the backend and the own name of each item. */
	get catalogue(): Catalogue {
		return this.#catalogue;
	}

	/** Whether a policy has rules. */
	get hasPolicy(): boolean {
		return this.#gate?.isOpen === false;
	}

	/** True when a backend offers this tool. */
	readonly hasTool = async (name: string): Promise<boolean> =>
		(await this.#catalogue.tool(name)) !== undefined;

	callTool(params: CallToolParams, context: CallContext): Awaitable<CallToolResult | InputRequired> {
		const { exposure } = this;
		if (exposure === undefined) return this.#callDirectly(params, context);
		if (!isSearchTool(params.name)) {
			exposure.assertVisible(params.name, context);
			return this.#callDirectly(params, context);
		}
		return after(this.#toolsFor(clientName(context)), (list) => {
			const call = (inner: CallToolParams): Awaitable<CallToolResult | InputRequired> =>
				this.#callDirectly(inner, context);
			if (!exposure.isSearch(params.name, list, context)) return call(params);
			return exposure.answer(params, context, { list, call });
		});
	}

	#callDirectly(
		{ name, arguments: input }: CallToolParams,
		context: CallContext,
	): Awaitable<CallToolResult | InputRequired> {
		return after(this.#catalogue.tool(name), (route) => {
			const backend = route?.backend ?? this.backends.find((each) => each.hasDownTool?.(name));
			if (!backend?.callTool) throw unknownTool(name, this.backends, this.#unusedReason?.(name));
			const call = { name: route?.name ?? name, arguments: input };
			const about = { client: clientName(context), context, arguments: input, tool: route?.item };
			const entry = { method: 'tools/call', name, backend, ...about };
			const called = this.record(entry, () => backend.callTool?.(call, context), failure);
			return after(called, (result) => {
				if (route && result['isError'] !== true) this.exposure?.used(name);
				return this.#results?.shorten(result, route?.item, context) ?? result;
			});
		});
	}

	listPrompts(): Awaitable<readonly Prompt[]> {
		return after(this.#catalogue.prompts(), ({ items }) => items);
	}

	getPrompt(
		{ name, arguments: input }: GetPromptParams,
		context: CallContext,
	): Awaitable<GetPromptResult | InputRequired> {
		return after(this.#catalogue.prompt(name), (route) => {
			if (!route?.backend.getPrompt) throw unknownPrompt(name, this.backends);
			const { backend, name: own } = route;
			const entry = { method: 'prompts/get', name, backend, client: clientName(context), context };
			return this.record(entry, () => backend.getPrompt?.({ name: own, arguments: input }, context));
		});
	}

	listResources(): Awaitable<readonly Resource[]> {
		return after(this.#catalogue.resources(), ({ items }) => items);
	}

	listResourceTemplates(): Awaitable<readonly ResourceTemplate[]> {
		return after(this.#catalogue.templates(), ({ items }) => items);
	}

	readResource(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired> {
		return after(this.#resources.backendOf(uri), (backend) => {
			if (!backend?.readResource) throw resourceNotFound(uri);
			const entry = { method: 'resources/read', name: uri, backend, client: clientName(context), context };
			return this.record(entry, () => backend.readResource?.(uri, context));
		});
	}

	complete(params: CompleteParams, context: CallContext): Awaitable<CompleteResult> {
		return this.#resources.complete(params, context);
	}

	subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		return this.#resources.subscriptions.change(uri, isSubscribed, client);
	}

	rootsChanged(client: RootsClient): void {
		for (const backend of this.backends) backend.rootsChanged?.(client);
	}

	sessionOpened(sessionId: string, transport?: string): void {
		this.#sessionEnds.opened(sessionId);
		this.clients.opened(sessionId, transport);
	}

	clientConnected(client: ClientConnection): void {
		this.clients.introduced(client);
	}

	logLevelChanged(client: ClientConnection): void {
		this.clients.introduced(client);
		for (const backend of this.backends) backend.logLevelChanged?.();
	}

	sessionClosed(sessionId: string): void {
		this.#sessionEnds.closed(sessionId);
		this.clients.closed(sessionId);
	}

	onChange(listener: (change: Change) => void): () => void {
		return this.#changes.listen(listener);
	}

	/** Stop everything. Idempotent. */
	async close(): Promise<void> {
		this.#gate?.close();
		this.#sessionEnds.clear();
		await this.#backends.close();
		await this.#journal.close();
	}

	/** The policy changed, and it may hide other tools. */
	readonly policyChanged = (): void => this.#changes.notify({ kind: 'tools' });

	/** Make a call that the policy allows and write one line to the journal. `refuse` is the result of another one. */
	readonly record: CallRecorder['record'] = (...call) => this.#recorder.record(...call);
}
