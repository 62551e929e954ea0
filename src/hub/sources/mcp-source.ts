/*
 * An MCP server as a source. Its lists are answered from what is known of it, with no
 * process started; a call starts the server.
 *
 * The components are in `mcp/`: the catalogue, the processes by scope, the calls, and the
 * requests of the server to its client.
 */
import type { ServerEntry } from '../../config/configuration.ts';
import { resourceNotFound } from '../../mcp/define/definition-provider.ts';
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import { after, calls, renamed, sentMembers, targetKind, targetName } from '../../mcp/server/methods.ts';
import type {
	Call,
	Capability,
	Change,
	ReadDirectoryParams,
	RootsClient,
} from '../../mcp/server/provider.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import {
	type Answer,
	type Awaitable,
	answerValue,
	type Extensions,
	failure,
	type Result,
	type Skill,
} from '../../protocol/mcp-types.ts';
import { Listeners } from '../../rpc/listeners.ts';
import type { Semaphore } from '../../rpc/semaphore.ts';
import { startCounts } from '../../rpc/supervisor.ts';
import { isLabelled, isOfSource, isPage, upstreamUri } from '../catalogue/names.ts';
import { mapItems, UriLabels } from '../catalogue/uri-labels.ts';
import { ExtensionRules } from '../extensions.ts';
import { directoryOf, directoryPage } from '../skills/skill-directory.ts';
import type { Can, ProcessAction, ServerLines, Source } from '../source.ts';
import type { OwnedProcess, SourceStatus } from '../source-status.ts';
import { LogLevels } from './mcp/log-levels.ts';
import type { PlainSource, PlainTarget } from './mcp/plain-call.ts';
import { ScopeChoice } from './mcp/process/scope-choice.ts';
import { ServerLog } from './mcp/process/server-log.ts';
import { ServerPool } from './mcp/process/server-pool.ts';
import type { ServerProcess } from './mcp/process/server-process.ts';
import {
	cachedEraOf,
	cacheFilesOf,
	declaresSkills,
	hasScheme,
	isSkillFile,
	type ServerLists,
} from './mcp/server-cache.ts';
import { callSemaphore, ServerCalls } from './mcp/server-calls.ts';
import { ServerCatalogue } from './mcp/server-catalogue.ts';
import { ServerClientRequests } from './mcp/server-client-requests.ts';
import type { McpSourceOptions, ServerDeps } from './mcp/server-deps.ts';
import { serverLogPath } from './mcp/server-files.ts';
import { ServerRoots } from './mcp/server-roots.ts';
import type { AddedValues } from './mcp/tools/overridden-tools.ts';
import { ServerPins } from './mcp/tools/server-pins.ts';
import { reviewedItems, ServerTools } from './mcp/tools/server-tools.ts';
import { SERVER_MESSAGE_BYTES } from './source-limits.ts';

const withoutSkills: readonly Capability[] = ['tools', 'prompts', 'resources', 'completions'];
const withSkills: readonly Capability[] = [...withoutSkills, 'skills'];

