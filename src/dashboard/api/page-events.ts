/*
 * The event streams of all open pages, with one timer that runs while there is any.
 *
 * What all pages get is made and encoded once. Nothing is queued: each stream gets what is
 * new since the last tick, or later the count of what it missed.
 */
import type { ServerResponse } from 'node:http';
import { eventHeaders, StreamedReply } from '../../http/event-stream.ts';
import { able, type ServerLine, type ServerLines } from '../../hub/source.ts';
import { redactJson } from '../../redact.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import type { DashboardLimits } from '../dashboard-limits.ts';
import { PAGE_RETRY_MS } from '../dashboard-limits.ts';
import type { CatalogueView } from '../views/catalogue-view.ts';
import type { StateView } from '../views/state-view.ts';
import type { CallsEvent } from './api-calls.ts';
import { apiHeaders } from './api-reply.ts';
import type { DashboardEvents, SignalEvent } from './api-types.ts';

/** The subjects that a stream follows besides the state and the calls. */
export interface StreamTarget {
	/** The number of a call. */
	readonly call: number | undefined;
	/** The id of a server. */
	readonly server: string | undefined;
	/** The stream ends with it. */
	readonly login: string;
}

interface OpenStream extends StreamTarget {
	readonly reply: EventReply;
	readonly lines: ServerLine[];
	droppedLines: number;
	droppedRows: number;
	/** The data of the last event of each kind. */
	readonly last: Map<string, string>;
	lastReload: number;
	followed: ServerLines | undefined;
	stopLines: (() => void) | undefined;
}

export interface EventSources {
	readonly state: StateView;
	readonly catalogue: CatalogueView;
}

export class PageEvents {
	readonly #deps: DashboardDeps;
	readonly #sources: EventSources;
	readonly #streams = new Set<OpenStream>();
	#timer: NodeJS.Timeout | undefined;
	#tickAt = 0;
	#stateAt = Number.NEGATIVE_INFINITY;
	/** How often the configuration was read again. */
	#reloads = 0;
	readonly #stopReloads: () => void;

	constructor(deps: DashboardDeps, sources: EventSources) {
		this.#deps = deps;
		this.#sources = sources;
		this.#stopReloads = deps.opened.onReload(() => void this.#reloads++);
	}

	get isFull(): boolean {
		return this.#streams.size >= this.#deps.limits.eventStreams;
	}

