/* Short answers of tools, resources and prompts, made into the results of the protocol. */
import { messageOf, OrchestraError } from '../../errors.ts';
import type {
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	InputRequired,
	ReadResourceResult,
} from '../../protocol/mcp-types.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';

/** Most values a completion may have. */
const COMPLETION_VALUES = 100;

/**
 * What a tool returned, as a result. Structured content is sent only by a tool that declares its output:
 * agents that see it show the model nothing else.
 */
export function resultOf(value: unknown, declaresOutput: boolean): CallToolResult | InputRequired {
	if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
	// These two shapes are results already.
	if (isObject(value) && Array.isArray(value['content'])) return value as unknown as CallToolResult;
	if (isObject(value) && value['resultType'] === 'input_required') return value as unknown as InputRequired;
	if (value === undefined) return { content: [] };
	const text = JSON.stringify(value) ?? `a ${typeof value} is not JSON`;
	return { content: [{ type: 'text', text }], ...(declaresOutput ? { structuredContent: value } : {}) };
}

/** A tool that throws has failed; an error with a JSON-RPC number of its own is the protocol's. */
export function failureOf(error: unknown): CallToolResult {
	if (rpcErrorOf(error)) throw error;
	const hint = OrchestraError.is(error) ? error.hint : undefined;
	return failure(hint === undefined ? messageOf(error) : `${messageOf(error)}\n${hint}`);
}

/** A tool that failed, in words. */
export function failure(text: string): CallToolResult {
	return { content: [{ type: 'text', text }], isError: true };
}

/** What a resource returned, as a result. */
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

/** Completion values, as a result; clients take a hundred at most. */
export function completionOf(values: string[]): CompleteResult {
	const total = values.length;
	return {
		completion: { values: values.slice(0, COMPLETION_VALUES), total, hasMore: total > COMPLETION_VALUES },
	};
}

/** What a prompt returned, as a result: a text is one message of the user. */
export function messagesOf(
	description: string | undefined,
	value: string | GetPromptResult | InputRequired,
): GetPromptResult | InputRequired {
	if (typeof value !== 'string') return value;
	const messages: GetPromptResult['messages'] = [{ role: 'user', content: { type: 'text', text: value } }];
	return description === undefined ? { messages } : { description, messages };
}
