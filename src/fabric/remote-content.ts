/* The bodies of messages between a hub and a worker, made and read. */
import { OrchestraError } from '../errors.ts';
import type { CallContext } from '../mcp/server/call-context.ts';
import type { Questions } from '../mcp/server/client-questions.ts';
import type { CallToolResult, InputRequest } from '../protocol/mcp-types.ts';
import { CLIENT_CAPABILITIES, LOG_LEVEL } from '../protocol/meta.ts';
import { rpcError } from '../rpc/rpc-error.ts';
import { isObject, memberText, rewritesNumbers } from '../wire/json.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import { keepNumbers } from '../wire/keep-numbers.ts';
import { rememberText } from '../wire/source-text.ts';
import { SESSION_META } from './remote-run.ts';

/** The params of a call for a worker: those of the client, with what the client can do. */
export function callBody(context: CallContext, tool: string, traceparent: unknown): string {
	const { params, meta, text, logLevel } = context;
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
	// Numbers that we would write differently are sent as they were written.
	const written = rewritesNumbers(text) ? memberText(text, 'params', 'arguments') : undefined;
	const head = JSON.stringify({ ...rest, name: tool, _meta: sent });
	return `${head.slice(0, -1)},"arguments":${written ?? JSON.stringify(input)}}`;
}

/** The result of a call, or its error. Throws for a text that is neither. */
export function readResult(text: string, isError: boolean): CallToolResult | OrchestraError {
	const read: unknown = JSON.parse(text);
	if (!isObject(read)) throw new OrchestraError('bad_frame', 'a result that is no object');
	if (!isError) {
		rememberText(read, text);
		// The hub passes results of workers on as those of MCP servers: unchecked.
		return read as unknown as CallToolResult;
	}
	const { code, message, data } = read;
	return rpcError(
		typeof code === 'number' ? code : rpcCodes.internal,
		typeof message === 'string' ? message : 'the call failed',
		data,
	);
}

/** The questions of a worker. Throws for a text that has none. */
export function readQuestions(text: string): Questions {
	const read: unknown = JSON.parse(text);
	keepNumbers(read, text);
	if (!isObject(read)) throw new OrchestraError('bad_frame', 'questions that are no object');
	const questions: Record<string, InputRequest> = {};
	for (const [key, question] of Object.entries(read)) {
		if (!isObject(question) || typeof question['method'] !== 'string')
			throw new OrchestraError('bad_frame', `a question without a method: ${key}`);
		const { method, params } = question;
		questions[key] = { method, params: isObject(params) ? params : undefined };
	}
	return questions;
}
