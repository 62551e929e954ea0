/* The mapping between `OrchestraError` and JSON-RPC errors, in both directions. */
import { type ErrorCode, OrchestraError, requestOutcomeOf } from '../errors.ts';
import { redact, redactJson } from '../redact.ts';
import { isObject } from '../wire/json.ts';
import { type RpcErrorObject, rpcCodes } from '../wire/json-rpc.ts';

const numbers: Record<ErrorCode, number> = {
	bad_input: rpcCodes.invalidParams,
	not_found: rpcCodes.invalidParams,
	// The handler could not read data from another source; the request itself was valid.
	bad_frame: rpcCodes.internal,
	parse: rpcCodes.internal,
	closed: rpcCodes.internal,
	spawn: rpcCodes.internal,
	io: rpcCodes.internal,
	timeout: rpcCodes.internal,
	canceled: rpcCodes.internal,
	rpc: rpcCodes.internal,
	tool_failed: rpcCodes.internal,
	internal: rpcCodes.internal,
};

/** An error with its own JSON-RPC code: thrown by a handler, or received from the peer. */
export function rpcError(code: number, message: string, data?: unknown): OrchestraError {
	const rpc: RpcErrorObject = data === undefined ? { code, message } : { code, message, data };
	return new OrchestraError('rpc', `JSON-RPC error ${code}: ${message}`, { data: { rpc } });
}

/** The JSON-RPC error -32601 for `method`. */
export function methodNotFound(method: string): OrchestraError {
	return rpcError(rpcCodes.methodNotFound, `method not found: ${method}`);
}

/** The JSON-RPC error inside an error with code `rpc`; undefined for other values. */
export function rpcErrorOf(error: unknown): RpcErrorObject | undefined {
	if (!OrchestraError.is(error, 'rpc')) return undefined;
	const { rpc } = error.data;
	if (!isObject(rpc) || typeof rpc['code'] !== 'number' || typeof rpc['message'] !== 'string')
		return undefined;
	const { code, message, data } = rpc;
	return data === undefined ? { code, message } : { code, message, data };
}

/** The JSON-RPC error to send for any value that a handler threw, without secrets. Of `data`, only `details` and `outcome` are sent. */
export function toRpcError(thrown: unknown): RpcErrorObject {
	const { code, message, data } = unredactedError(thrown);
	const safe = { code, message: redact(message) };
	return data === undefined ? safe : { ...safe, data: redactJson(data) };
}

function unredactedError(thrown: unknown): RpcErrorObject {
	const known = rpcErrorOf(thrown);
	if (known) return known;
	const { code, message, hint, data } = OrchestraError.from(thrown);
	const sent: Record<string, unknown> = { code, ...(isObject(data['details']) && data['details']) };
	const outcome = requestOutcomeOf(thrown);
	if (outcome !== undefined) sent['outcome'] = outcome;
	if (hint !== undefined) sent['hint'] = hint;
	return { code: numbers[code], message, data: sent };
}
