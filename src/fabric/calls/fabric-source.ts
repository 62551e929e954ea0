/*
 * The tools of other hubs as a source. A tool is called `group__tool`, also when
 * only one group has a tool of that name.
 */
import type { FabricRule } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { UriLabels } from '../../hub/catalogue/uri-labels.ts';
import type { FabricGroup, FabricOverview } from '../../hub/fabric-overview.ts';
import { withoutCircles } from '../../hub/hub-path.ts';
import type { Can, Source } from '../../hub/source.ts';
import type { SourceStatus } from '../../hub/source-status.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { targetName } from '../../mcp/server/methods.ts';
import type { Call, Capability, Change } from '../../mcp/server/provider.ts';
import { type Answer, failure, type Tool } from '../../protocol/mcp-types.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { within } from '../../rpc/clock.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { qualifiedName, ServerNames } from '../../trust/tool-name.ts';
import { anyToolPattern, type ToolTest } from '../../trust/tool-pattern.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { AdvertisementFollower } from '../advertisements/advertisement-follower.ts';
import { byName } from '../advertisements/advertisements.ts';
import { FABRIC_CALL_WAIT_MS, FABRIC_FIRST_LIST_MS, GONE_NAMES_LIMIT } from '../fabric-limits.ts';
import type { NatsAccess } from '../link/connect-nats.ts';
import { FabricLink } from '../link/fabric-link.ts';
import type { PinnedGroups } from './group-pins.ts';
import { RemoteCallTable, type RemoteTool } from './remote-call-table.ts';

export interface FabricSourceOptions {
	readonly access: NatsAccess;
	/** Patterns of the tools that are used, as `group__tool`. */
	readonly patterns: readonly string[];
	/** Which workers may run the calls; the first that matches a tool counts. Default: any. */
	readonly rules?: readonly FabricRule[] | undefined;
	/** The pins of the tools of others. Default: they are not compared. */
	readonly pins?: PinnedGroups | undefined;
	/** The id of this hub: tools that came through it are left out. */
	readonly hubId?: string | undefined;
	/** Equal for the same settings. */
	readonly configurationKey?: string | undefined;
	readonly log: Log;
}

/** The list of the tools of one group, cached until it changes. */
interface ListedGroupTools {
	readonly tools: readonly Tool[];
	readonly routes: readonly (readonly [string, RemoteTool])[];
	readonly shown: readonly Tool[];
}

