/*
 * What is retained of one call besides its row: arguments, phases, progress, logs, error.
 *
 * Bounded for each call; `retained-facts.ts` bounds all of them. The context of the call, which
 * keeps its whole request, is referred to only while the call runs.
 */
import { OrchestraError } from '../../errors.ts';
import type { CallEnd, StartedCall } from '../../hub/call-feed.ts';
import { countCharacters, isLarger } from '../../hub/results/value-size.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { redactArguments } from '../../named-secrets.ts';
import { redact } from '../../redact.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText } from '../../wire/json-text.ts';
import type { CallDetails, CallLogRow, CallPhaseRow, CallRow, ProgressRow } from '../api/api-calls.ts';
import { apiError } from '../api/api-reply.ts';
import { callCommand } from '../commands/mctl-commands.ts';
import {
	CALL_ARGUMENT_CHARACTERS,
	CALL_MESSAGE_CHARACTERS,
	CALL_OBJECT_CHARACTERS,
} from '../dashboard-limits.ts';

/** Progress messages and log messages that are retained of one call, of each kind. */
const RETAINED_MESSAGES = 100;
/** Phases in the order in which they happen. */
const phaseOrder: readonly string[] = ['approval', 'queue', 'start', 'run'];

/** The facts that the journal has of a call besides its row. */
export type JournalFacts = Pick<CallEnd, 'phases' | 'policy' | 'rule' | 'plan' | 'trace'> &
	Pick<CallContext, 'worker'>;

/** Most calls have these rows, which are never written to. */
const noRows: never[] = [];

export class CallFacts {
	readonly #arguments: unknown;
	readonly #sessionId: string | null;
	#context: CallContext | undefined;
	/** It passes as text, without a phase before. */
	readonly #onlyRuns: boolean;
	#progress: ProgressRow[] = noRows;
	#logs: CallLogRow[] = noRows;
	#dropped = 0;
	#characters = CALL_OBJECT_CHARACTERS;
	#end: JournalFacts | undefined;
	/** A call that was in no other phase only ran. */
	#runMs: number | undefined;
	#explanation: CallDetails['explanation'] = null;
	#resultBytes: number | null = null;

	constructor(call: Partial<StartedCall>) {
		const isLong = (call.argumentCharacters ?? 0) > CALL_ARGUMENT_CHARACTERS;
		const input = isLong ? undefined : call.arguments;
		const characters = input === undefined ? 0 : countCharacters(input, CALL_ARGUMENT_CHARACTERS);
		if (characters <= CALL_ARGUMENT_CHARACTERS) {
			this.#arguments = input;
			this.#characters += characters;
		}
		this.#sessionId = call.caller?.sessionId ?? null;
		// That of a call that passes as text says nothing more.
		this.#context = call.isPlain ? undefined : call.context;
		this.#onlyRuns = call.isPlain === true;
	}

	/** The details of a call of the journal. */
	static ofJournal(end: JournalFacts): CallFacts {
		const facts = new CallFacts({});
		facts.#end = end;
		return facts;
	}

	/** About how much is retained. */
	get characters(): number {
		return this.#characters;
	}

