/*
 * One legacy session over HTTP: the same MCP session and peer as on stdio, with a
 * channel that sends each message on the stream it belongs to.
 *
 * Messages about a request go to its POST; all others to a stream for push. A client
 * that disconnects does not cancel its calls.
 */
import type { ServerResponse } from 'node:http';
import { OrchestraError } from '../../errors.ts';
import { McpSession } from '../../mcp/server/mcp-session.ts';
import type { Provider } from '../../mcp/server/provider.ts';
import { negotiate } from '../../protocol/revisions.ts';
import { CallTable } from '../../rpc/calls/call-table.ts';
import type { About } from '../../rpc/channel.ts';
import { mcpDialect } from '../../rpc/dialect.ts';
import type { Peer } from '../../rpc/peer.ts';
import { parseJson } from '../../wire/json.ts';
import { type Id } from '../../wire/json-rpc.ts';
import type { MessageView } from '../../wire/message-view.ts';
import type { Principal } from '../authenticate.ts';
import { EventStream } from '../event-stream.ts';
import { HttpChannel } from '../http-channel.ts';
import type { McpEndpointDeps } from '../http-exchange.ts';
import { LegacyPost } from './legacy-post.ts';
import { PushStreamTable } from './push-stream-table.ts';
import { ReplayBuffer, readEventId } from './replay-buffer.ts';

/** The first revision whose streams begin with an event id. */
const PRIMED_SINCE = '2025-11-25';

export interface LegacyHttpSessionDeps
	extends Pick<McpEndpointDeps, 'provider' | 'shared' | 'limits' | 'heartbeats' | 'log'> {
	readonly principal: Principal;
	/** The version that the client asked for. */
	readonly version: unknown;
}

/** A request: its view when it may pass as text, else its parsed value. */
export interface ReceivedRequest {
	readonly view?: MessageView;
	readonly value?: unknown;
	readonly text: string;
	readonly id: Id;
}

export class LegacyHttpSession extends HttpChannel {
	readonly id: string = crypto.randomUUID();
	readonly #deps: LegacyHttpSessionDeps;
	readonly #session: McpSession;
	readonly #peer: Peer;
	readonly #posts = new CallTable<Id, LegacyPost>();
	readonly #replay: ReplayBuffer;
	readonly #push: PushStreamTable;
	readonly #revision: ReturnType<typeof negotiate>;
	readonly #beat = (now: number): void => this.#keepAlive(now);
	#usedAt = performance.now();
	#streamCount = 0;
	#isClosed = false;

	constructor(deps: LegacyHttpSessionDeps) {
		super();
		const { provider, limits } = deps;
		this.#deps = deps;
		this.#revision = negotiate(deps.version);
		this.#replay = new ReplayBuffer(limits);
		this.#push = new PushStreamTable(limits, this.#replay);
		this.#session = new McpSession(provider, { ...deps, sessionId: this.id, transport: 'http' });
		this.#peer = this.#session.open(this);
		deps.heartbeats.add(this.#beat);
	}

	get principal(): Principal {
		return this.#deps.principal;
	}

	get provider(): Provider {
		return this.#deps.provider;
	}

	get acceptsBatch(): boolean {
		return this.#revision.acceptsBatch;
	}

	get pushCount(): number {
		return this.#push.count;
	}

	/** Since when no client is connected; undefined while one is. */
	get idleSince(): number | undefined {
		const isConnected = this.#push.count > 0 || [...this.#posts.values()].some((post) => post.isConnected);
		return isConnected ? undefined : this.#usedAt;
	}

	/** True while a call runs, which the client may ask for later. */
	get hasCalls(): boolean {
		return this.#posts.size > 0;
	}

	/** True when a request with this id has no response yet. */
	isInFlight(id: Id): boolean {
		return this.#posts.has(id);
	}

	/** Handle the requests of one POST. */
	request(requests: readonly ReceivedRequest[], response: ServerResponse, isBatch: boolean): void {
		const { limits, heartbeats, shared } = this.#deps;
		this.#usedAt = performance.now();
		const keys = requests.map(({ id }) => id);
		const post = new LegacyPost(response, {
			name: `p${++this.#streamCount}`,
			replay: this.#replay,
			isPrimed: this.#revision.version >= PRIMED_SINCE,
			keys,
			isBatch,
			unreadTotal: shared.unreadTotal,
			limits,
			heartbeats,
		});
		for (const key of keys) this.#posts.set(key, post);
		for (const { view, value, text } of requests)
			if (!view || !this.#peer.takeView(view)) this.#peer.parsed(view ? parseJson(text) : value, text);
	}

	/** Handle a notification or a response of the client. */
	receive(value: unknown, text: string): void {
		this.#usedAt = performance.now();
		this.#peer.parsed(value, text);
		const { method, params } = value as { method?: string; params?: unknown };
		const canceled = method === undefined ? undefined : mcpDialect.canceledId(method, params, text);
		if (canceled === undefined) return;
		this.#posts.get(canceled)?.cancel(canceled);
		this.#posts.take(canceled);
	}

	/** Open a stream for push, or continue the stream of `lastEventId`. False when its messages are lost. */
	listen(response: ServerResponse, lastEventId: string | undefined): boolean {
		this.#usedAt = performance.now();
		const last = lastEventId === undefined ? undefined : readEventId(lastEventId);
		if (last?.stream.startsWith('p')) return this.#resumePost(response, last);
		const lost = last && this.#replay.after(last.stream, last.number);
		const stream = new EventStream(response, this.#deps.limits);
		const name = `g${++this.#streamCount}`;
		let number = 0;
		for (const { text } of lost ?? []) stream.send(text, this.#replay.add(name, ++number, text));
		this.#push.add(stream, name, number);
		return true;
	}

	post(text: string, about?: About): boolean {
		if (this.#isClosed) throw new OrchestraError('closed', 'the HTTP session has ended');
		const post = about && this.#posts.get(about.id);
		if (about?.isResponse) {
			this.#posts.take(about.id);
			this.#usedAt = performance.now();
			post?.respond(about.id, text);
		} else if (post?.isReachable) post.send(text);
		else this.#push.send(text);
		return true;
	}

	/** End the session: its calls are canceled and its streams are ended. Idempotent. */
	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#session.close();
		this.#peer.cancelIncoming('the session has ended');
		this.#isClosed = true;
		this.#peer.end(new OrchestraError('closed', 'the client ended its session'));
		this.#deps.heartbeats.remove(this.#beat);
		for (const post of new Set(this.#posts.values())) post.end();
		this.#posts.clear();
		this.#push.end();
	}

	#resumePost(response: ServerResponse, { stream, number }: { stream: string; number: number }): boolean {
		const post = [...this.#posts.values()].find(({ name }) => name === stream);
		const buffered = post ? post.after(number) : this.#replay.after(stream, number);
		if (buffered === undefined || (post === undefined && buffered.length === 0)) return false;
		const events = new EventStream(response, this.#deps.limits);
		if (post) {
			post.resume(events, buffered);
			return true;
		}
		for (const { text, id } of buffered) events.send(text, id);
		events.end();
		return true;
	}

	#keepAlive(now: number): void {
		this.#push.keepAlive(now);
		for (const post of this.#posts.values()) post.keepAlive(now);
	}
}