export class McpSource
	implements
		Source,
		Can<
			| 'qualifiesNames'
			| 'hasDownTool'
			| 'ownsUri'
			| 'instructions'
			| 'extensions'
			| 'readsFolders'
			| 'subscribeResource'
			| 'endSession'
			| 'learn'
			| 'warm'
			| 'processes'
			| 'control'
			| 'retire'
			| 'configurationKey'
			| 'address'
			| 'plainTarget'
		>
{
	readonly id: string;
	readonly kind = 'mcp';
	readonly qualifiesNames: boolean;
	readonly configurationKey: string;
	readonly #entry: ServerEntry;
	readonly #extensions: ExtensionRules;
	readonly #pages: UriLabels;
	readonly #tools: ServerTools;
	readonly #pins: ServerPins;
	readonly #queue: Semaphore;
	readonly #pool: ServerPool;
	readonly #catalogue: ServerCatalogue;
	readonly #calls: ServerCalls;
	readonly #clientRequests: ServerClientRequests;
	readonly #serverLog: ServerLog;
	readonly #starts = startCounts();
	readonly #roots: ServerRoots;
	readonly #levels: LogLevels;
	readonly #listeners = new Listeners<Change>();

	constructor(options: McpSourceOptions) {
		const { entry, folder, version, configurationKey = '', log } = options;
		this.configurationKey = configurationKey;
		const { name, settings } = entry;
		this.#entry = entry;
		this.id = name;
		this.qualifiesNames = settings.prefix;
		this.#extensions = new ExtensionRules(options.passedExtensions);
		this.#pins = new ServerPins(options, () => this.#listeners.emit({ kind: 'tools' }));
		this.#queue = callSemaphore(name, settings);
		const files = cacheFilesOf(folder, entry, version);
		const scope = new ScopeChoice({ entry, files, log });
		this.#clientRequests = new ServerClientRequests(name, scope, log);
		this.#roots = new ServerRoots(this.#clientRequests, options.clients, log);
		this.#levels = new LogLevels(options.clients);
		this.#serverLog = new ServerLog(serverLogPath(folder, name), log);
		this.#pool = new ServerPool(this.#depsOf(options), scope, { name: 'orchestra', version });
		this.#catalogue = new ServerCatalogue({
			...options,
			files,
			pool: this.#pool,
			onRead: (known, source) => this.#pins.read(reviewedItems(known), source),
			onChange: (change) => this.#listeners.emit(change),
		});
		this.#pages = new UriLabels(this.id);
		this.#tools = new ServerTools(options, this.#catalogue, this.#pins);
		this.#calls = new ServerCalls({
			entry,
			pool: this.#pool,
			queue: this.#queue,
			clientRequests: this.#clientRequests,
			levels: this.#levels,
			extensions: this.#extensions,
			pages: this.#pages,
			check: this.#tools.check,
		});
	}

	/** Skills when the server declares them, and while nothing is known of it. */
	get capabilities(): readonly Capability[] {
		const { known } = this.#catalogue;
		return known === undefined || declaresSkills(known) ? withSkills : withoutSkills;
	}

	/** A list of files has all folders; of other skills the server must read them. */
	get readsFolders(): boolean {
		const { known } = this.#catalogue;
		const isDynamic = known?.skills.some(({ resources }) => resources === 'dynamic');
		return !isDynamic || declaresSkills(known)?.['directoryRead'] === true;
	}

	get address(): string | undefined {
		return this.#entry.kind === 'stdio' ? undefined : this.#entry.url;
	}

	get status(): SourceStatus {
		const { known, failure } = this.#catalogue;
		const tools = this.#tools;
		return {
			...this.#pool.status(known, failure),
			...this.#starts,
			// Read by few of those that read a status.
			get tools() {
				return known && tools.listed(known.tools).length;
			},
			drifted: this.#pins.driftCount,
			calls: this.#queue.size,
			queued: this.#queue.waitingCount,
			logFile: this.#serverLog.file,
		};
	}

	/** A call to a server that was never seen starts it, or fails with the reason; one of a tool that is quarantined or left out too. */
	hasDownTool(name: string): boolean {
		return this.#tools.unlistedReason(name) !== undefined || this.#tools.mayHave(name);
	}

	readonly instructions = (): string | undefined => this.#tools.instructions;

	get extensions(): Extensions {
		return this.#extensions.announced(this.#catalogue.known?.capabilities);
	}

	list(kind: ItemKind): Awaitable<readonly Item[]> {
		return after(this.#catalogue.lists(), (lists) => this.#published(kind, lists));
	}

	/** Every method is passed on, with what the table says about its names and its result. */
	request(call: Call): Promise<Answer> {
		const { method, context } = call;
		const name = targetName(call);
		const reason = method === 'tools/call' ? this.#tools.unlistedReason(name) : undefined;
		if (reason !== undefined) return Promise.resolve(failure(reason));
		if (method === 'resources/read') this.#tools.assertPage(upstreamUri(this.id, name));
		if (method === 'resources/directory/read') {
			const folder = this.#folder(call.params);
			if (folder) return Promise.resolve(folder);
		}
		const { mapped, hasEffects } = calls[method];
		const own = this.#upstreamName(targetKind(call), name);
		const changes = sentMembers(renamed(call, own));
		const mayRepeat = (): boolean => !hasEffects || this.#tools.isRepeatable(own);
		// The result of the server, unchecked: clients check it themselves.
		const isExact = method === 'skills/get' || (method === 'resources/read' && this.#isSkillFile(own));
		const taskSupport = method === 'tools/call' ? this.#tools.taskSupport(own) : undefined;
		const forward = (values?: AddedValues): Promise<Answer> =>
			this.#calls.forward({ method, context, changes, mayRepeat, isExact, taskSupport, values });
		if (call.method === 'tools/call' && this.#tools.overrides.hasValues(own))
			return this.#withValues(own, call.params.arguments ?? {}, forward);
		const result = forward();
		switch (mapped) {
			case 'links':
				return result;
			case 'contents':
				return result.then((read) => {
					if (isPage(own)) this.#tools.assertContents(own, answerValue(read)['contents']);
					return this.#pages.read(read, name);
				});
			case 'skill':
				return result.then((read) => this.#pages.skillResult(read));
			case 'files':
				return result.then((read) => this.#pages.files(read));
		}
	}

	/** A call of a tool with values of the configuration, which are compared with its schema before the first one. */
	async #withValues(
		own: string,
		given: AddedValues,
		forward: (values: AddedValues) => Promise<Answer>,
	): Promise<Answer> {
		const { overrides } = this.#tools;
		overrides.check((await this.#catalogue.lists()).tools);
		const refused = overrides.problems.get(own) ?? overrides.refusedValue(own, given);
		if (refused !== undefined) return failure(`${own} was not called: ${refused}`);
		return forward(await overrides.valuesFor(own, given));
	}

	#published(kind: ItemKind, { tools, prompts, resources, templates, skills }: ServerLists): readonly Item[] {
		switch (kind) {
			case 'tools':
				return mapItems(this.#tools.listed(tools), this.#pages.tool);
			case 'prompts':
				return prompts;
			case 'resources':
				return mapItems(resources, this.#pages.resource);
			case 'templates':
				return mapItems(templates, this.#pages.template);
			case 'skills':
				return skills.flatMap((skill) => this.#pages.skill(skill) ?? []);
		}
	}

	/** A folder of skills, from the lists of their files; undefined when the server must read it. Throws when it cannot. */
	#folder(params: ReadDirectoryParams): Result | undefined {
		const { known } = this.#catalogue;
		const children = known && directoryOf(this.#published('skills', known) as readonly Skill[], params.uri);
		if (children) return directoryPage(children, params);
		if (declaresSkills(known)?.['directoryRead'] === true) return undefined;
		throw resourceNotFound(params.uri);
	}

	/** Its bytes have a digest. */
	#isSkillFile(own: string): boolean {
		return own.startsWith('skill://') || isSkillFile(this.#catalogue.known, own);
	}

	#upstreamName(kind: ItemKind, name: string): string {
		if (kind === 'tools') return this.#tools.upstreamName(name);
		return kind === 'prompts' ? name : upstreamUri(this.id, name);
	}

	plainTarget(
		...[name, context, serverInfo]: Parameters<PlainSource['plainTarget']>
	): PlainTarget | undefined {
		if (this.#tools.unlistedReason(name) !== undefined || this.#entry.settings.select) return undefined;
		const own = this.#tools.upstreamName(name);
		if (this.#tools.overrides.hasValues(own)) return undefined;
		return this.#calls.plainTarget(own, context, serverInfo);
	}

	readonly ownsUri = (uri: string): boolean => isOfSource(this.id, uri);

	/**
	 * True when its resources have the scheme of this URI. A page is always asked for with its server; the text of a skill
	 * may name files of skills without it.
	 */
	readonly claimsUri = (uri: string): boolean =>
		isLabelled(uri) ? isSkillFile(this.#catalogue.known, uri) : hasScheme(this.#catalogue.known, uri);

	async subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		if (isSubscribed) await this.#pool.subscribe(uri, client);
		else this.#pool.unsubscribe(uri, client);
	}

	readonly rootsChanged = (client: RootsClient): void => this.#roots.changed(client, this.#pool.all);

	logLevelChanged(): void {
		for (const process of this.#pool.all) this.#levels.update(process);
	}

	readonly learn = (): void => this.#catalogue.learn();

	readonly listAnswered = (): void => this.#catalogue.answered();

	endSession(sessionId: string): void {
		this.#roots.endSession(sessionId, this.#pool.all);
		this.#pool.endSession(sessionId);
		this.logLevelChanged();
	}

	readonly watch: Listeners<Change>['add'] = this.#listeners.add;

	warm(): void {
		this.#pins.warm();
		this.#catalogue.warm();
		if (this.#entry.settings.eager) this.#pool.lister.supervisor.keepUp();
	}

	processes(): readonly OwnedProcess[] {
		return this.#pool.processes();
	}

	readonly lines = (): ServerLines => this.#serverLog.lines;

	readonly control = async (action: ProcessAction): Promise<void> => {
		await this.#pool.control(action);
		// The next list of the client that started it has its tools.
		if (action !== 'stop') await this.#catalogue.lists();
	};

	async retire(): Promise<void> {
		this.#listeners.clear();
		await this.#queue.idle();
		await this.close();
	}

	async close(): Promise<void> {
		this.#listeners.clear();
		await Promise.all([this.#catalogue.close(), this.#pool.close()]);
		await this.#pins.close();
		await this.#serverLog.close();
	}

	#depsOf({ entry, environment, messageBytes = 0, limiter, log, now }: McpSourceOptions): ServerDeps {
		return {
			entry,
			environment,
			limitBytes: Math.max(messageBytes, SERVER_MESSAGE_BYTES),
			limiter,
			extensions: this.#extensions,
			log,
			serverLog: this.#serverLog,
			starts: this.#starts,
			now,
			knownEra: () => cachedEraOf(this.#catalogue.confirmed),
			isKnown: () => this.#catalogue.confirmed !== undefined,
			onReady: (process, connection) => {
				this.#levels.update(process);
				if (process === this.#pool.lister) this.#catalogue.started(connection);
			},
			onChange: (process, change) => this.#onServerChange(process, change),
			onRequest: (process, request) => this.#roots.answer(process, request),
			onNotification: (process, method, params) => {
				const log = this.#clientRequests.notified(process, method, params);
				if (log) this.#listeners.emit(log);
			},
		};
	}

	#onServerChange({ connection, sessionId }: ServerProcess, change: Change): void {
		if (change.kind === 'resource') {
			for (const uri of this.#pool.watchersOf(sessionId).givenFor(change.uri))
				this.#listeners.emit({ ...change, uri, sessionId });
		} else if (connection && change.kind !== 'log') this.#catalogue.changed(connection, change.kind);
	}
}
