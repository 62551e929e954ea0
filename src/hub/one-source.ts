/*
 * One source of a hub as a provider: only its tools, prompts and resources, under its own names.
 * Its calls have the life of those of the hub, without what is about all sources together.
 *
 * The source is looked up for each request, because a change of the configuration
 * replaces it.
 */
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import type { CallContext, ClientConnection } from '../mcp/server/call-context.ts';
import { after, calls } from '../mcp/server/methods.ts';
import type { Call, Capability, Change, Provider } from '../mcp/server/provider.ts';
import type { ToolForwarder } from '../mcp/server/text-calls-client.ts';
import { type Item, type ItemKind, lists } from '../protocol/item-lists.ts';
import type { Answer, Awaitable, Extensions, Implementation, Tool } from '../protocol/mcp-types.ts';
import { rpcError } from '../rpc/rpc-error.ts';
import type { NamedTool } from '../trust/tool-name.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import { HubCall, type Target } from './calls/hub-call.ts';
import { type Handler, readerOf } from './calls/middleware.ts';
import type { MergedList, Route } from './catalogue/merged-list.ts';
import { unlistedName } from './catalogue/published-names.ts';
import { AnnouncedExtensions } from './extensions.ts';
import type { Hub } from './hub.ts';
import type { HubSessions } from './sessions/hub-sessions.ts';
import { able, type Source } from './source.ts';
import type { HubTasks } from './tasks/hub-tasks.ts';

export class OneSource implements Provider {
	readonly answersAll = true;
	readonly info: Implementation;
	readonly sessions: HubSessions;
	readonly #hub: Hub;
	readonly #id: string;
	readonly #life: Handler;
	/** The last lists that clients got, to notify them of real changes only. */
	readonly #given = new Map<Change['kind'], readonly unknown[]>();

	constructor(hub: Hub, id: string) {
		this.#hub = hub;
		this.#id = id;
		this.info = { name: id, version: hub.info.version };
		this.sessions = hub.sessions;
		this.#life = hub.life({ list: (kind) => this.#list(kind), find: (call) => this.#find(call) });
	}

	/** False when the configuration no longer has this source. */
	get exists(): boolean {
		return this.#hub.sources.some(({ id }) => id === this.#id);
	}

	get hubId(): string | undefined {
		return this.#hub.hubId;
	}

	instructions(): Awaitable<string | undefined> {
		return able(this.#source(), 'instructions')?.instructions();
	}

	get capabilities(): readonly Capability[] {
		return this.#source().capabilities;
	}

	extensions(era: 'legacy' | 'modern'): Extensions {
		return new AnnouncedExtensions(() => [this.#source()], Log.silent).for(era);
	}

	get tasks(): HubTasks | undefined {
		return this.#hub.tasks;
	}

	list(kind: ItemKind, context?: CallContext): Awaitable<readonly Item[]> {
		return after(this.#life.list(kind, readerOf(context)), ({ items }) => items);
	}

	request(call: Call): Awaitable<Answer> {
		return this.#life.request(new HubCall(call));
	}

	/** A tool passes as text once the list of its source is known. */
	toolForwarder(): ToolForwarder {
		return this.#hub.toolForwarder({ info: this.info, find: (name) => this.#findTool(name) });
	}

	subscribeResource(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		return this.#hub.subscribeResource(uri, isSubscribed, client);
	}

	watch(listener: (change: Change) => void): () => void {
		return this.#hub.watch((change) => this.#onChange(change, listener));
	}

	#list(kind: ItemKind): Awaitable<MergedList<Item>> {
		const { key, change } = lists[kind];
		const source = this.#source();
		return after(this.#items(kind), (items) => {
			if (kind !== 'templates') this.#given.set(change, items);
			const sorted = [...items].sort((one, other) => (String(one[key]) < String(other[key]) ? -1 : 1));
			if (kind !== 'tools' || !this.#hub.hasPolicy) return { items: sorted, routes: noRoutes };
			return after(publishedTools(this.#hub, source), (published) => {
				const routes = sorted.map((item): [string, Route<Item>] => {
					const name = String(item[key]);
					return [name, { source, name, item, toolName: toolNameOf(published, source, name) }];
				});
				return { items: sorted, routes: new Map(routes) };
			});
		});
	}

	#find({ method, kind, name }: HubCall): Awaitable<Target> {
		const source = this.#source();
		const { capability, isReported, otherwise } = calls[method];
		const isDeclared = source.capabilities.includes(capability);
		const unlisted = { source, name };
		// A resource need not be listed.
		const isSent = kind === 'resources' ? isDeclared : !isReported;
		if (isSent || (!isDeclared && otherwise)) return unlisted;
		return after(this.#items(kind), (items) => {
			const item = items.find((each) => each.name === name);
			const isDown = kind === 'tools' && able(source, 'hasDownTool')?.hasDownTool(name);
			if (!item && !isDown) throw rpcError(rpcCodes.invalidParams, `Unknown ${kind.slice(0, -1)}: ${name}`);
			if (kind !== 'tools' || !this.#hub.hasPolicy) return { ...unlisted, item };
			return publishedTarget(this.#hub, source, name);
		});
	}

	#findTool(name: string): Awaitable<Route<Tool> | undefined> {
		const source = this.#source();
		return after(this.#items('tools'), (items) => {
			// The items of this kind are tools.
			const item = items.find((each) => each['name'] === name) as Tool | undefined;
			if (item === undefined || !this.#hub.hasPolicy) return item && { source, name, item };
			return after(publishedTools(this.#hub, source), (published) => published.get(name));
		});
	}

	/** None of a kind that the source does not declare. */
	#items(kind: ItemKind): Awaitable<readonly Item[]> {
		const source = this.#source();
		return source.capabilities.includes(lists[kind].capability) ? source.list(kind) : [];
	}

	#source(): Source {
		const source = this.#hub.sources.find(({ id }) => id === this.#id);
		if (source) return source;
		throw new OrchestraError('not_found', `the configuration no longer has ${this.#id}`, {
			hint: 'Add it again, or connect to another server.',
		});
	}

	/** The hub reports a change of any source. */
	#onChange(change: Change, listener: (change: Change) => void): void {
		if (change.kind === 'log') return void (change.source === this.#id && listener(change));
		const given = this.#given.get(change.kind);
		if (change.kind === 'resource' || change.kind === 'resources' || given === undefined || !this.exists)
			return listener(change);
		void Promise.resolve(this.#items(change.kind)).then(
			(now) => isSameList(given, now) || listener(change),
			() => listener(change), // a list that cannot be compared may have changed
		);
	}
}

const noRoutes: ReadonlyMap<string, Route<Item>> = new Map();

/** A tool of a source, with the name that clients of the whole hub see: the policy knows it by that one. */
export function publishedTarget(hub: Hub, source: Source, name: string): Awaitable<Target> {
	return after(publishedTools(hub, source), (published) => ({
		source,
		name,
		item: published.get(name)?.item,
		toolName: toolNameOf(published, source, name),
	}));
}

/** The tools of a source, keyed by the names that it gives them. */
function publishedTools(hub: Hub, source: Source): Awaitable<ReadonlyMap<string, Route<Tool>>> {
	return after(hub.catalogue.list('tools'), ({ routes }) => {
		const own = [...routes.values()].filter((route) => route.source === source);
		return new Map(own.map((route) => [route.name, route]));
	});
}

function toolNameOf(published: ReadonlyMap<string, Route<Tool>>, source: Source, name: string): NamedTool {
	return published.get(name)?.toolName ?? unlistedName(source, name);
}

export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
	return one.length === other.length && one.every((item, at) => item === other[at]);
}
