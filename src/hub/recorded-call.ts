/* A call that the policy decides about and that is written to the journal. */
import { OrchestraError } from '../errors.ts';
import type { CallContext } from '../mcp/server/call-context.ts';
import type { Awaitable, Tool } from '../protocol/mcp-types.ts';
import type { CallGate, PolicyNote } from '../trust/call-gate.ts';
import { isObject } from '../wire/json.ts';
import type { Backend } from './backends/backend.ts';
import type { CallEnd, CallFeed } from './call-feed.ts';
import { type Journal, type JournalEntry, noJournal } from './journal.ts';

/** A call that is written to the journal. */
export interface RecordedCall {
	readonly method: string;
	readonly name: string;
	readonly backend: Backend;
	/** The name of the client. */
	readonly client: string;
	readonly context?: CallContext | undefined;
	/** For a call of a tool. */
	readonly arguments?: unknown;
	/** The description of the tool, for its annotations. */
	readonly tool?: Tool | undefined;
}

/** A route led to a backend without this method: a bug of the hub. */
function missing(backend: Backend, method: string): never {
	throw new OrchestraError('internal', `${backend.id} does not support ${method}`);
}

/** The name of the client of a call; empty when it is unknown. */
export function clientName({ clientInfo }: CallContext): string {
	const name = isObject(clientInfo) ? clientInfo['name'] : undefined;
	return typeof name === 'string' ? name : '';
}

export class CallRecorder {
	readonly #journal: Journal;
	readonly #gate: CallGate | undefined;
	readonly #feed: CallFeed;
	readonly #lastCalls = new Map<string, Date>();

	constructor(journal: Journal, gate: CallGate | undefined, feed: CallFeed) {
		this.#journal = journal;
		this.#gate = gate;
		this.#feed = feed;
	}

	/** The time of the last call to a backend; undefined when there was none, or no journal. */
	lastCall(backendId: string): Date | undefined {
		return this.#lastCalls.get(backendId);
	}

	/** Make a call that the policy allows and write one line. `refuse` is the result of a call that it does not allow. */
	record<T extends object>(
		entry: RecordedCall,
		call: () => Awaitable<T> | undefined,
		refuse?: (text: string) => T,
	): Awaitable<T> {
		const { method, backend } = entry;
		const go = (): Awaitable<T> => call() ?? missing(backend, method);
		const isJournaled = this.#journal !== noJournal;
		if (!isJournaled && !this.#feed.isUsed) return this.#gated(entry, go, refuse);
		const startedAt = new Date();
		this.#lastCalls.set(backend.id, startedAt);
		const started = this.#feed.isUsed
			? this.#feed.begin({ ...entry, backend: backend.id, startedAt })
			: undefined;
		let decided: PolicyNote | undefined;
		const note = (ending: Ending): void => {
			const facts = factsOf(entry, startedAt, decided, ending);
			if (isJournaled) this.#journal.write(facts);
			if (started) this.#feed.end(started, facts);
		};
		return observed(note, () =>
			this.#gated(entry, go, refuse, (found) => {
				decided = found;
			}),
		);
	}

	/** A call of a tool that could not be refused is a bug, and fails. */
	#gated<T extends object>(
		{ method, name, client, tool, arguments: input, context }: RecordedCall,
		go: () => Awaitable<T>,
		refuse: ((text: string) => T) | undefined,
		onNote: (note: PolicyNote) => void = () => {},
	): Awaitable<T> {
		if (method !== 'tools/call' || this.#gate === undefined || this.#gate.isOpen) return go();
		if (refuse === undefined || context === undefined)
			throw new OrchestraError('internal', `the policy cannot decide about ${name}`);
		return this.#gate.run({ name, client, tool, arguments: input, context }, go, { refuse, onNote });
	}
}

/** Without spreads: this is done for every call. */
function factsOf(
	{ backend, method, name, client, context, arguments: input }: RecordedCall,
	startedAt: Date,
	decided: PolicyNote | undefined,
	{ outcome, error, remote, result, thrown }: Ending,
): JournalEntry & CallEnd {
	const ms = Date.now() - startedAt.getTime();
	return {
		client,
		backend: backend.id,
		method,
		name,
		startedAt,
		ms,
		outcome,
		error,
		remote,
		phases: phasesOf(context, ms),
		policy: decided?.policy,
		rule: decided?.rule,
		trace: traceOf(context),
		arguments: input,
		result,
		thrown,
	};
}

/** Whole milliseconds; what is in no other phase is the run. */
function phasesOf(context: CallContext | undefined, ms: number): Record<string, number> | undefined {
	if (context?.phases === undefined) return undefined;
	const spent = Object.entries(context.phases.spent);
	if (spent.length === 0) return undefined;
	const rounded = spent.map(([phase, time]): [string, number] => [phase, Math.round(time)]);
	const run = Math.max(
		0,
		rounded.reduce((rest, [, time]) => rest - time, ms),
	);
	return Object.fromEntries([...rounded, ['run', run]]);
}

/** The id of the trace that the hub exports, else that of W3C `traceparent`. */
function traceOf(context: CallContext | undefined): string | undefined {
	if (context?.tracer) return context.tracer.traceId;
	const parent = context?.meta['traceparent'];
	if (typeof parent !== 'string') return undefined;
	return /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(parent)?.[1];
}

type Ending = Pick<JournalEntry, 'outcome' | 'error' | 'remote' | 'result'> & Pick<CallEnd, 'thrown'>;

/** Make a call and note how it ended. */
function observed<T extends object>(note: (ending: Ending) => void, call: () => Awaitable<T>): Awaitable<T> {
	const onError = (error: unknown): never => {
		const outcome = OrchestraError.is(error, 'canceled') ? 'canceled' : 'error';
		const { code, data } = OrchestraError.from(error);
		const remote = data['outcome'];
		const isKnown = remote === 'not run' || remote === 'unknown';
		note({ outcome, error: code, thrown: error, remote: isKnown ? remote : undefined });
		throw error;
	};
	const onResult = (result: T): T => {
		note({ outcome: hasFailed(result) ? 'failed' : 'ok', result });
		return result;
	};
	try {
		const result = call();
		return result instanceof Promise ? result.then(onResult, onError) : onResult(result);
	} catch (error) {
		return onError(error);
	}
}

/** Whether an MCP result or a response of the plugin protocol reports a failure. */
function hasFailed(result: object): boolean {
	return (
		('isError' in result && result.isError === true) || ('success' in result && result.success === false)
	);
}
