/* Convert return values of tools, resources and prompts into MCP results. */
import { messageOf, OrchestraError } from '../../errors.ts';
import {
	type CallToolResult,
	type CompleteResult,
	failure,
	type GetPromptResult,
	type InputRequired,
	type ReadResourceResult,
	textResult,
} from '../../protocol/mcp-types.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { COMPLETION_VALUES_LIMIT } from '../mcp-limits.ts';

/**
 * The result of a tool. Structured content is added only when the tool declares its output: agents that
 * receive it do not show the text to the model.
 */
export function resultOf(value: unknown, declaresOutput: boolean): CallToolResult | InputRequired {
	if (typeof value === 'string') return textResult(value);
	// These two shapes are results already.
	if (isObject(value) && Array.isArray(value['content'])) return value as unknown as CallToolResult;
	if (isObject(value) && value['resultType'] === 'input_required') return value as unknown as InputRequired;
	if (value === undefined) return { content: [] };
	const text = JSON.stringify(value) ?? `a ${typeof value} is not JSON`;
	return { ...textResult(text), ...(declaresOutput ? { structuredContent: value } : {}) };
}

/** A thrown error as a failed result; an error with a JSON-RPC code is rethrown. */
export function failureOf(error: unknown): CallToolResult {
	if (rpcErrorOf(error)) throw error;
	const hint = OrchestraError.is(error) ? error.hint : undefined;
	return failure(hint === undefined ? messageOf(error) : `${messageOf(error)}\n${hint}`);
}

/** The result of a resource. */
export function contentsOf(
	uri: string,
	mimeType: string | undefined,
	value: string | Uint8Array | ReadResourceResult | InputRequired,
): ReadResourceResult | InputRequired {
	const head = mimeType === undefined ? { uri } : { uri, mimeType };
	if (typeof value === 'string') return { contents: [{ ...head, text: value }] };
	if (value instanceof Uint8Array)
		return { contents: [{ ...head, blob: Buffer.from(value).toString('base64') }] };
	return value;
}

/** The result of a completion; clients accept at most a hundred values. */
export function completionOf(values: string[]): CompleteResult {
	const total = values.length;
	return {
		completion: {
			values: values.slice(0, COMPLETION_VALUES_LIMIT),
			total,
			hasMore: total > COMPLETION_VALUES_LIMIT,
		},
	};
}

/** The result of a prompt; a string becomes one user message. */
export function messagesOf(
	description: string | undefined,
	value: string | GetPromptResult | InputRequired,
): GetPromptResult | InputRequired {
	if (typeof value !== 'string') return value;
	const messages: GetPromptResult['messages'] = [{ role: 'user', content: { type: 'text', text: value } }];
	return description === undefined ? { messages } : { description, messages };
}
