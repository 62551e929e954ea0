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

export interface CallListFilter {
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
	readonly filter: CallListFilter;
	readonly #api: ApiClient;
	readonly #since: number | undefined;
	#rows = new CallRows();
	#next: number | null | undefined;
	#wanted = 0;
	#isLoading = false;
	#isReloading = false;
	#isClosed = false;

	constructor(api: ApiClient, filter: CallListFilter) {
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

	/** Load again from the top, as after a reconnect or when events were dropped. What is shown stays until then. */
	async reload(): Promise<void> {
		if (this.#isReloading || this.#isClosed) return;
		this.#isReloading = true;
		try {
			const rows = new CallRows();
			const next = await this.#loadPage(rows, undefined);
			this.#rows = rows;
			this.#next = next;
			this.version.value += 1;
		} catch (thrown) {
			this.error.value = RequestError.describe(thrown);
		} finally {
			this.#isReloading = false;
		}
	}

	take(rows: readonly CallRow[]): void {
		if (!this.isLoaded.peek()) return;
		if (this.#isFilteredByHub) return void this.reload();
		let added = 0;
		for (const row of rows) if (this.#isMatch(row) && this.#rows.take(row)) added += 1;
		this.added.value += added;
		this.matched.value += added;
		this.version.value += 1;
	}

	close(): void {
		this.#isClosed = true;
	}

	/** Load the page before a call; returns where the next one begins, null at the end. */
	async #loadPage(rows: CallRows, before: number | undefined): Promise<number | null> {
		const limit = before === undefined ? FIRST_PAGE : PAGE;
		const reply = await this.#api.get<CallsReply>('/api/calls', { ...this.query, before, limit });
		rows.append(reply.rows);
		this.matched.value = Math.max(reply.matched, rows.length);
		this.error.value = undefined;
		this.isLoaded.value = true;
		return reply.next;
	}

	/** Patterns, and outcomes that a row can lose again. */
	get #isFilteredByHub(): boolean {
		const { tool, client, outcome } = this.filter;
		return outcome === 'running' || tool.includes('*') || client.includes('*');
	}

	#isMatch({ name, client, outcome }: CallRow): boolean {
		const { filter } = this;
		return (
			isPart(filter.tool, name) &&
			isPart(filter.client, client) &&
			(filter.outcome === '' ||
				filter.outcome === outcome ||
				(filter.outcome === 'failures' && isFailure(outcome)))
		);
	}
}

function isFailure(outcome: string): boolean {
	return outcome !== 'ok' && outcome !== 'running';
}

function isPart(part: string, text: string): boolean {
	return part === '' || text.toLowerCase().includes(part.toLowerCase());
}
