/*
 * The list of calls that match a filter: live at its top, older pages as the reader scrolls.
 *
 * A filter is applied by the hub. New rows come by events and are compared here with the same
 * rules: the text is part of the tool's or the client's name, whatever the case. When events leave
 * rows out, the top is loaded again, once per second. Below the top nothing moves: new calls are
 * counted, and loaded when the reader returns.
 */
import { type Signal, signal } from '@preact/signals';
import type { CallRow, CallsReply } from '../../api/api-calls.ts';
import type { ApiError } from '../../api/api-types.ts';
import { defaultDashboardLimits } from '../../dashboard-limits.ts';
import { CALLS_RELOAD_MS } from '../page-limits.ts';
import { type ApiClient, type Query, RequestError } from './api-client.ts';
import { CallRows } from './call-rows.ts';

export interface CallListFilter {
	readonly tool: string;
	readonly client: string;
	/** The whole id of a source. */
	readonly backend: string;
	readonly outcome: string;
	/** Calls of the last so many minutes; 0 is all. */
	readonly minutes: number;
}

/** Calls that began while the reader is below the top. */
export interface WaitingCalls {
	readonly count: number;
	/** False when there may be more. */
	readonly isExact: boolean;
}

/** Rows of one page. */
const PAGE = 1_000;
const FIRST_PAGE = 400;
/** The hub has no calls beyond these, so the page keeps none. */
const MAX_ROWS = defaultDashboardLimits.calls;
const NONE: WaitingCalls = { count: 0, isExact: true };

/** The time so many minutes ago, in milliseconds since 1970; undefined for 0. */
export function minutesAgo(minutes: number): number | undefined {
	return minutes > 0 ? Date.now() - minutes * 60_000 : undefined;
}

export class CallList {
	/** Rises with every change of the calls, also of those that wait. */
	readonly version: Signal<number> = signal(0);
	/** Calls that match, also those that are not loaded. */
	readonly matched: Signal<number> = signal(0);
	/** Rows that were added at the top. */
	readonly added: Signal<number> = signal(0);
	readonly waiting: Signal<WaitingCalls> = signal(NONE);
	readonly error: Signal<ApiError | undefined> = signal(undefined);
	readonly isLoaded: Signal<boolean> = signal(false);
	readonly filter: CallListFilter;
	readonly #api: Pick<ApiClient, 'get'>;
	#rows = new CallRows(MAX_ROWS);
	#next: number | null | undefined;
	#wanted = 0;
	#isAtTop = true;
	/** No call is missing between the rows and the next event. */
	#isCurrent = false;
	#isLoading = false;
	#isReloading = false;
	#reloadedAt = 0;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#isClosed = false;

	constructor(api: Pick<ApiClient, 'get'>, filter: CallListFilter) {
		this.#api = api;
		this.filter = filter;
	}

	/** The parameters of the filter, now. */
	get query(): Query {
		const { tool, client, backend, outcome, minutes } = this.filter;
		return { tool, client, backend, outcome, since: minutesAgo(minutes) };
	}

	at(index: number): CallRow | undefined {
		return this.#rows.at(index);
	}

	/** The place of a call among the rows that are loaded; -1 when it is not. */
	indexOf(number: number): number {
		return this.#rows.indexOf(number);
	}

