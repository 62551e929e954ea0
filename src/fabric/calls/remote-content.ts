/* The bodies of messages between a hub and a worker, made and read. */
import { OrchestraError } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { InputRequests } from '../../mcp/server/input-requests.ts';
import type { InputRequest } from '../../protocol/mcp-types.ts';
import { CLIENT_CAPABILITIES, LOG_LEVEL } from '../../protocol/meta.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { encodeJson, exactly, JsonText } from '../../wire/json-text.ts';
import { SESSION_META } from '../worker/remote-run.ts';

/** The params of a call for a worker: those of the client, with what the client can do. */
export function callBody(context: CallContext, tool: string, traceparent: unknown): string {
	const { params, meta, logLevel } = context;
	const {
		name: _name,
		arguments: input = {},
		_meta,
		requestState: _state,
		inputResponses: _given,
		...rest
	} = params;
	const { progressToken: _token, ...given } = meta;
	const sent: Record<string, unknown> = {
		...given,
		[CLIENT_CAPABILITIES]: context.clientCapabilities,
		[SESSION_META]: context.sessionId,
	};
	if (logLevel !== undefined) sent[LOG_LEVEL] = logLevel;
	if (traceparent !== undefined) sent['traceparent'] = traceparent;
	if (context.wantsProgress) sent['progressToken'] = 'call';
	const exact = 'arguments' in params ? context.exactArguments : undefined;
	return encodeJson({ ...rest, name: tool, _meta: sent, arguments: exact ?? input });
}

/** The result of a call, or its error. Throws for a text that is neither. */
export function readResult(text: string, isError: boolean): JsonText | OrchestraError {
	const read: unknown = JSON.parse(text);
	if (!isObject(read)) throw new OrchestraError('bad_frame', 'a result that is no object');
	if (!isError) return new JsonText(text, read);
	const { code, message } = read;
	return rpcError(
		typeof code === 'number' ? code : rpcCodes.internal,
		typeof message === 'string' ? message : 'the call failed',
		exactly(read['data'], text, 'data'),
	);
}

/** The client requests of a worker. Throws for a text that has none. */
export function readClientRequests(text: string): InputRequests {
	const read = exactly(JSON.parse(text), text);
	if (!isObject(read)) throw new OrchestraError('bad_frame', 'client requests that are no object');
	const requests: Record<string, InputRequest> = {};
	for (const [key, request] of Object.entries(read)) {
		if (!isObject(request) || typeof request['method'] !== 'string')
			throw new OrchestraError('bad_frame', `a client request without a method: ${key}`);
		const { method, params } = request;
		requests[key] = { method, params: isObject(params) ? params : undefined };
	}
	return requests;
}
