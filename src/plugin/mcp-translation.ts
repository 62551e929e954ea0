/* Convert messages of orchestra.plugin.v1 to MCP. */

import type { CallToolResult, GetPromptResult, Prompt, Tool } from '../protocol/mcp-types.ts';
import { isObject, type JsonObject, type JsonValue } from '../wire/json.ts';
import { readExact } from './exact-json.ts';
import type * as pb from './gen/orchestra/plugin/v1/plugin_pb.ts';

/** A tool. Its schema gets type object, as MCP requires, and sorted keys, so that it gives the same bytes. */
export function toolOf({ name, description, inputSchema }: pb.ToolDefinition): Tool {
	return { name, description, inputSchema: { type: 'object', ...sortedKeys(inputSchema ?? {}) } };
}

/** One text block: the `text` of the result, else the result as JSON with sorted keys; or the error message. */
export function toolResultOf(response: pb.ToolResponse): CallToolResult {
	if (!response.success) {
		const text = response.errorMessage || `tool error: ${response.errorCode}`;
		return { content: [{ type: 'text', text }], isError: true };
	}
	const { value, text: exact } = readExact(response.result, response.resultJson);
	const text =
		typeof value['text'] === 'string' ? value['text'] : (exact ?? JSON.stringify(sortedKeys(value)));
	return { content: [{ type: 'text', text }] };
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

/** The same object with the keys of every object in it sorted: Protobuf maps have no order, and Go shuffles them. */
export function sortedKeys(object: JsonObject): JsonObject {
	const keys = Object.keys(object).sort();
	return Object.fromEntries(keys.map((key) => [key, sorted(object[key] ?? null)]));
}

function sorted(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(sorted);
	return isObject(value) ? sortedKeys(value) : value;
}
