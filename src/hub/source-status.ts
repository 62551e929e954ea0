/*
 * The status of a source of tools, prompts and resources: one model for commands, the
 * dashboard, metrics and health.
 *
 * A source says what it knows (`SourceStatus`). What leaves the process is made of it here,
 * and so is every sentence about a source that is down.
 */
import { type ErrorCode, firstLine, OrchestraError } from '../errors.ts';
import { isObject } from '../wire/json.ts';

/** The state of a source, in one word. */
export type SourceState =
	| 'disabled' // its entry is switched off
	| 'invalid' // its entry cannot be used
	| 'configured' // never seen: its lists are not known
	| 'known' // its lists are known, and no process runs
	| 'starting'
	| 'ready' // it can be called at once; of a source with processes: calls are in flight
	| 'idle' // its process runs, and no call is in flight
	| 'unhealthy' // its process runs, and the last health check failed
	| 'stopped' // its process was stopped, because it was idle or by a user
	| 'failed'; // it crashed or did not start

/** How a source is, for a colour: `busy` is on its way, `warn` wants a look, `bad` does not work, `calm` is off or unused. */
export type Health = 'good' | 'busy' | 'warn' | 'bad' | 'calm';

const healths: Readonly<Record<SourceState, Health>> = {
	disabled: 'calm',
	invalid: 'bad',
	configured: 'calm',
	known: 'calm',
	starting: 'busy',
	ready: 'good',
	idle: 'good',
	unhealthy: 'warn',
	stopped: 'calm',
	failed: 'bad',
};

/** A sign-in that is missing, and tools that changed, want a look; the server itself may be well. */
export function healthOf({ state, needsSignIn: isRefused, drifted }: HealthFacts): Health {
	const health = healths[state];
	if (isRefused || (drifted > 0 && health !== 'bad')) return 'warn';
	return health;
}

type HealthFacts = Pick<SourceReport, 'state' | 'needsSignIn' | 'drifted'>;

/** A process that a source owns. */
export interface OwnedProcess {
	readonly backend: string;
	readonly pid: number;
	readonly command: string;
	readonly startedAt: Date;
	readonly state: SourceState;
}

/** The facts that a source has about itself. An absent one is unknown, or does not apply. */
export interface SourceStatus {
	readonly state: SourceState;
	/** Why it failed or is unhealthy. Retained until it works again. */
	readonly error?: OrchestraError | undefined;
	/** False while its tools are missing from the lists: it was never seen, or it is down. Default true. */
	readonly isListed?: boolean;
	/** When a failed one is started again. */
	readonly nextTryAt?: Date | undefined;
	/** Calls in flight and queued. */
	readonly calls?: number;
	/** The calls among them that wait for a free place. */
	readonly queued?: number;
	/** Starts of its processes that succeeded, since the source was made. */
	readonly starts?: number;
	/** The starts among them after a crash or a failed start. */
	readonly restarts?: number;
	readonly failedStarts?: number;
	/** The process id of the process; the oldest one when it has several; undefined when none runs. */
	readonly pid?: number | undefined;
	readonly startedAt?: Date | undefined;
	/** The number of its processes. */
	readonly processes?: number;
	readonly era?: 'legacy' | 'modern' | undefined;
	/** The revision of MCP that it speaks. */
	readonly revision?: string | undefined;
	/** Its own version. */
	readonly version?: string | undefined;
	/** The number of its tools; undefined when it was never seen. */
	readonly tools?: number | undefined;
	/** The number of tools that are not as they were accepted. */
	readonly drifted?: number;
	/** The file with its stderr. */
	readonly logFile?: string | undefined;
}

/** The facts of a status that a report has too: null when they are unknown. */
type ReportedFacts = {
	readonly [Fact in 'pid' | 'era' | 'revision' | 'version' | 'tools' | 'logFile']: NonNullable<
		SourceStatus[Fact]
	> | null;
};

type ReportedCounts = 'calls' | 'queued' | 'starts' | 'restarts' | 'failedStarts' | 'processes' | 'drifted';

/** The status of a source outside of the process that has it. Times are ISO 8601. */
export interface SourceReport extends ReportedFacts, Required<Pick<SourceStatus, ReportedCounts>> {
	readonly id: string;
	/** The same as `id`. */
	readonly name: string;
	readonly kind: string;
	readonly state: SourceState;
	/** The first line of the reason. */
	readonly lastError: string | null;
	readonly errorCode: ErrorCode | null;
	/** The next step of the user. */
	readonly hint: string | null;
	/** It refused us for lack of authorization: a sign-in makes the next start work. */
	readonly needsSignIn: boolean;
	/** Why what is not listed may be its own, and when it is started again; null when it is not down. */
	readonly downReason: string | null;
	readonly nextTryAt: string | null;
	readonly startedAt: string | null;
	/** Resident memory of all its processes; null when it is unknown. */
	readonly memoryBytes: number | null;
}

