/* Errors of a server connection: each says in which phase it happened. */
import { OrchestraError } from '../../errors.ts';
import type { Diagnosis } from '../../process/diagnosis.ts';
import type { Transport } from '../../transport/transport.ts';

/** The phase in which a server failed. */
export type Phase = 'spawn' | 'initialize' | 'list' | 'call';

/** The phase of a request. */
export function phaseOf(method: string): Phase {
	return method.endsWith('/list') ? 'list' : 'call';
}

/** The error of a request: with its phase, and for a timeout with the deadline that expired. */
export function requestError(thrown: unknown, method: string): OrchestraError {
	const { timeoutMs, kind, outcome } = OrchestraError.is(thrown, 'timeout') ? thrown.data : {};
	if (typeof timeoutMs !== 'number') return withPhase(thrown, phaseOf(method));
	const limitMs = Math.round(timeoutMs);
	const data = { method, timeoutMs: limitMs, kind, phase: phaseOf(method), outcome };
	if (kind === 'total') {
		return new OrchestraError('timeout', `${method} was not complete within its total time of ${limitMs}ms`, {
			cause: thrown,
			hint: 'Raise `maxMs` if it may take longer.',
			data,
		});
	}
	return new OrchestraError('timeout', `${method} got no answer and no progress for ${limitMs}ms`, {
		cause: thrown,
		hint: 'Raise `timeoutMs` if it needs longer.',
		data,
	});
}

/** The same error with `data.phase`. */
export function withPhase(thrown: unknown, phase: Phase): OrchestraError {
	const error = OrchestraError.from(thrown);
	if (error.data['phase'] !== undefined) return error;
	return new OrchestraError(error.code, error.message, {
		cause: error.cause ?? error,
		hint: error.hint,
		data: { ...error.data, phase },
	});
}

/** The error of a request that was sent to a server which ended before it answered. */
export function outcomeUnknown(reason: OrchestraError, method: string): OrchestraError {
	return new OrchestraError(
		reason.code,
		`${method}: the connection ended before the answer (${reason.message}); the outcome is unknown`,
		{
			cause: reason,
			hint: reason.hint,
			data: { ...reason.data, reasonText: undefined, phase: phaseOf(method), outcome: 'unknown' },
		},
	);
}

/** The error of a server that breaks the protocol. `data` says what is known of the request. */
export function brokenProtocol(message: string, data: Readonly<Record<string, unknown>>): OrchestraError {
	const hint = 'The server does not follow MCP. Report this to its author.';
	return new OrchestraError('bad_frame', message, { hint, data });
}

/** The state of the program behind a transport; undefined when it has none. */
export function diagnosisOf(transport: Transport): Diagnosis | undefined {
	return 'diagnose' in transport && typeof transport.diagnose === 'function'
		? // Only transports over a process have this method.
			(transport.diagnose() as Diagnosis)
		: undefined;
}
