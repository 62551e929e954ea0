/*
 * Follows the calls of the hub while a page is open, and a while after. A call costs nothing
 * more without a page: what happened meanwhile is read from the journal when one opens.
 */
import type { ServerResponse } from 'node:http';
import { readRegularTail } from '../../files/regular-file.ts';
import type { CallFeed } from '../../hub/call-feed.ts';
import type { Hub } from '../../hub/hub.ts';
import { isObject, jsonObject } from '../../wire/json.ts';
import type { CallOutcome } from '../api/api-calls.ts';
import { JOURNAL_TAIL_BYTES } from '../dashboard-limits.ts';
import type { CallLog } from './call-log.ts';

const outcomes: ReadonlySet<unknown> = new Set(['ok', 'failed', 'error', 'canceled']);

export interface CallFollowerDeps {
	readonly hub: { readonly calls: Pick<CallFeed, 'listen'> } & Pick<Hub, 'flushJournal'>;
	readonly calls: CallLog;
	readonly journalFile: string;
	/** How long calls are followed after the last request of a page, in milliseconds. */
	readonly followMs: number;
}

export class CallFollower {
	readonly #deps: CallFollowerDeps;
	#requests = 0;
	#timer: NodeJS.Timeout | undefined;
	#stopListening: (() => void) | undefined;
	/** Since when calls were missed, in milliseconds since 1970; undefined before the first page. */
	#missedSince: number | undefined;

	constructor(deps: CallFollowerDeps) {
		this.#deps = deps;
	}

	/** A request of a page begins. */
	use(response: ServerResponse): void {
		clearTimeout(this.#timer);
		this.#requests++;
		response.once('close', () => this.#leave());
		if (this.#stopListening) return;
		const { hub, calls, journalFile } = this.#deps;
		hub.flushJournal();
		addJournalTail(calls, journalFile, this.#missedSince);
		this.#stopListening = hub.calls.listen(calls);
	}

	close(): void {
		clearTimeout(this.#timer);
		this.#stopListening?.();
		this.#stopListening = undefined;
		this.#missedSince = Date.now();
	}

	#leave(): void {
		if (--this.#requests > 0 || this.#stopListening === undefined) return;
		this.#timer = setTimeout(() => this.close(), this.#deps.followMs).unref();
	}
}

/**
 * Add the calls at the end of the journal. A journal that cannot be read adds none.
 * @param since only calls that ended then or later, in milliseconds since 1970
 */
function addJournalTail(calls: CallLog, file: string, since?: number): void {
	for (const line of lastLines(file)) {
		const entry = jsonObject(line);
		if (entry === undefined || !outcomes.has(entry['outcome'])) continue;
		const text = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '');
		const at = Date.parse(text('at'));
		if (Number.isNaN(at)) continue;
		const begun = {
			at,
			client: text('client'),
			backend: text('backend'),
			method: text('method'),
			name: text('name'),
		};
		// It is one of the set.
		const outcome = entry['outcome'] as CallOutcome;
		const end = { outcome, ms: Number(entry['ms']) || 0, error: text('error') };
		if (since !== undefined && at + end.ms < since) continue;
		const [policy, rule, plan, trace, worker] = ['policy', 'rule', 'plan', 'trace', 'worker'].map(
			(name) => text(name) || undefined,
		);
		calls.add(begun, { ...end, policy, rule, plan, trace, worker, phases: phasesOf(entry['phases']) });
	}
}

function phasesOf(value: unknown): Record<string, number> | undefined {
	if (!isObject(value)) return undefined;
	return Object.fromEntries(
		Object.entries(value).filter((phase): phase is [string, number] => typeof phase[1] === 'number'),
	);
}

/** The first may be the end of a line, which is no JSON. */
function lastLines(file: string): string[] {
	try {
		return readRegularTail(file, JOURNAL_TAIL_BYTES).toString('utf8').split('\n');
	} catch {
		return []; // no call was made yet
	}
}