/** The subject of the report. */
export interface ReportedSource {
	readonly id: string;
	readonly kind: string;
	readonly status: SourceStatus;
	processes?(): readonly Pick<OwnedProcess, 'pid'>[];
}

/** @param memoryOf the resident memory of a process in bytes; null when it is unknown */
export function reportOf(source: ReportedSource, memoryOf: (pid: number) => number | null): SourceReport {
	const { id, kind, status } = source;
	const { state, error, calls = 0, queued = 0, starts = 0, restarts = 0, failedStarts = 0 } = status;
	const memory = (source.processes?.() ?? []).flatMap(({ pid }) => memoryOf(pid) ?? []);
	return {
		id,
		name: id,
		kind,
		state,
		lastError: error ? firstLine(error.message) : null,
		errorCode: error?.code ?? null,
		hint: (error && hintOf(error)) ?? null,
		needsSignIn: needsSignIn(error),
		downReason: downReasonOf(source) ?? null,
		nextTryAt: status.nextTryAt?.toISOString() ?? null,
		calls,
		queued,
		starts,
		restarts,
		failedStarts,
		pid: status.pid ?? null,
		startedAt: status.startedAt?.toISOString() ?? null,
		processes: status.processes ?? 0,
		memoryBytes: memory.length === 0 ? null : memory.reduce((sum, bytes) => sum + bytes, 0),
		era: status.era ?? null,
		revision: status.revision ?? null,
		version: status.version ?? null,
		tools: status.tools ?? null,
		drifted: status.drifted ?? 0,
		logFile: status.logFile ?? null,
	};
}

/** The states from the most telling on: that of a source is the first that one of its processes has. */
const processStates: readonly SourceState[] = ['unhealthy', 'ready', 'starting', 'idle', 'failed', 'stopped'];

/**
 * The state of a source.
 * @param processes the states of its processes
 * @param isListed whether its lists are known
 */
export function stateOf(
	processes: readonly SourceState[],
	isListed: boolean,
	hasFailed: boolean,
): SourceState {
	const found = processStates.find((state) => processes.includes(state));
	return found ?? (hasFailed ? 'failed' : isListed ? 'known' : 'configured');
}

/** The state with what belongs to it, for a table: the calls, or the reason. */
export function stateText({ state, calls, queued, lastError }: SourceReport): string {
	const waiting = queued > 0 ? `, ${queued} queued` : '';
	const working = calls > 0 ? ` (${calls - queued} in flight${waiting})` : '';
	return `${state}${working}${lastError === null ? '' : `: ${lastError}`}`;
}

/** Why a source whose tools are missing is down, and when it is started again; undefined when it is not. */
export function downReasonOf({ id, kind, status }: ReportedSource): string | undefined {
	const { error, isListed = true, nextTryAt } = status;
	if (isListed || error === undefined) return undefined;
	const seconds = nextTryAt && Math.ceil((nextTryAt.getTime() - Date.now()) / 1000);
	// The message of an MCP server has several lines with its own next step.
	if (kind !== 'plugin' || seconds === undefined) return error.message;
	const next = seconds > 0 ? `is started again in ${seconds} s` : 'is being started again';
	return `the plugin ${id} is down and ${next}. ${error.message}`;
}

/** Append the reasons of sources that are down to a "not found" sentence: the missing item may be theirs. */
export function withReasons(sentence: string, reasons: readonly string[]): string {
	if (reasons.length === 0) return sentence;
	return `${sentence}. It may belong to a plugin that is down: ${reasons.join('; ')}`;
}

/** The next step of a server that failed is in its details. */
function hintOf({ hint, data: { details } }: OrchestraError): string | undefined {
	return hint ?? (isObject(details) && typeof details['hint'] === 'string' ? details['hint'] : undefined);
}

/** True when the server refused us for lack of authorization: it is well, and a sign-in makes the next start work. */
export function needsSignIn(thrown: unknown): boolean {
	if (!OrchestraError.is(thrown)) return false;
	const { status } = thrown.data;
	return status === 401 || status === 403 || needsSignIn(thrown.cause);
}