	/** Load pages until the rows up to `end` are there. */
	async want(end: number): Promise<void> {
		this.#wanted = end;
		if (this.#isLoading) return;
		this.#isLoading = true;
		try {
			while (!this.#isClosed && this.#next !== null && this.#rows.length < this.#wanted) {
				const rows = this.#rows;
				const next = await this.#loadPage(rows, this.#next);
				if (rows === this.#rows) this.#next = next;
				this.version.value += 1;
			}
		} catch (thrown) {
			this.error.value = RequestError.describe(thrown);
		} finally {
			this.#isLoading = false;
		}
	}

	/** Load again from the top, as after a reconnect. What is shown stays until then, and below the top for longer. */
	async reload(): Promise<void> {
		if (this.#isReloading || this.#isClosed || !this.#isAtTop) return;
		this.#isReloading = true;
		this.#isCurrent = false;
		this.#reloadedAt = Date.now();
		try {
			const rows = new CallRows(MAX_ROWS);
			const next = await this.#loadPage(rows, undefined);
			if (!this.#isAtTop) return;
			this.#rows = rows;
			this.#next = next;
			this.waiting.value = NONE;
			this.version.value += 1;
		} catch (thrown) {
			this.error.value = RequestError.describe(thrown);
		} finally {
			this.#isReloading = false;
		}
		await this.want(this.#wanted);
	}

	/** Whether the list is at its top, where new calls appear; below it no row moves. */
	follow(isAtTop: boolean): void {
		if (isAtTop === this.#isAtTop) return;
		this.#isAtTop = isAtTop;
		if (isAtTop) void this.reload();
	}

	/** Take the rows of an event, which left `dropped` of them out. */
	take(rows: readonly CallRow[], dropped: number): void {
		this.version.value += 1;
		if (!this.#isAtTop) return this.#count(rows, dropped);
		if (dropped > 0) this.#isCurrent = false;
		// A reply that is on its way may be older than these rows.
		if (!this.#isCurrent || this.#isFilteredByHub) return this.#reloadSoon();
		let added = 0;
		for (const row of rows) if (this.#isMatch(row) && this.#rows.take(row)) added += 1;
		this.added.value += added;
		this.matched.value = Math.min(this.matched.peek() + added, MAX_ROWS);
		if (this.#rows.trim()) this.#next = null;
	}

	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
	}

	#reloadSoon(): void {
		const waitMs = Math.max(0, this.#reloadedAt + CALLS_RELOAD_MS - Date.now());
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			void this.reload();
		}, waitMs);
	}

	/** Calls have rising numbers, so without a filter the newest one has their number. */
	#count(rows: readonly CallRow[], dropped: number): void {
		const { number: top = 0 } = this.#rows.at(0) ?? {};
		const { tool, client, backend, outcome } = this.filter;
		const { count, isExact } = this.waiting.peek();
		const fresh = rows.filter((row) => !this.#rows.replace(row) && row.number > top);
		const newest = fresh.at(-1)?.number;
		if (tool + client + backend + outcome !== '') {
			const more = this.#isFilteredByHub ? 0 : fresh.filter((row) => this.#isMatch(row)).length;
			const isComplete = dropped === 0 && !this.#isFilteredByHub;
			this.waiting.value = { count: count + more, isExact: isExact && isComplete };
		} else if (newest !== undefined) this.waiting.value = { count: newest - top, isExact: true };
	}

	/** Load the page before a call; returns where the next one begins, null at the end. */
	async #loadPage(rows: CallRows, before: number | undefined): Promise<number | null> {
		const limit = before === undefined ? FIRST_PAGE : PAGE;
		const reply = await this.#api.get<CallsReply>('/api/calls', { ...this.query, before, limit });
		rows.append(reply.rows);
		if (reply.next === null) this.matched.value = rows.length;
		// Later pages count calls that are newer than the first row.
		else if (before === undefined && this.#isAtTop) this.matched.value = reply.matched;
		this.error.value = undefined;
		this.isLoaded.value = true;
		if (before === undefined) this.#isCurrent = true;
		return reply.next;
	}

	/** Patterns, and outcomes that a row can lose again. */
	get #isFilteredByHub(): boolean {
		const { tool, client, outcome } = this.filter;
		return outcome === 'running' || tool.includes('*') || client.includes('*');
	}

	#isMatch({ name, client, backend, outcome }: CallRow): boolean {
		const { filter } = this;
		return (
			isPart(filter.tool, name) &&
			isPart(filter.client, client) &&
			(filter.backend === '' || filter.backend === backend) &&
			(filter.outcome === '' ||
				filter.outcome === outcome ||
				(filter.outcome === 'failures' && outcome !== 'ok' && outcome !== 'running'))
		);
	}
}

function isPart(part: string, text: string): boolean {
	return part === '' || text.toLowerCase().includes(part.toLowerCase());
}