/** It connects on first use, in the background. */
export class FabricSource
	implements
		Source,
		Can<'address' | 'qualifiesNames' | 'hasDownTool' | 'warm' | 'retire' | 'configurationKey' | 'overview'>
{
	readonly id = 'fabric';
	readonly kind = 'fabric';
	readonly capabilities: readonly Capability[] = ['tools'];
	readonly qualifiesNames = false;
	readonly configurationKey: string;
	readonly link: FabricLink;
	readonly #options: FabricSourceOptions;
	readonly #isUsed: ToolTest;
	readonly #rules: readonly { readonly test: ToolTest; readonly rule: FabricRule }[];
	readonly #follower: AdvertisementFollower;
	readonly #calls: RemoteCallTable;
	readonly #listeners = new Listeners<Change>();
	/** The last list, by group. */
	#listed = new Map<string, ListedGroupTools>();
	/** The route of every tool of the last list, also of those that are quarantined. */
	#routes = new Map<string, RemoteTool>();
	/** The routes of tools that were listed before. */
	readonly #gone = new BoundedMap<string, RemoteTool>(GONE_NAMES_LIMIT);
	#tools: readonly Tool[] | undefined;
	#isReady: Promise<unknown> | undefined;
	#isWarm = false;
	/** Whether the bucket was read once. */
	#isLoaded = false;

	constructor(options: FabricSourceOptions) {
		const { access, configurationKey = '', log } = options;
		this.configurationKey = configurationKey;
		this.#options = options;
		// The groups of others are not configured here.
		const groups = new ServerNames([]);
		this.#isUsed = anyToolPattern(options.patterns, groups);
		this.#rules = (options.rules ?? []).map((rule) => ({ test: anyToolPattern(rule.tools, groups), rule }));
		this.link = new FabricLink(access, log);
		this.#follower = new AdvertisementFollower(this.link, log, () => this.#changed());
		const { advertisements } = this.#follower;
		this.#calls = new RemoteCallTable({ link: this.link, name: access.name, advertisements, log });
		options.pins?.onQuarantine(() => {
			this.#listed.clear();
			this.#changed();
		});
		void this.#follower.loaded.then(() => {
			this.#isLoaded = true;
			this.#changed();
		});
	}

	warm(): void {
		this.#isWarm = true;
		this.link.open();
	}

	/** A worker goes on with a call when this hub ends. */
	get address(): string {
		return `fabric ${this.#options.access.name}`;
	}

	get status(): SourceStatus {
		const { isUp, error } = this.link;
		const tools = this.#tools?.length;
		if (!this.#isWarm) return { state: 'known' };
		if (isUp) return { state: 'ready', tools };
		return { state: error ? 'failed' : 'starting', error, isListed: false, tools };
	}

	/** The names of the workers of a group. */
	workersOf(group: string): readonly string[] {
		return this.#follower.advertisements.workers(group).map(({ name }) => name);
	}

	/** The overview from memory; nothing is queried. */
	overview(): FabricOverview {
		const { access, pins } = this.#options;
		const { advertisements } = this.#follower;
		this.#tools ??= this.#isLoaded ? this.#list() : undefined;
		const wallClock = Date.now() - performance.now();
		const groups = [...this.#listed].map(
			([name, { routes }]): FabricGroup => ({
				name,
				tools: routes.length,
				...(pins?.stateOf(name) ?? { pin: 'off', drifted: 0 }),
				quarantined: routes.filter(([, { tool }]) => pins?.quarantineReason(name, tool) !== undefined).length,
				workers: advertisements
					.workers(name)
					.toSorted(byName)
					.map(({ hashes: _hashes, revision: _revision, heardAt, ...worker }) => ({
						...worker,
						...this.#calls.counts.of(worker.name),
						heardAt: Math.round(wallClock + heardAt),
					})),
			}),
		);
		const { inFlight, counts } = this.#calls;
		const { failed, failures } = counts;
		return { name: access.name, link: this.link.facts, groups, inFlight, failed: { ...failed }, failures };
	}

	serverOf(name: string): string | undefined {
		return this.#routes.get(name)?.group;
	}

	/** Until the bucket was read, every tool that it may use may be one. */
	hasDownTool(name: string): boolean {
		if (this.#routes.has(name) || this.#gone.has(name)) return true;
		const at = name.indexOf('__');
		if (this.#isLoaded || at <= 0) return false;
		return this.#isUsed({ name, server: name.slice(0, at), tool: name.slice(at + 2) });
	}

	async list(): Promise<readonly Tool[]> {
		await this.ready();
		this.#tools ??= this.#list();
		return this.#tools;
	}

	/** Only `tools/call`: it has no other capability. */
	request(call: Call): Promise<Answer> {
		this.warm();
		const { context } = call;
		const name = targetName(call);
		if (context.durable?.sentAs !== undefined) return this.#calls.resume(context.durable.sentAs, context);
		const route = this.#routes.get(name) ?? this.#gone.get(name);
		return route === undefined ? this.#callLater(name, context) : this.#call(route, context);
	}

	/** A call before the bucket was read waits for them. */
	async #callLater(name: string, context: CallContext): Promise<Answer> {
		await within(this.#follower.loaded, FABRIC_CALL_WAIT_MS, false);
		context.signal.throwIfAborted();
		this.#tools ??= this.#list();
		const route = this.#routes.get(name);
		if (route !== undefined) return this.#call(route, context);
		if (this.#isLoaded) throw rpcError(rpcCodes.invalidParams, `Unknown tool: ${name}`);
		const why = this.link.isUp ? 'it reads what workers offer' : this.link.downReason;
		throw new OrchestraError('closed', `not run: ${name}: the fabric is still connecting: ${why}`, {
			hint: 'It is safe to call it again. mctl fabric status shows who offers what.',
			data: { tool: name, outcome: 'not_run' },
		});
	}

	#call(route: RemoteTool, context: CallContext): Promise<Answer> {
		const quarantined = this.#options.pins?.quarantineReason(route.group, route.tool);
		if (quarantined !== undefined) return Promise.resolve(failure(quarantined));
		const called = this.#calls.call(route, context);
		return called.then((result) => this.#pagesOf(route.group).result(result));
	}

	readonly watch: Listeners<Change>['add'] = this.#listeners.add;

	async ready(): Promise<void> {
		this.warm();
		this.#isReady ??= within(this.#follower.loaded, FABRIC_FIRST_LIST_MS);
		await this.#isReady;
	}

	/** The configuration has replaced it: finish the calls in flight. */
	async retire(): Promise<void> {
		this.#listeners.clear();
		await this.#calls.idle();
		await this.close();
	}

	/** Calls in flight are given up. */
	async close(): Promise<void> {
		this.#listeners.clear();
		this.#follower.close();
		this.#calls.close();
		await this.link.close();
		await this.#options.pins?.close();
	}

	#list(): readonly Tool[] {
		const { access, patterns } = this.#options;
		const { advertisements } = this.#follower;
		const before = this.#routes;
		const routes = new Map<string, RemoteTool>();
		const listed = new Map<string, ListedGroupTools>();
		const shown: Tool[] = [];
		for (const group of advertisements.groups) {
			if (!patterns.some((pattern) => mayMatch(pattern, `${group}__`))) continue;
			const tools = advertisements.toolsOf(group, access.name);
			const known = this.#listed.get(group);
			const one = known?.tools === tools ? known : this.#listGroup(group, tools);
			listed.set(group, one);
			for (const [name, route] of one.routes) routes.set(name, route);
			for (const tool of one.shown) shown.push(tool);
		}
		this.#listed = listed;
		this.#routes = routes;
		for (const [name, route] of before) if (!routes.has(name)) this.#gone.set(name, route);
		return shown;
	}

	#listGroup(group: string, tools: readonly Tool[]): ListedGroupTools {
		const { pins, hubId: own, log } = this.#options;
		const pages = this.#pagesOf(group);
		const routes: [string, RemoteTool][] = [];
		const shown: Tool[] = [];
		for (const tool of withoutCircles(tools, { own, kind: `tools of ${group}`, log })) {
			const name = qualifiedName(group, tool.name);
			const named = { name, server: group, tool: tool.name };
			if (!this.#isUsed(named)) continue;
			const rule = this.#rules.find(({ test }) => test(named))?.rule;
			// All tools of a group that is used, so that another `use` is no drift.
			if (routes.length === 0) pins?.read(group, tools);
			routes.push([name, { group, tool: tool.name, rule }]);
			if (pins?.quarantineReason(group, tool.name) === undefined) {
				shown.push({ ...pages.tool(tool), name });
			}
		}
		return { tools, routes, shown };
	}

	/** No pages cross the fabric: those of a remote tool must not be read as pages of a server here. */
	#pagesOf(group: string): UriLabels {
		return new UriLabels(`fabric ${group}`);
	}

	#changed(): void {
		this.#tools = undefined;
		this.#listeners.emit({ kind: 'tools' });
	}
}

/** Whether a pattern can match a name that begins so. */
function mayMatch(pattern: string, beginning: string): boolean {
	if (pattern.startsWith('*')) return true;
	const [literal = ''] = pattern.split('*');
	return literal.startsWith(beginning) || beginning.startsWith(literal);
}
