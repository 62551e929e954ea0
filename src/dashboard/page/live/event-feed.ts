/*
 * The one event stream of the page.
 *
 * An `EventSource` reconnects by itself after a broken connection, but gives up after a reply
 * with an error status, such as that of a hub that is starting. Here every failure closes it
 * and a new one is opened, after a backoff. A hub that hangs keeps its connections, so silence is a
 * failure too: the hub sends `ping` when nothing else happens. What the page follows closely (one call, the log of
 * one server) is part of the URL, so a change of it opens a new stream.
 */
import { type Signal, signal } from '@preact/signals';
import { Backoff } from '../../../rpc/backoff.ts';
import type { DashboardEvents } from '../../api/api-types.ts';
import {
	FEED_ANSWER_MS,
	FEED_HIDDEN_MS,
	FEED_RETURN_MS,
	FEED_SILENCE_MS,
	FIRST_BACKOFF_MS,
	LONGEST_BACKOFF_MS,
} from '../page-limits.ts';
import { pathWith } from './api-client.ts';

export type FeedState = 'connecting' | 'live' | 'paused' | 'lost' | 'signed out' | 'restarted';

export interface Followed {
	readonly call?: number | undefined;
	readonly server?: string | undefined;
}

type EventName = keyof DashboardEvents;
export type EventHandlers = { readonly [Name in EventName]: (event: DashboardEvents[Name]) => void };

export class EventFeed {
	readonly connection: Signal<FeedState> = signal('connecting');
	/** Rises with each connection: what was fetched before may be out of date. */
	readonly opened: Signal<number> = signal(0);
	/** Rises when the hub has read its configuration again. */
	readonly configured: Signal<number> = signal(0);
	readonly #handlers: EventHandlers;
	#followed: Followed = {};
	#source: EventSource | undefined;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#silenceTimer: ReturnType<typeof setTimeout> | undefined;
	#hiddenTimer: ReturnType<typeof setTimeout> | undefined;
	readonly #backoff = new Backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS);

	constructor(handlers: EventHandlers) {
		this.#handlers = handlers;
	}

	open(): void {
		clearTimeout(this.#timer);
		const source = new EventSource(pathWith('/api/events', { ...this.#followed }));
		const earlier = this.#source;
		this.#source = source;
		this.#watchSilence();
		source.addEventListener('open', () => {
			// The earlier stream ends when the next one is there: no event is lost between them.
			earlier?.close();
			this.#onOpen();
		});
		source.addEventListener('error', () => {
			earlier?.close();
			if (source === this.#source) this.#onError();
		});
		for (const name of Object.keys(this.#handlers) as EventName[])
			source.addEventListener(name, ({ data }) => this.#dispatch(name, data));
		source.addEventListener('ping', () => this.#watchSilence());
		source.addEventListener('signed-out', () => this.signOut());
		source.addEventListener('settings', () => {
			this.#watchSilence();
			this.configured.value += 1;
		});
	}

	/** Follow one call or the log of one server, besides everything that always comes. */
	follow(followed: Followed): void {
		if (followed.call === this.#followed.call && followed.server === this.#followed.server) return;
		this.#followed = followed;
		this.open();
	}

	/**
	 * A browser has few connections per host for all tabs together, so a hidden tab
	 * gives its stream back after a while. Call it when the page is shown or hidden.
	 */
	onVisibility(isHidden: boolean): void {
		clearTimeout(this.#hiddenTimer);
		if (isHidden) this.#hiddenTimer = setTimeout(() => this.#pause(), FEED_HIDDEN_MS);
		else if (this.connection.peek() === 'paused') this.open();
	}

	/** The session is over. A hub that was away before is a new one, which knows no sign-in. */
	signOut(): void {
		if (this.#isSignedOut) return;
		const isNewHub = this.connection.peek() === 'lost';
		this.#closeSource();
		this.connection.value = isNewHub ? 'restarted' : 'signed out';
		this.#awaitReturn();
	}

	get #isSignedOut(): boolean {
		return this.connection.peek() === 'signed out' || this.connection.peek() === 'restarted';
	}

	/** `mctl dashboard` signs in the browser, in another tab: then this one goes on. */
	#awaitReturn(): void {
		this.#timer = setTimeout(async () => {
			const status = document.hidden ? 0 : await statusOfHub();
			if (status === 200) this.open();
			else this.#awaitReturn();
		}, FEED_RETURN_MS);
	}

	#pause(): void {
		if (this.#isSignedOut) return;
		this.#closeSource();
		this.connection.value = 'paused';
	}

	#onOpen(): void {
		this.#backoff.reset();
		this.#watchSilence();
		if (this.connection.peek() === 'live') return;
		this.connection.value = 'live';
		this.opened.value += 1;
	}

	/** Count the time without an event from now on. */
	#watchSilence(): void {
		clearTimeout(this.#silenceTimer);
		if (this.#source) this.#silenceTimer = setTimeout(() => this.#onError(), FEED_SILENCE_MS);
	}

	#onError(): void {
		this.#closeSource();
		if (this.#isSignedOut) return this.#awaitReturn();
		this.connection.value = 'lost';
		this.#timer = setTimeout(() => this.#retry(), this.#backoff.nextMs());
	}

	/** `EventSource` hides the status of a reply, so ask for it: 401 ends the session of the page. */
	async #retry(): Promise<void> {
		if ((await statusOfHub()) === 401) this.signOut();
		else this.open();
	}

	#dispatch(name: EventName, data: string): void {
		this.#watchSilence();
		const handle: (event: never) => void = this.#handlers[name];
		// The hub sends the data of this name.
		handle(JSON.parse(data) as never);
	}

	#closeSource(): void {
		clearTimeout(this.#timer);
		clearTimeout(this.#silenceTimer);
		this.#source?.close();
		this.#source = undefined;
	}
}

/** The status of a reply; 0 when there is none. */
function statusOfHub(): Promise<number> {
	return fetch('/api/state', { signal: AbortSignal.timeout(FEED_ANSWER_MS) }).then(
		(response) => response.status,
		() => 0,
	);
}
