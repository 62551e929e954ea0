/*
 * The list of calls that match a filter: live at its top, older pages as the reader scrolls.
 *
 * A filter is applied by the hub. New rows come by events and are compared here with the same
 * rules: the text is part of the tool's or the client's name, whatever the case.
 */
import { type Signal, signal } from '@preact/signals';
import type { CallRow, CallsReply } from '../../api-calls.ts';
import type { ApiError } from '../../api-types.ts';
import { type ApiClient, RequestError } from './api-client.ts';
import { CallRows } from './call-rows.ts';

export interface CallFilter {
	readonly tool: string;
	readonly client: string;
	readonly outcome: string;
	/** Calls of the last so many minutes; 0 is all. */
	readonly minutes: number;
}

/** Rows of one page. */
const PAGE = 1_000;
const FIRST_PAGE = 200;

export class CallList {
	/** Rises with every change of the rows. */
	readonly version: Signal<number> = signal(0);
	/** Calls that match, also those that are not loaded. */
	readonly matched: Signal<number> = signal(0);
	/** Rows that were added at the top. */
	readonly added: Signal<number> = signal(0);
	readonly error: Signal<ApiError | undefined> = signal(undefined);
	readonly isLoaded: Signal<boolean> = signal(false);
	readonly filter: CallFilter;
	readonly #api: ApiClient;
	readonly #since: number | undefined;
	#rows = new CallRows();
	#next: number | null | undefined;
	#wanted = 0;
	#isLoading = false;
	#isClosed = false;

	constructor(api: ApiClient, filter: CallFilter) {
		this.#api = api;
		this.filter = filter;
		this.#since = filter.minutes > 0 ? Date.now() - filter.minutes * 60_000 : undefined;
	}

	/** The parameters of the filter. */
	get query(): Record<string, string | number | undefined> {
		const { tool, client, outcome } = this.filter;
		return { tool, client, outcome, since: this.#since };
	}

	at(index: number): CallRow | undefined {
		return this.#rows.at(index);
	}

	/** The place of a call among the rows that are loaded; -1 when it is not. */
	indexOf(number: number): number {
		for (let index = 0; index < this.#rows.length; index++) {
			const row = this.#rows.at(index);
			if (row?.number === number) return index;
			if (row && row.number < number) return -1;
		}
		return -1;
	}

	/** Load pages until the rows up to `end` are there. */
	async want(end: number): Promise<void> {
		this.#wanted = Math.max(this.#wanted, end);
		if (this.#isLoading) return;
		this.#isLoading = true;
		try {
			while (!this.#isClosed && this.#next !== null && this.#rows.length < this.#wanted)
				await this.#loadPage();
		} catch (thrown) {
			this.error.value = RequestError.describe(thrown);
		} finally {
			this.#isLoading = false;
		}
	}

	/** Load again from the top, as after a reconnect or when events were dropped. */
	async reload(): Promise<void> {
		this.#rows = new CallRows();
		this.#next = undefined;
		await this.want(FIRST_PAGE);
	}

	take(rows: readonly CallRow[]): void {
		if (!this.isLoaded.peek()) return;
		let added = 0;
		for (const row of rows) if (this.#isMatch(row) && this.#rows.take(row)) added += 1;
		this.added.value += added;
		this.matched.value += added;
		this.version.value += 1;
	}

	close(): void {
		this.#isClosed = true;
	}

	async #loadPage(): Promise<void> {
		const rows = this.#rows;
		const limit = this.#next === undefined ? FIRST_PAGE : PAGE;
		const query = { ...this.query, before: this.#next ?? undefined, limit };
		const reply = await this.#api.get<CallsReply>('/api/calls', query);
		if (rows !== this.#rows) return; // reloaded meanwhile
		rows.append(reply.rows);
		this.#next = reply.next;
		this.matched.value = Math.max(reply.matched, rows.length);
		this.error.value = undefined;
		this.isLoaded.value = true;
		this.version.value += 1;
	}

	#isMatch({ name, client, outcome }: CallRow): boolean {
		const { filter } = this;
		return (
			isPart(filter.tool, name) &&
			isPart(filter.client, client) &&
			(filter.outcome === '' || filter.outcome === outcome || outcome === 'running')
		);
	}
}

function isPart(part: string, text: string): boolean {
	return part === '' || text.toLowerCase().includes(part.toLowerCase());
}
