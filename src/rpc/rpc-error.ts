/* Errors meet JSON-RPC here, in both directions, and nowhere else. */
import { type ErrorCode, OrchestraError } from '../errors.ts';
import { isObject } from '../wire/json.ts';
import { type RpcErrorObject, rpcCodes } from '../wire/json-rpc.ts';

const numbers: Record<ErrorCode, number> = {
	bad_input: rpcCodes.invalidParams,
	not_found: rpcCodes.invalidParams,
	// What a handler could not read came from somebody else: the request itself was read.
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

/** An error with a JSON-RPC number of its own, to throw from a handler or as it came from the peer. */
export function rpcError(code: number, message: string, data?: unknown): OrchestraError {
	const rpc: RpcErrorObject = data === undefined ? { code, message } : { code, message, data };
	return new OrchestraError('rpc', `JSON-RPC error ${code}: ${message}`, { data: { rpc } });
}

export function methodNotFound(method: string): OrchestraError {
	return rpcError(rpcCodes.methodNotFound, `method not found: ${method}`);
}

/** The JSON-RPC error inside an `rpc` error, if it is one. */
export function rpcErrorOf(error: unknown): RpcErrorObject | undefined {
	if (!OrchestraError.is(error, 'rpc')) return undefined;
	const { rpc } = error.data;
	if (!isObject(rpc) || typeof rpc['code'] !== 'number' || typeof rpc['message'] !== 'string')
		return undefined;
	const { code, message, data } = rpc;
	return data === undefined ? { code, message } : { code, message, data };
}

/** What the peer is told about anything that a handler threw. */
export function toRpcError(thrown: unknown): RpcErrorObject {
	const known = rpcErrorOf(thrown);
	if (known) return known;
	const error = OrchestraError.from(thrown);
	const data = error.hint === undefined ? { code: error.code } : { code: error.code, hint: error.hint };
	return { code: numbers[error.code], message: error.message, data };
}
