/*
 * The hub: one catalogue over all sources and one way to them, for any number of clients. It is a
 * source itself, and the provider of the MCP sessions.
 *
 * A call is sent once and never repeated: when its source dies during the call, the error says
 * that the outcome is unknown.
 */
import { messageOf } from '../errors.ts';
import { packageVersion } from '../files/package-version.ts';
import { Log } from '../log.ts';
import type { CallContext, ClientConnection } from '../mcp/server/call-context.ts';
import { after } from '../mcp/server/methods.ts';
import type { Call, Capability, Change, Provider } from '../mcp/server/provider.ts';
import type { ToolForwarder } from '../mcp/server/text-calls-client.ts';
import type { ItemKind, ItemTypes } from '../protocol/item-lists.ts';
import type { Answer, Awaitable, Extensions, Implementation, Tool } from '../protocol/mcp-types.ts';
import { TASKS, taskSupportOf } from '../protocol/tasks.ts';
import { isAnyStarting } from './absent-servers.ts';
import { CallFeed } from './call-feed.ts';
import { adaptApps, isForPages, showsPages } from './calls/adapt-apps.ts';
import { addLookTool } from './calls/add-look-tool.ts';
import { applyPolicy } from './calls/apply-policy.ts';
import { addSearchTools, applyViews } from './calls/apply-views.ts';
import { clientName, HubCall } from './calls/hub-call.ts';
import { journalCalls } from './calls/journal-calls.ts';
import { limitCalls } from './calls/limit-calls.ts';
import { matchSkills } from './calls/match-skills.ts';
import { compose, type Handler, type Reader, readerOf, sentBy, type Targets } from './calls/middleware.ts';
import { PlainRoutes } from './calls/plain-routes.ts';
import { reportCalls } from './calls/report-calls.ts';
import { routeCalls } from './calls/route-calls.ts';
import { shortenAnswers } from './calls/shorten-answers.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { ChangeFeed } from './catalogue/change-feed.ts';
import { FirstLists } from './catalogue/first-lists.ts';
import type { MergedList, Route } from './catalogue/merged-list.ts';
import { AllTargets } from './catalogue/targets.ts';
import { isSearchTool } from './expose/search-tools.ts';
import type { ToolExposure } from './expose/tool-exposure.ts';
import { AnnouncedExtensions } from './extensions.ts';
import type { HubOptions } from './hub-options.ts';
import { type Journal, noJournal } from './journal/journal.ts';
import { instructionsFor, joinedInstructions } from './server-instructions.ts';
import { ConnectedClients } from './sessions/connected-clients.ts';
import { HubSessions } from './sessions/hub-sessions.ts';
import { SubscriptionRouter } from './sessions/subscription-router.ts';
import { able, type Source } from './source.ts';
import { SourceSet } from './source-set.ts';
import type { OwnedProcess, SourceStatus } from './source-status.ts';
import type { HubTasks } from './tasks/hub-tasks.ts';
import { runTasks } from './tasks/run-tasks.ts';

/** A part of the hub whose calls pass as text. */
interface PlainPart {
	/** The server information for modern clients. */
	readonly info: Implementation;
	/** The route of a tool, as the client of a call names it. */
	readonly find: (name: string, context: CallContext) => Awaitable<Route<Tool> | undefined>;
}

