/* The summary of a run: its shape, its exit code, and its error. */
import { constants } from 'node:os';
import type { ExitStatus } from '../process/spawn/spawner.ts';
import type { JsonObject } from '../wire/json.ts';
import { payloadText, type StrayKind, type ToolEvent } from './event.ts';

/** Why the runner ended a run before the tool did. */
export type StopReason = 'timeout' | 'output' | 'events' | 'canceled';

/** How a run ended. */
export type Outcome = 'ok' | 'failed' | 'crashed' | 'timeout' | 'limit' | 'canceled' | 'not_started';

/** A line or an end that breaks the protocol without failing the run. */
export interface RunWarning {
	readonly kind: StrayKind | 'contradiction';
	readonly message: string;
}

/** The error that a run ended with. */
export interface RunError {
	readonly message: string;
	readonly code: string | undefined;
	/** True when the user can fix it. */
	readonly isRecoverable: boolean;
	/** The next step of the user, when the event says so itself. */
	readonly hint: string | undefined;
	/** Last lines of stderr, for a crash. */
	readonly stderr: readonly string[];
}

/** Everything known about a run after its end. */
export interface RunSummary {
	readonly toolId: string;
	readonly outcome: Outcome;
	/** The exit code of `mctl run`. */
	readonly exitCode: number;
	/** Payload of the last result event. */
	readonly result: JsonObject | undefined;
	/** The last error event, when the run did not succeed. */
	readonly error: RunError | undefined;
	/** Payloads of the artifact events. */
	readonly artifacts: readonly JsonObject[];
	/** How the process itself ended; null when it never started. */
	readonly exit: ExitStatus | null;
	readonly eventCount: number;
	readonly malformedCount: number;
	readonly unexpectedCount: number;
	readonly warnings: readonly RunWarning[];
	readonly elapsedMs: number;
	/** Time to the first event; undefined when none came. */
	readonly firstEventMs: number | undefined;
}

/** How a run came to its end. */
export interface RunEnd {
	readonly exit: ExitStatus | null;
	readonly stopped?: StopReason | undefined;
	readonly stderr: readonly string[];
	readonly timeoutMs: number;
	readonly limits: { readonly outputBytes: number; readonly events: number };
}

/** The exit code of a tool for an expected failure; anything above is a crash. */
export const EXIT_FAILED = 1;
const EXIT_LIMITED = 2;
const EXIT_USAGE = 64;
const EXIT_SPAWN = 69;
const EXIT_TIMEOUT = 124;
const EXIT_CANCELED = 130;
const EXIT_SIGNAL_BASE = 128;

const exitCodes = {
	ok: 0,
	failed: EXIT_FAILED,
	timeout: EXIT_TIMEOUT,
	canceled: EXIT_CANCELED,
	limit: EXIT_LIMITED,
} as const;

/** The exit code of `mctl run`. */
export function exitCodeOf(outcome: Outcome, exit: ExitStatus | null, code: string | undefined): number {
	if (outcome === 'crashed')
		return exit?.code ?? EXIT_SIGNAL_BASE + (constants.signals[exit?.signal ?? 'SIGKILL'] ?? 0);
	if (outcome !== 'not_started') return exitCodes[outcome];
	if (code === 'INPUT_INVALID') return EXIT_USAGE;
	return code === 'TOOL_SPAWN' ? EXIT_SPAWN : EXIT_FAILED;
}

/** The code of an error event, when it has one. */
export function errorCode(event: ToolEvent | undefined): string | undefined {
	const code = event?.payload['code'];
	return typeof code === 'string' ? code : undefined;
}

/** The error of an error event. */
export function runError(event: ToolEvent | undefined): RunError | undefined {
	if (event === undefined) return undefined;
	const { recoverable, stderr, hint } = event.payload;
	return {
		message: payloadText(event.payload, 'message') || 'Tool failed without a message',
		code: errorCode(event),
		isRecoverable: recoverable === true,
		hint: typeof hint === 'string' && hint !== '' ? hint : undefined,
		stderr: Array.isArray(stderr) ? stderr.map(String) : [],
	};
}