	/** A progress or log notification. */
	notified(method: string, params: Readonly<Record<string, unknown>>): void {
		if (method === 'notifications/progress') {
			if (this.#progress === noRows) this.#progress = [];
			this.#retain(this.#progress, progressRow(params));
		} else if (method === 'notifications/message') {
			if (this.#logs === noRows) this.#logs = [];
			this.#retain(this.#logs, callLogRow(params));
		}
	}

	ended({ outcome, phases, policy, rule, plan, trace, thrown, result, ms }: CallEnd): void {
		this.#end = { phases, policy, rule, plan, trace, worker: this.#context?.worker };
		this.#runMs = ms;
		this.#context = undefined;
		if (thrown !== undefined) this.#explanation = explain(thrown);
		else if (outcome === 'failed') {
			const value = result instanceof JsonText ? result.value : result;
			if (isObject(value)) this.#explanation = explainResult(value);
		}
		this.#characters += this.#explanation?.message.length ?? 0;
		this.#resultBytes = result instanceof JsonText ? result.text.length : null;
	}

	/** Forget the messages. */
	dropMessages(): void {
		for (const rows of [this.#progress, this.#logs]) for (const row of rows) this.#drop(row);
		this.#progress = noRows;
		this.#logs = noRows;
	}

	details(row: CallRow): CallDetails {
		const { policy, rule, trace, worker = this.#context?.worker } = this.#end ?? {};
		const plan = this.#end?.plan ?? this.#context?.plan?.id;
		const run = this.#runMs === undefined ? {} : { run: this.#runMs };
		const phases = this.#end?.phases ?? run;
		const input = this.#arguments === undefined ? null : JSON.stringify(redactArguments(this.#arguments));
		const isRunning = row.ms === null;
		return {
			...row,
			phase: isRunning ? (this.#context?.phases?.current?.name ?? 'run') : null,
			phases: phaseRows(isRunning ? this.#phasesUntilNow(row) : phases),
			progress: this.#progress,
			logs: this.#logs,
			dropped: this.#dropped,
			explanation: this.#explanation,
			policy: policy ?? null,
			rule: rule ?? null,
			plan: plan ?? null,
			trace: trace ?? null,
			worker: worker ?? null,
			sessionId: this.#sessionId,
			arguments: input,
			resultBytes: this.#resultBytes,
			command: input === null || row.method !== 'tools/call' ? null : callCommand(row.name, input),
			replay: null,
		};
	}

	/** The phases with the one that the call is in. A call of which nothing is known is not measured. */
	#phasesUntilNow({ at }: CallRow): Record<string, number> {
		if (this.#onlyRuns) return { run: Date.now() - at };
		if (this.#context === undefined) return {};
		const { current, spent } = this.#context.phases ?? {};
		const phases: Record<string, number> = { ...spent };
		const rest = Object.values(phases).reduce((left, ms) => left - ms, Date.now() - at);
		if (current === undefined) phases['run'] = Math.max(0, rest);
		else phases[current.name] = current.ms + (phases[current.name] ?? 0);
		return Object.fromEntries(Object.entries(phases).map(([name, ms]) => [name, Math.round(ms)]));
	}

	#retain<T extends ProgressRow | CallLogRow>(retained: T[], row: T): void {
		retained.push(row);
		this.#characters += charactersOf(row);
		const oldest = retained.length > RETAINED_MESSAGES ? retained.shift() : undefined;
		if (oldest) this.#drop(oldest);
	}

	#drop(row: ProgressRow | CallLogRow): void {
		this.#characters -= charactersOf(row);
		this.#dropped++;
	}
}

function charactersOf(row: ProgressRow | CallLogRow): number {
	return CALL_OBJECT_CHARACTERS + (('text' in row ? row.text : row.message)?.length ?? 0);
}

/** A progress notification as a row. */
export function progressRow({ progress, total, message }: Readonly<Record<string, unknown>>): ProgressRow {
	const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
	const text = typeof message === 'string' ? redact(message.slice(0, CALL_MESSAGE_CHARACTERS)) : null;
	return { at: Date.now(), progress: number(progress), total: number(total), message: text };
}

/** A log notification as a row. */
export function callLogRow({ level, logger, data }: Readonly<Record<string, unknown>>): CallLogRow {
	const shown =
		typeof data === 'string' ? data : isLarger(data, CALL_MESSAGE_CHARACTERS) ? '…' : JSON.stringify(data);
	return {
		at: Date.now(),
		level: String(level).slice(0, CALL_MESSAGE_CHARACTERS),
		logger: typeof logger === 'string' ? redact(logger.slice(0, CALL_MESSAGE_CHARACTERS)) : null,
		text: redact((shown ?? '').slice(0, CALL_MESSAGE_CHARACTERS)),
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
	return { ...error, message: message.slice(0, 4 * CALL_MESSAGE_CHARACTERS) };
}

/** The text of a result that reports a failure. */
function explainResult({ content }: Readonly<Record<string, unknown>>): CallDetails['explanation'] {
	const first: unknown = Array.isArray(content) ? content[0] : undefined;
	const text =
		isObject(first) && typeof first['text'] === 'string' ? first['text'] : 'the tool reported a failure';
	return { code: 'tool_failed', message: redact(text.slice(0, 4 * CALL_MESSAGE_CHARACTERS)) };
}