/** A source and provider over many sources. `close` it to stop their processes. */
export class Hub implements Source, Provider {
	readonly id = 'hub';
	readonly kind = 'hub';
	readonly answersAll = true;
	/** The name and version that clients see. */
	readonly info: Implementation = { name: 'orchestra', version: packageVersion() };
	/** The calls as they happen. */
	readonly calls: CallFeed = new CallFeed((call) => this.clients.called(call));
	/** The clients that are connected. */
	readonly clients: ConnectedClients;
	readonly sessions: HubSessions;
	/** The view that filters the tools of clients; undefined when they see all. */
	readonly exposure: ToolExposure | undefined;
	/** The lists of all sources, with the source and the own name of each item. */
	readonly catalogue: Catalogue;
	readonly #options: HubOptions;
	readonly #journal: Journal;
	readonly #sources: SourceSet;
	readonly #targets: AllTargets;
	readonly #firstLists: FirstLists;
	readonly #life: Handler;
	readonly #subscriptions: SubscriptionRouter;
	readonly #extensions: AnnouncedExtensions;
	readonly #changes = new ChangeFeed({
		isDifferent: (change) => this.catalogue.hasChanged(change),
		isStarting: () => isAnyStarting(this.sources),
		onDifferent: ({ kind }) => kind === 'resources' && this.#subscriptions.reroute(),
	});

	constructor(options: HubOptions = {}) {
		const { log = Log.silent, clients = new ConnectedClients(), exposure, gate, unusedReason } = options;
		this.#options = options;
		this.#journal = options.journal ?? noJournal;
		this.clients = clients;
		this.exposure = exposure;
		const onChange = (change: Change): void => this.#changes.mayHaveChanged(change);
		const sources = (): readonly Source[] => this.sources;
		this.#sources = new SourceSet(log, onChange);
		this.catalogue = new Catalogue({ sources, log, listWaitMs: options.listWaitMs, onLate: onChange });
		this.#targets = new AllTargets({
			sources,
			catalogue: this.catalogue,
			unusedReason,
			isVisible: (route, context) => exposure?.isVisible(route.toolName, context) ?? true,
		});
		this.#extensions = new AnnouncedExtensions(sources, log);
		this.#firstLists = new FirstLists(this.catalogue);
		this.#life = this.life(this.#targets, true);
		this.#subscriptions = new SubscriptionRouter({
			sources,
			ownerOf: (uri) => this.#targets.ownerOf(uri),
			waitMs: () => this.catalogue.waitMs,
			onUpdate: onChange,
		});
		this.sessions = new HubSessions({
			clients,
			sources,
			onClosed: (id) => gate?.sessionClosed(id),
			onEnd: (id) => {
				exposure?.endSession(id);
				this.#firstLists.endSession(id);
			},
		});
		this.#sources.use(options.sources ?? []);
		options.tasks?.connect({ sources, life: this.#sentLife() });
	}

	/**
	 * The life of a call, outermost first. The journal has refusals too, and results as their source returned them.
	 * @param isWhole false for a part of the hub under other names: what is about all sources together is left out
	 */
	life(targets: Targets, isWhole = false): Handler {
		const { exposure, catalogue } = this;
		const { trace, results, gate, tasks, loops, untrusted = () => undefined } = this.#options;
		const sources = (): readonly Source[] => this.sources;
		return compose(
			isWhole && addSearchTools({ exposure, firstLists: this.#firstLists, catalogue, sources, untrusted }),
			isWhole && matchSkills(this.#options.log ?? Log.silent),
			isWhole && results && addLookTool(results),
			routeCalls(targets),
			adaptApps(),
			isWhole && exposure && applyViews(exposure),
			isWhole && results && shortenAnswers(results, this.#journal),
			tasks && runTasks(tasks),
			trace,
			reportCalls(this.calls),
			journalCalls(this.#journal),
			loops && limitCalls(loops, gate),
			gate && applyPolicy(gate),
		)(sentBy(targets));
	}

	/** The rest of the life of a call that was allowed and sent: an earlier hub did both. */
	#sentLife(): Handler {
		const { trace } = this.#options;
		return compose(trace, reportCalls(this.calls), journalCalls(this.#journal))(sentBy(this.#targets));
	}

	/** The items that the client of a request sees; without a context all. */
	list<K extends ItemKind>(kind: K, context?: CallContext): Awaitable<readonly ItemTypes[K][]> {
		return this.#list(kind, readerOf(context));
	}

	/** All tools that the policy shows to a client of this name. */
	listToolsFor(client: string): Awaitable<readonly Tool[]> {
		return this.#list('tools', { client });
	}

	#list<K extends ItemKind>(kind: K, reader?: Reader): Awaitable<readonly ItemTypes[K][]> {
		// The items are those of the kind.
		return after(this.#life.list(kind, reader), ({ items }) => items as readonly ItemTypes[K][]);
	}

	/** The tools that a client may call, whatever its list shows: for programs, which name them. */
	async toolsWithin(context: CallContext): Promise<MergedList<Tool>> {
		const { gate } = this.#options;
		const list = await this.catalogue.list('tools');
		const { routes } = list;
		const isVisible = ({ name }: Tool): boolean =>
			this.exposure?.isVisible(routes.get(name)?.toolName, context) ?? true;
		const items = list.items.filter((tool) => isVisible(tool) && !isForPages(tool));
		const listed = gate?.listed(items, clientName(context), ({ name }) => routes.get(name)?.toolName);
		return { items: listed ?? items, routes };
	}

	/** Answer a call by the source that has what it is about. */
	request(call: Call): Awaitable<Answer> {
		return this.#life.request(new HubCall(call));
	}

	/** Make a call whose target is known. */
	send(call: HubCall): Awaitable<Answer> {
		return this.#life.request(call);
	}

	/**
	 * Takes calls of a client as text, past `request`.
	 * @param part of the hub under other names: what is about all sources together is left out
	 */
	toolForwarder(part?: PlainPart): ToolForwarder {
		const { gate, results, trace, tasks, loops } = this.#options;
		const { info, find } = part ?? { info: this.info, find: this.#findVisible };
		const isWhole = part === undefined;
		return new PlainRoutes({
			generation: () => this.catalogue.generation + (this.exposure?.generation ?? 0),
			info,
			isOpen: () => !this.calls.needsValues && trace === undefined && tasks?.rules.storesCalls !== true,
			policy: () => gate?.policy,
			verdict: (name, { toolName, item: tool }, client) =>
				gate ? gate.verdict({ name, toolName, client, tool }) : {},
			find: (name, context) => {
				const route = find(name, context);
				if (route === undefined || route instanceof Promise) return undefined;
				if (isForPages(route.item) && !showsPages(context)) return undefined;
				if (tasks?.rules.formFor(context) || taskSupportOf(route.item) !== undefined) return undefined;
				return route;
			},
			limitCharacters: (context, { toolName }) =>
				(isWhole ? results?.answers.limitFor(context, toolName) : undefined) ?? Number.POSITIVE_INFINITY,
			watch: (context) => loops?.of(context),
			began: (call) => this.calls.begin(call),
			notified: (call, method, params) => this.calls.notified(call, method, params),
			ended: (call, entry) => {
				if (this.#journal !== noJournal) this.#journal.write(entry);
				this.calls.end(call, entry);
				if (isWhole && entry.outcome === 'ok') this.exposure?.used(entry.name);
			},
		});
	}

	readonly #findVisible: PlainPart['find'] = (name, context) => {
		const route = isSearchTool(name) ? undefined : this.catalogue.find('tools', name);
		if (route && !(route instanceof Promise)) this.exposure?.assertVisible(name, route.toolName, context);
		return route;
	};

	/** The sources in configuration order. */
	get sources(): readonly Source[] {
		return this.#sources.current;
	}

	/** Use these sources. Removed ones with `retire` drain in the background; resolves when the others are closed. */
	async replaceSources(sources: readonly Source[]): Promise<void> {
		const before = this.sources;
		const gone = this.#sources.use(sources);
		if (gone.length === 0 && sources.every((source, at) => source === before[at])) return;
		for (const kind of ['tools', 'prompts', 'resources'] as const) this.#changes.mayHaveChanged({ kind });
		this.#subscriptions.reroute();
		await this.#sources.retire(gone);
	}

	get status(): SourceStatus {
		return { state: 'ready', calls: this.calls.openCount };
	}

	/** The capabilities of all sources together, and tools: a hub may get some later. */
	get capabilities(): readonly Capability[] {
		return [...new Set<Capability>(['tools', ...this.sources.flatMap(({ capabilities }) => capabilities)])];
	}

	get hubId(): string | undefined {
		return this.#options.id?.();
	}

	/** The instructions of the hub itself, how to search and to look, and those of the MCP servers whose lists are known. */
	instructions(clientInfo?: unknown): Awaitable<string | undefined> {
		const { instructions, results } = this.#options;
		const own = joinedInstructions(instructions?.(), results?.guide(clientName({ clientInfo })));
		return instructionsFor(this.sources, own, this.exposure?.guide(this.sources));
	}

	/** The extensions of the MCP servers that are known, and of the hub itself. */
	extensions(era: 'legacy' | 'modern'): Extensions {
		const { [TASKS]: tasks, ...others } = this.#extensions.for(era);
		return tasks && this.tasks ? { ...others, [TASKS]: tasks } : others;
	}

	get tasks(): HubTasks | undefined {
		return this.#options.tasks;
	}

	/** Let sources start slow work early. */
	warm(): void {
		for (const source of this.sources) able(source, 'warm')?.warm();
		this.tasks?.takeLeft().catch((error: unknown) => {
			this.#options.log?.warn(`the tasks of an earlier hub could not be read: ${messageOf(error)}`);
		});
	}

	/** Resolves when the content of all sources is loaded. */
	async ready(): Promise<void> {
		await Promise.all(this.sources.map(async (source) => able(source, 'warm')?.ready?.()));
	}

	/** Every process that the hub owns. */
	processes(): OwnedProcess[] {
		return this.#sources.all.flatMap((source) => able(source, 'processes')?.processes() ?? []);
	}

	/** Whether a policy has rules. */
	get hasPolicy(): boolean {
		return this.#options.gate?.policy.isEmpty === false;
	}

	/** The policy changed, and it may hide other tools. */
	readonly policyChanged = (): void => this.#changes.notify({ kind: 'tools' });

	/** True when a source has this tool. */
	readonly hasTool = async (name: string): Promise<boolean> =>
		(await this.catalogue.find('tools', name)) !== undefined;

	subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		return this.#subscriptions.change(uri, isSubscribed, client);
	}

	watch(listener: (change: Change) => void): () => void {
		return this.#changes.listen(listener);
	}

	/** Write the lines of the journal that wait. */
	flushJournal(): void {
		this.#journal.flush?.();
	}

	/** Stop everything. Idempotent. */
	async close(): Promise<void> {
		this.#options.gate?.close();
		this.#changes.close();
		this.sessions.clear();
		await this.tasks?.close();
		// A plan goes on in the next hub, and must not take the end of its servers for answers.
		await Promise.all(this.sources.filter(({ kind }) => kind === 'plans').map((plans) => plans.close()));
		await this.#sources.close();
		await this.#journal.close();
	}
}
