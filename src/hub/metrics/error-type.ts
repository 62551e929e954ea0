/* The attribute `error.type` of OpenTelemetry for a call that ended. */
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import type { CallEnd } from '../call-feed.ts';

/** The value of the conventions: `tool_error` for a result that reports a failure, else the code of the JSON-RPC error, else ours. */
export function errorTypeOf({ outcome, error, thrown }: CallEnd): string | undefined {
	if (outcome === 'ok') return undefined;
	if (outcome === 'failed') return 'tool_error';
	const code = rpcErrorOf(thrown)?.code;
	return code === undefined ? (error ?? outcome) : String(code);
}
