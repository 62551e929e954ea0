/* What the status and the error code of a response mean for the request: real servers differ from the specification. */
import { rpcCodes } from '../../wire/json-rpc.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/** The part that must be repaired before a request is sent again. */
export type Repair = 'session' | 'headers';

/** A response that may be a refusal. */
export interface HttpVerdict {
	readonly status: number;
	/** The code of the JSON-RPC error in the body. */
	readonly code: number | undefined;
	/** The body, or the message of its error. */
	readonly said: string;
}

const HEADER_MISMATCH = -32020;

/** Codes of the modern era. */
const modernCodes: ReadonlySet<number | undefined> = new Set([HEADER_MISMATCH, -32021, -32022]);

/** The needed repair; undefined when the response is final. `session` is the session of the request. */
export function repairFor(
	{ method }: OutgoingMessage,
	session: string | undefined,
	verdict: HttpVerdict,
): Repair | undefined {
	if (method === 'tools/call' && verdict.code === HEADER_MISMATCH) return 'headers';
	const isSuspect = session !== undefined && (isUnknownSession(verdict) || maySayUnknownSession(verdict));
	return isSuspect ? 'session' : undefined;
}

/** A session that the server forgot, by the specification. */
export function isUnknownSession({ status, code }: HttpVerdict): boolean {
	return status === 404 && code !== rpcCodes.methodNotFound;
}

/** Servers in the wild say it with 400 or -32600, and tools say "session" of their own sessions: a ping decides. */
function maySayUnknownSession({ status, code, said }: HttpVerdict): boolean {
	if (status === 404 || code === rpcCodes.invalidParams) return false;
	return (status === 400 || code === rpcCodes.invalidRequest) && /session/i.test(said);
}

/** True when a server that refuses `initialize` like this may have the HTTP+SSE transport. */
export function mayHaveEventLink({ method }: OutgoingMessage, { status, code }: HttpVerdict): boolean {
	return method === 'initialize' && [400, 404, 405].includes(status) && !modernCodes.has(code);
}

/** True when the JSON-RPC error in the body is the answer. Otherwise the status explains more. */
export function isAnswer({ status, code }: HttpVerdict): boolean {
	return code !== undefined && status < 500 && status !== 401 && status !== 429;
}

/**
 * True when a response without JSON-RPC to the probe of the era says "not modern": the server itself decided it.
 * Overload and gateway errors say nothing.
 */
export function isEraVerdict({ method }: OutgoingMessage, status: number): boolean {
	return method === 'server/discover' && status < 500 && status !== 429 && status !== 408;
}
