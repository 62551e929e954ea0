/*
 * The tools of other hubs as a backend. A tool is called `offer__tool`, also when
 * only one offer has a tool of that name.
 */
import { OrchestraError } from '../errors.ts';
import type { Backend } from '../hub/backends/backend.ts';
import { qualifiedName } from '../hub/names.ts';
import type { Log } from '../log.ts';
import { failure } from '../mcp/define/defined-results.ts';
import type { CallContext } from '../mcp/server/call-context.ts';
import type { CallToolParams, Change } from '../mcp/server/provider.ts';
import type { CallToolResult, Tool } from '../protocol/mcp-types.ts';
import { within } from '../rpc/clock.ts';
import { matchesWildcard } from '../trust/wildcard.ts';
import type { NatsAccess } from './connect-nats.ts';
import { FabricLink } from './fabric-link.ts';
import { OfferFollower } from './offer-follower.ts';
import type { OfferPins } from './offer-pins.ts';
import { RemoteCalls } from './remote-calls.ts';

export interface FabricBackendOptions {
	readonly access: NatsAccess;
	/** Patterns of the tools that are used, as `offer__tool`. */
	readonly patterns: readonly string[];
	/** What was accepted of the tools of others. Default: they are not compared. */
	readonly pins?: OfferPins | undefined;
	readonly log: Log;
}

/** How long the first list waits for the fabric. */
const FIRST_LIST_MS = 1500;
/** Names of tools that were offered before, for the error of a call. */
const GONE_NAMES_LIMIT = 20_000;

/** The offer and own name of a tool. */
interface Route {
	readonly offer: string;
	readonly tool: string;
}

/** What was made of the tools of one offer, until it changes. */
interface ListedOffer {
	readonly tools: readonly Tool[];
	readonly routes: readonly (readonly [string, Route])[];
	readonly shown: readonly Tool[];
}

export class FabricBackend implements Backend {
	readonly id = 'fabric';
	readonly kind = 'fabric';
	readonly qualifiesNames = false;
	readonly link: FabricLink;
	readonly #options: FabricBackendOptions;
	readonly #follower: OfferFollower;
	readonly #calls: RemoteCalls;
	readonly #listeners = new Set<(change: Change) => void>();
	/** The last list, by offer. */
	#listed = new Map<string, ListedOffer>();
	/** Of every tool of the last list, also of those that are held back. */
	#routes = new Map<string, Route>();
	/** Of tools that were listed before. */
	readonly #gone = new Map<string, Route>();
	#tools: readonly Tool[] | undefined;
	#isReady: Promise<unknown> | undefined;

	constructor(options: FabricBackendOptions) {
		const { access, log } = options;
		this.#options = options;
		this.link = new FabricLink(access, log);
		this.#follower = new OfferFollower(this.link, log, () => this.#changed());
		const workersOf = (offer: string): readonly string[] => this.workersOf(offer);
		const hasWorkers = (offer: string): boolean => this.#follower.offers.hasWorkers(offer);
		this.#calls = new RemoteCalls({ link: this.link, name: access.name, workersOf, hasWorkers, log });
		options.pins?.onHeld(() => {
			this.#listed.clear();
			this.#changed();
		});
		this.link.open();
	}

	get state(): string {
		return this.link.isUp ? 'ready' : 'down';
	}

	get downReason(): string | undefined {
		return this.link.isUp ? undefined : `the fabric: ${this.link.downReason}`;
	}

	/** The names of the workers of an offer. */
	workersOf(offer: string): readonly string[] {
		return this.#follower.offers.workers(offer).map(({ name }) => name);
	}

	hasDownTool(name: string): boolean {
		return this.#routes.has(name) || this.#gone.has(name);
	}

	async listTools(): Promise<readonly Tool[]> {
		await this.ready();
		this.#tools ??= this.#list();
		return this.#tools;
	}

	callTool({ name }: CallToolParams, context: CallContext): Promise<CallToolResult> {
		const route = this.#routes.get(name) ?? this.#gone.get(name);
		if (route === undefined)
			throw new OrchestraError('not_found', `${name} was never offered by the fabric`, {
				hint: 'mctl fabric status shows who offers what.',
			});
		const held = this.#options.pins?.heldReason(route.offer, route.tool);
		if (held !== undefined) return Promise.resolve(failure(held));
		return this.#calls.call(route.offer, route.tool, context);
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	async ready(): Promise<void> {
		this.#isReady ??= within(this.#follower.loaded, FIRST_LIST_MS);
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
		const { offers } = this.#follower;
		const before = this.#routes;
		const routes = new Map<string, Route>();
		const listed = new Map<string, ListedOffer>();
		const shown: Tool[] = [];
		for (const offer of offers.offers) {
			if (!patterns.some((pattern) => mayMatch(pattern, `${offer}__`))) continue;
			const tools = offers.toolsOf(offer, access.name);
			const known = this.#listed.get(offer);
			const one = known?.tools === tools ? known : this.#listOffer(offer, tools);
			listed.set(offer, one);
			for (const [name, route] of one.routes) routes.set(name, route);
			for (const tool of one.shown) shown.push(tool);
		}
		this.#listed = listed;
		this.#routes = routes;
		for (const [name, route] of before) if (!routes.has(name)) this.#noteGone(name, route);
		return shown;
	}

	#noteGone(name: string, route: Route): void {
		this.#gone.set(name, route);
		const [oldest] = this.#gone.keys();
		if (this.#gone.size > GONE_NAMES_LIMIT && oldest !== undefined) this.#gone.delete(oldest);
	}

	#listOffer(offer: string, tools: readonly Tool[]): ListedOffer {
		const { patterns, pins } = this.#options;
		const usesAll = patterns.includes('*');
		const routes: [string, Route][] = [];
		const shown: Tool[] = [];
		for (const tool of tools) {
			const name = qualifiedName(offer, tool.name);
			if (!usesAll && !patterns.some((pattern) => matchesWildcard(pattern, name))) continue;
			// All tools of a group that is used, so that another `use` is no drift.
			if (routes.length === 0) pins?.read(offer, tools);
			routes.push([name, { offer, tool: tool.name }]);
			if (pins?.heldReason(offer, tool.name) === undefined) shown.push({ ...tool, name });
		}
		return { tools, routes, shown };
	}

	#changed(): void {
		this.#tools = undefined;
		for (const listener of this.#listeners) listener({ kind: 'tools' });
	}
}

/** Whether a pattern can match a name that begins so. */
function mayMatch(pattern: string, beginning: string): boolean {
	if (pattern.startsWith('*')) return true;
	const [literal = ''] = pattern.split('*');
	return literal.startsWith(beginning) || beginning.startsWith(literal);
}