	/** Open a stream. It ends with the connection, or with `close`. */
	open(response: ServerResponse, { call, server, login }: StreamTarget): void {
		const { limits, calls } = this.#deps;
		if (this.#streams.size === 0) calls.takeChanges(); // those before the first page
		const stream: OpenStream = {
			call,
			server,
			login,
			reply: new EventReply(response, limits),
			lines: [],
			droppedLines: 0,
			droppedRows: 0,
			last: new Map(),
			lastReload: this.#reloads,
			followed: undefined,
			stopLines: undefined,
		};
		this.#streams.add(stream);
		response.once('close', () => this.#remove(stream));
		this.#followLines(stream, true);
		this.#sendState([stream]);
		this.#sendOwn(stream);
		this.#tickAt = performance.now();
		this.#timer ??= setInterval(() => this.#tick(), limits.tickMs);
	}

	/** End the streams of a login, and say why. */
	signOut(login: string): void {
		for (const stream of [...this.#streams].filter((each) => each.login === login)) {
			this.#remove(stream);
			stream.reply.send('signed-out', '{}');
			stream.reply.end();
		}
	}

	close(): void {
		this.#stopReloads();
		for (const stream of [...this.#streams]) {
			this.#remove(stream);
			stream.reply.end();
		}
	}

	#remove(stream: OpenStream): void {
		this.#streams.delete(stream);
		stream.stopLines?.();
		if (this.#streams.size > 0) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	#tick(): void {
		const { limits, calls } = this.#deps;
		const now = performance.now();
		const { state } = this.#sources;
		const lateMs = Math.max(0, now - this.#tickAt - limits.tickMs);
		state.loopDelayMs = state.loopDelayMs * 0.75 + lateMs * 0.25;
		this.#tickAt = now;
		const changes = calls.takeChanges();
		if (changes) this.#sendCalls(changes);
		for (const stream of this.#streams) this.#sendOwn(stream);
		if (now - this.#stateAt >= limits.stateMs - limits.tickMs / 2) this.#sendState([...this.#streams]);
		for (const { reply } of this.#streams) reply.keepAlive(now);
	}

	#sendState(streams: readonly OpenStream[]): void {
		this.#stateAt = performance.now();
		const current = this.#sources.state.current();
		const state = JSON.stringify(current);
		const approvals = JSON.stringify({ approvals: current.approvals });
		for (const stream of streams) {
			sendChanged(stream, 'state', state);
			sendChanged(stream, 'approvals', approvals);
		}
	}

	/** A stream that cannot take the rows gets their number with the next ones. */
	#sendCalls(event: CallsEvent): void {
		const json = JSON.stringify(event);
		for (const stream of this.#streams) {
			if (!stream.reply.isReady) stream.droppedRows += event.rows.length + event.dropped;
			else if (stream.droppedRows === 0) stream.reply.send('calls', json);
			else {
				const dropped = event.dropped + stream.droppedRows;
				stream.droppedRows = 0;
				stream.reply.send('calls', JSON.stringify({ ...event, dropped }));
			}
		}
	}

	#sendOwn(stream: OpenStream): void {
		const { reply } = stream;
		if (!reply.isReady) return;
		// What changed since an earlier stream of the page is news to it.
		sendChanged(stream, 'catalogue', JSON.stringify({ version: this.#sources.catalogue.version }));
		if (stream.lastReload !== this.#reloads) reply.send('settings', '{}');
		stream.lastReload = this.#reloads;
		this.#followLines(stream);
		this.#sendLines(stream);
		if (stream.call === undefined) return;
		const details = this.#deps.calls.details(stream.call);
		if (details) sendChanged(stream, 'call', JSON.stringify(redactJson(details)));
	}

	/** The lines of a server exist from its first use on; with a changed entry they are others. Those are new to the page. */
	#followLines(stream: OpenStream, isFirst = false): void {
		if (stream.server === undefined) return;
		const source = this.#deps.hub.sources.find(({ id }) => id === stream.server);
		const lines = able(source, 'control')?.lines();
		if (lines === undefined || lines === stream.followed) return;
		stream.stopLines?.();
		stream.followed = lines;
		if (!isFirst) stream.lines.push(...lines.last(this.#deps.limits.eventLines - stream.lines.length));
		stream.stopLines = lines.listen((line) => {
			if (stream.lines.length < this.#deps.limits.eventLines) stream.lines.push(line);
			else stream.droppedLines++;
		});
	}

	#sendLines(stream: OpenStream): void {
		const { server, lines, droppedLines: dropped } = stream;
		if (server === undefined || lines.length === 0) return;
		stream.reply.send('log', JSON.stringify({ server, lines, dropped }));
		stream.lines.length = 0;
		stream.droppedLines = 0;
	}
}

/** Send an event that differs from the last one of its kind. */
function sendChanged({ reply, last }: OpenStream, name: keyof DashboardEvents, json: string): void {
	if (!reply.isReady || last.get(name) === json) return;
	reply.send(name, json);
	last.set(name, json);
}

/**
 * One stream of server-sent events, bounded towards a page that does not read.
 *
 * Above the limit nothing is written: a newer state replaces an older one, and rows and
 * lines are counted as dropped. A connection that moves no byte is closed by the listener.
 */
class EventReply extends StreamedReply {
	readonly #pingMs: number;

	constructor(response: ServerResponse, limits: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>) {
		super(response, limits.unreadBytes, {
			...apiHeaders,
			...eventHeaders,
			'Cache-Control': 'no-store, no-transform',
		});
		this.#pingMs = limits.pingMs;
		this.write(`retry: ${PAGE_RETRY_MS}\n\n`);
	}

	/** True when the page reads, so that an event can be sent. */
	get isReady(): boolean {
		return this.isOpen && !this.isFull;
	}

	/** Send an event whose data is encoded. JSON has no line break outside of white space. */
	send(name: keyof DashboardEvents | SignalEvent, json: string): void {
		if (this.isReady) this.write(`event: ${name}\ndata: ${json}\n\n`);
	}

	/** Send a `ping` when nothing was sent for a while. A page does not see comments. */
	keepAlive(now: number): void {
		if (this.isQuiet(now, this.#pingMs)) this.send('ping', '{}');
	}
}
