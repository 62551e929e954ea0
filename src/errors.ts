/*
 * The one error class, and the closed set of error codes.
 *
 * A program switches on `code`; a user reads the message and the hint. The
 * codes are mapped once to JSON-RPC numbers (rpc/rpc-error.ts) and once to exit
 * codes (cli/exit.ts), so a new code does not compile until both tables have it.
 */

/** Error code, for programs to switch on. Adding one is a minor release. */
export type ErrorCode =
	| 'closed' // the peer or the pipe is gone, or we closed it ourselves
	| 'spawn' // a process could not be started
	| 'io' // the operating system refused to read or write
	| 'timeout' // no response before the deadline
	| 'canceled' // the caller aborted the call
	| 'bad_frame' // bytes that are not a message, or too many of them
	| 'parse' // a line that is not JSON where JSON was required
	| 'bad_input' // a value, message or file that breaks its rules
	| 'not_found' // no such tool, peer, method or file
	| 'rpc' // the peer answered with a JSON-RPC error
	| 'tool_failed' // the tool ran and reported a failure
	| 'internal'; // our bug

/** The optional parts of an `OrchestraError`. */
export interface ErrorDetails {
	cause?: unknown;
	/** How to fix it, in one sentence. */
	hint?: string | undefined;
	/** Values for programs: ids, sizes, paths. Never secrets. */
	data?: Readonly<Record<string, unknown>> | undefined;
}

const brand = Symbol.for('orchestra.error');

/** The only error class that this library throws. */
export class OrchestraError extends Error {
	override readonly name = 'OrchestraError';
	readonly code: ErrorCode;
	readonly hint: string | undefined;
	readonly data: Readonly<Record<string, unknown>>;

	constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
		super(message, details.cause === undefined ? undefined : { cause: details.cause });
		this.code = code;
		this.hint = details.hint;
		this.data = details.data ?? {};
		Object.defineProperty(this, brand, { value: true });
	}

	/** Like `instanceof`, but also true across two loaded copies of this package. */
	static is(value: unknown, code?: ErrorCode): value is OrchestraError {
		const isOurs = value instanceof Error && brand in value;
		return isOurs && (code === undefined || ('code' in value && value.code === code));
	}

	/** Wrap any thrown value; an `OrchestraError` is returned unchanged. */
	static from(thrown: unknown, code: ErrorCode = 'internal'): OrchestraError {
		if (OrchestraError.is(thrown)) return thrown;
		if (isProgramReplaced(thrown)) return programReplaced(thrown);
		return new OrchestraError(code, messageOf(thrown), { cause: thrown });
	}
}

/** The optional parts of a tool failure. */
export interface ToolFailureDetails {
	/** The tool's own error code, for example `validation_error`. Default `FAILED`. */
	code?: string;
	/** False when a retry with other input or configuration cannot succeed. Default true. */
	recoverable?: boolean;
	hint?: string;
}

/** The error that a tool throws to fail the current call with a message for the user. */
export function toolFailure(message: string, details: ToolFailureDetails = {}): OrchestraError {
	const { code = 'FAILED', recoverable = true, hint } = details;
	return new OrchestraError('tool_failed', message, { hint, data: { code, recoverable } });
}

/**
 * What became of a request that ended with an error, as `data.outcome`: `not_run` it certainly did not reach its
 * server, or was refused by it; `ran` the server answered, and its answer could not be used; `unknown` it was sent, and
 * no answer came.
 */
export type RequestOutcome = 'not_run' | 'ran' | 'unknown';

const requestOutcomes: ReadonlySet<unknown> = new Set<RequestOutcome>(['not_run', 'ran', 'unknown']);

/** `data.outcome` of an error; undefined when it says nothing, as the answer of a server. */
export function requestOutcomeOf(thrown: unknown): RequestOutcome | undefined {
	const outcome = OrchestraError.is(thrown) ? thrown.data['outcome'] : undefined;
	// The set has no other members.
	return requestOutcomes.has(outcome) ? (outcome as RequestOutcome) : undefined;
}

/** The same error with `data.outcome`. */
export function withOutcome(thrown: unknown, outcome: RequestOutcome): OrchestraError {
	const error = OrchestraError.from(thrown);
	if (error.data['outcome'] === outcome) return error;
	const { code, message, hint, data } = error;
	return new OrchestraError(code, message, {
		cause: error.cause ?? error,
		hint,
		data: { ...data, outcome },
	});
}

/** What `work` gives, or `otherwise` when it throws. The place that uses it says why the error does not matter. */
export function attempt<T, Otherwise = undefined>(work: () => T, otherwise?: Otherwise): T | Otherwise {
	try {
		return work();
	} catch {
		return otherwise as Otherwise; // without a default it is undefined, which is its type
	}
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A message with its hint, as one text. */
export function withHint({
	message,
	hint,
}: {
	readonly message: string;
	readonly hint?: string | undefined;
}): string {
	return hint === undefined ? message : `${message}. ${hint}`;
}

/** Whether a file of this program could not be loaded on demand: the package was upgraded or removed since the process started. */
export function isProgramReplaced(thrown: unknown): boolean {
	if (!(thrown instanceof Error)) return false;
	// Node.js names the missing file as a URL (for a package it names none), or as a path when it was there a moment before.
	const isRead = isCode(thrown, 'ENOENT') && thrown.stack?.includes('node:internal/modules/');
	const file = isCode(thrown, 'ERR_MODULE_NOT_FOUND')
		? 'url' in thrown && thrown.url
		: isRead && 'path' in thrown && thrown.path;
	// `scripts/build.mjs` gives these files their folder.
	return /[\\/]dist[\\/]chunks[\\/]/.test(String(file));
}

function programReplaced(cause: unknown): OrchestraError {
	return new OrchestraError('closed', 'this program was upgraded or removed while it ran', {
		hint: 'mctl hub stop --all ends what runs with the old files; then start the agent again.',
		cause,
	});
}

/** The first line of a message, for a log. */
export function firstLine(message: string): string {
	return message.split('\n', 1)[0] ?? '';
}

/** Why it failed, without the prefix that names the kind of failure: `data.reasonText`, else the message. */
export function reasonTextOf({ message, data }: OrchestraError): string {
	const { reasonText } = data;
	return typeof reasonText === 'string' ? reasonText : message;
}

/** True for an error of the operating system with one of these codes, for example `ENOENT`. */
export function isCode(error: unknown, ...codes: readonly string[]): boolean {
	return codes.includes(systemCode(error) ?? '');
}

/** The code that the operating system gave an error, for example `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
