/*
 * What is kept of one call besides its row: arguments, phases, progress, logs, error.
 *
 * Bounded for each call, and only the last calls have it. Nothing here refers to the
 * context of the call, which would keep its whole request.
 */
import { OrchestraError } from '../errors.ts';
import type { CallEnd, StartedCall } from '../hub/call-feed.ts';
import { isLarger } from '../hub/results/value-size.ts';
import { redact, redactJson } from '../redact.ts';
import { isObject } from '../wire/json.ts';
import { sourceTextOf } from '../wire/source-text.ts';
import type { CallDetails, CallLogRow, CallPhaseRow, CallRow, ProgressRow } from './api-calls.ts';
import { apiError } from './api-reply.ts';
import { callCommand } from './mctl-commands.ts';

/** Larger arguments are not kept, in characters. */
const ARGUMENT_CHARACTERS = 4096;
/** Progress messages and log messages that are kept of one call, of each kind. */
const KEPT_MESSAGES = 100;
/** Longest message. */
const MESSAGE_CHARACTERS = 1000;
/** Phases in the order in which they happen. */
const phaseOrder: readonly string[] = ['approval', 'queue', 'start', 'run'];

export class CallNotes {
	readonly #arguments: unknown;
	readonly #sessionId: string | null;
	#progress: ProgressRow[] | undefined;
	#logs: CallLogRow[] | undefined;
	#dropped = 0;
	#end: Pick<CallEnd, 'phases' | 'policy' | 'rule' | 'trace'> | undefined;
	#explanation: CallDetails['explanation'] = null;
	#resultBytes: number | null = null;

	constructor({ arguments: input, context }: Pick<StartedCall, 'arguments' | 'context'>) {
		this.#arguments = input !== undefined && !isLarger(input, ARGUMENT_CHARACTERS) ? input : undefined;
		this.#sessionId = context?.sessionId ?? null;
	}

	/** A progress or log notification. */
	notified(method: string, params: Readonly<Record<string, unknown>>): void {
		if (method === 'notifications/progress') {
			this.#progress ??= [];
			this.#keep(this.#progress, progressRow(params));
		} else if (method === 'notifications/message') {
			this.#logs ??= [];
			this.#keep(this.#logs, callLogRow(params));
		}
	}

	ended({ phases, policy, rule, trace, thrown, result }: CallEnd): void {
		this.#end = { phases, policy, rule, trace };
		if (thrown !== undefined) this.#explanation = explain(thrown);
		else if (isObject(result) && result['isError'] === true) this.#explanation = explainResult(result);
		this.#resultBytes = sourceTextOf(result)?.length ?? null;
	}

	details(row: CallRow): CallDetails {
		const { phases, policy, rule, trace } = this.#end ?? {};
		const input = this.#arguments === undefined ? null : JSON.stringify(redactJson(this.#arguments));
		return {
			...row,
			phases: phaseRows(phases ?? (row.ms === null ? {} : { run: row.ms })),
			progress: this.#progress ?? [],
			logs: this.#logs ?? [],
			dropped: this.#dropped,
			explanation: this.#explanation,
			policy: policy ?? null,
			rule: rule ?? null,
			trace: trace ?? null,
			sessionId: this.#sessionId,
			arguments: input,
			resultBytes: this.#resultBytes,
			command: input === null || row.method !== 'tools/call' ? null : callCommand(row.name, input),
			replay: null,
		};
	}

	#keep<T>(kept: T[], row: T): void {
		kept.push(row);
		if (kept.length <= KEPT_MESSAGES) return;
		kept.shift();
		this.#dropped++;
	}
}

/** The details of a call of which only the row is kept. */
export function detailsOfRow(row: CallRow): CallDetails {
	return new CallNotes({}).details(row);
}

/** A progress notification as a row. */
export function progressRow({ progress, total, message }: Readonly<Record<string, unknown>>): ProgressRow {
	const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
	const text = typeof message === 'string' ? redact(message.slice(0, MESSAGE_CHARACTERS)) : null;
	return { at: Date.now(), progress: number(progress), total: number(total), message: text };
}

/** A log notification as a row. */
export function callLogRow({ level, logger, data }: Readonly<Record<string, unknown>>): CallLogRow {
	const shown =
		typeof data === 'string' ? data : isLarger(data, MESSAGE_CHARACTERS) ? '…' : JSON.stringify(data);
	return {
		at: Date.now(),
		level: String(level).slice(0, MESSAGE_CHARACTERS),
		logger: typeof logger === 'string' ? redact(logger.slice(0, MESSAGE_CHARACTERS)) : null,
		text: redact((shown ?? '').slice(0, MESSAGE_CHARACTERS)),
	};
}

function phaseRows(phases: CallEnd['phases'] = {}): CallPhaseRow[] {
	let startMs = 0;
	const rank = (name: string): number => phaseOrder.indexOf(name);
	return Object.entries(phases)
		.toSorted(([one], [other]) => rank(one) - rank(other))
		.map(([name, ms]) => {
			const row = { name, startMs, ms };
			startMs += ms;
			return row;
		});
}

function explain(thrown: unknown): CallDetails['explanation'] {
	const { message, ...error } = apiError(OrchestraError.from(thrown));
	return { ...error, message: message.slice(0, 4 * MESSAGE_CHARACTERS) };
}

/** The text of a result that reports a failure. */
function explainResult({ content }: Readonly<Record<string, unknown>>): CallDetails['explanation'] {
	const first: unknown = Array.isArray(content) ? content[0] : undefined;
	const text =
		isObject(first) && typeof first['text'] === 'string' ? first['text'] : 'the tool reported a failure';
	return { code: 'tool_failed', message: redact(text.slice(0, 4 * MESSAGE_CHARACTERS)) };
}
