/* Answers of plugins in the words of MCP. Plain data, no knowledge of any revision. */

import type { JsonObject } from '../wire/json.ts';
import { readExact, textOf } from './exact-json.ts';
import type {
	PromptDefinition,
	PromptGetResponse,
	ToolDefinition,
	ToolResponse,
} from './gen/orchestra/plugin/v1/plugin_pb.ts';

export interface McpToolAnswer {
	content: { type: 'text'; text: string }[];
	isError?: true;
}

/** A tool's answer: its text when it has one, else the whole result as JSON; a failure in words. */
export function mcpToolAnswer(response: ToolResponse): McpToolAnswer {
	if (!response.success) {
		const text = response.errorMessage || `tool error: ${response.errorCode}`;
		return { content: [{ type: 'text', text }], isError: true };
	}
	const result = readExact(response.result, response.resultJson);
	const { text } = result.value;
	return { content: [{ type: 'text', text: typeof text === 'string' ? text : textOf(result) }] };
}

export function mcpTool({ name, description, inputSchema }: ToolDefinition): {
	name: string;
	description: string;
	inputSchema: JsonObject;
} {
	return {
		name,
		description,
		inputSchema: inputSchema && Object.keys(inputSchema).length > 0 ? inputSchema : { type: 'object' },
	};
}

export function mcpPrompt({ name, description, arguments: given }: PromptDefinition): {
	name: string;
	description: string;
	arguments: { name: string; description: string; required: boolean }[];
} {
	return {
		name,
		description,
		arguments: given.map((argument) => ({
			name: argument.name,
			description: argument.description,
			required: argument.required,
		})),
	};
}

export function mcpPromptAnswer({ description, messages }: PromptGetResponse): {
	description: string;
	messages: { role: string; content: { type: string; text: string } }[];
} {
	return {
		description,
		messages: messages.map(({ role, content }) => ({
			role,
			content: { type: content?.type || 'text', text: content?.text ?? '' },
		})),
	};
}
