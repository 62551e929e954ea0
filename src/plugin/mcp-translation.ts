/* Convert messages of orchestra.plugin.v1 to MCP. */

import {
	type CallToolResult,
	failure,
	type GetPromptResult,
	type Prompt,
	type Tool,
	textResult,
} from '../protocol/mcp-types.ts';
import { canonicalJson } from '../wire/canonical-json.ts';
import type { JsonObject } from '../wire/json.ts';
import { readExact } from './exact-json.ts';
import type * as pb from './gen/orchestra/plugin/v1/plugin_pb.ts';

/** A tool. Its schema gets type object, as MCP requires, and sorted keys, so that it gives the same bytes. */
export function toolOf({ name, description, inputSchema }: pb.ToolDefinition): Tool {
	// Canonical JSON of an object is one.
	const sorted = JSON.parse(canonicalJson(inputSchema ?? {})) as JsonObject;
	return { name, description, inputSchema: { type: 'object', ...sorted } };
}

/** One text block: the `text` of the result, else the result as JSON with sorted keys; or the error message. */
export function toolResultOf(response: pb.ToolResponse): CallToolResult {
	if (!response.success) return failure(response.errorMessage || `tool error: ${response.errorCode}`);
	const { value, text: exact } = readExact(response.result, response.resultJson);
	const text = typeof value['text'] === 'string' ? value['text'] : (exact ?? canonicalJson(value));
	return textResult(text);
}

export function promptOf({ name, description, arguments: inputs }: pb.PromptDefinition): Prompt {
	return {
		name,
		description,
		arguments: inputs.map((input) => ({
			name: input.name,
			description: input.description,
			required: input.required,
		})),
	};
}

export function promptResultOf({ description, messages }: pb.PromptGetResponse): GetPromptResult {
	return {
		description,
		messages: messages.map(({ role, content }) => ({
			role: role === 'assistant' ? 'assistant' : 'user',
			content: { type: 'text', text: content?.text ?? '' },
		})),
	};
}
