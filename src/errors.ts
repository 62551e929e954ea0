/*
 * The one error class, and the closed set of words that say what went wrong.
 *
 * A program switches on `code`; a person reads the message and the hint. The
 * codes are mapped once to JSON-RPC numbers (rpc/rpc-error.ts) and once to exit
 * codes (cli/exit.ts), so a new code does not compile until both know it.
 */

/** What went wrong, as a word that programs may switch on. Adding one is a minor release. */
export type ErrorCode =
	| 'closed' // the peer or the pipe is gone, or we closed it ourselves
	| 'spawn' // a process could not be started
	| 'io' // the operating system refused to read or write
	| 'timeout' // nothing came back in time
	| 'canceled' // the caller gave up
	| 'bad_frame' // bytes that are not a message, or too many of them
	| 'parse' // a line that is not JSON where JSON was required
	| 'bad_input' // a value, message or file that breaks its rules
	| 'not_found' // no such tool, peer, method or file
	| 'rpc' // the peer answered with a JSON-RPC error
	| 'tool_failed' // the tool ran and said no
	| 'internal'; // our bug

export interface ErrorDetails {
	cause?: unknown;
	/** What the reader can do about it, in one sentence. */
	hint?: string | undefined;
	/** Facts for machines: ids, sizes, paths. Never secrets. */
	data?: Readonly<Record<string, unknown>> | undefined;
}

const brand = Symbol.for('orchestra.error');

/** The one error class that leaves this library. */
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

	/** Like `instanceof`, and true as well when two copies of this package are loaded. */
	static is(value: unknown, code?: ErrorCode): value is OrchestraError {
		const isOurs = value instanceof Error && brand in value;
		return isOurs && (code === undefined || ('code' in value && value.code === code));
	}

	/** Give any thrown thing a code; one that has a code already passes through. */
	static from(thrown: unknown, code: ErrorCode = 'internal'): OrchestraError {
		if (OrchestraError.is(thrown)) return thrown;
		return new OrchestraError(code, messageOf(thrown), { cause: thrown });
	}
}

export interface ToolFailureDetails {
	/** A word of the tool's own that programs may switch on, for example `validation_error`. Default `FAILED`. */
	code?: string;
	/** False when trying again with other input or configuration cannot help. Default true. */
	recoverable?: boolean;
	hint?: string;
}

/** The error that a tool throws when the user can do something about it: it fails that call and nothing else. */
export function toolFailure(message: string, details: ToolFailureDetails = {}): OrchestraError {
	const { code = 'FAILED', recoverable = true, hint } = details;
	return new OrchestraError('tool_failed', message, { hint, data: { code, recoverable } });
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}

/** True for an error of the operating system with one of these codes, for example `ENOENT`. */
export function isCode(error: unknown, ...codes: readonly string[]): boolean {
	return codes.includes(systemCode(error) ?? '');
}

/** The code that the operating system gave an error, for example `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
