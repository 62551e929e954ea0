/*
 * Adapts results for clients of older revisions.
 *
 * A content block of an unknown type makes the client's parser reject the whole
 * result, so it is converted to a known type. Fields, structured content and
 * schemas that only the modern era allows are removed.
 */

import {
	type Answer,
	answerValue,
	type ContentBlock,
	exactAnswer,
	type Result,
} from '../../protocol/mcp-types.ts';
import { SERVER_INFO } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText, withoutMembers } from '../../wire/json-text.ts';

const modernFields = ['resultType', 'ttlMs', 'cacheScope'];

/** An answer as a client of this legacy revision knows it; the same object when nothing has to change. */
export function forLegacy(answer: Answer, { adaptContent }: Revision): Answer {
	const { structuredContent, tools, content, messages } = answerValue(answer);
	const fields: Result = {};
	if (structuredContent !== undefined && !isObject(structuredContent))
		fields['structuredContent'] = undefined;
	if (Array.isArray(tools) && tools.some(hasModernOutput)) fields['tools'] = tools.map(withoutModernOutput);
	if (adaptContent) Object.assign(fields, adaptedContent({ content, messages }, adaptContent));
	const adapted = withoutModernFields(answer);
	return Object.keys(fields).length === 0 ? adapted : { ...exactAnswer(adapted), ...fields };
}

function withoutModernFields(answer: Answer): Answer {
	const result = answerValue(answer);
	const { _meta: meta } = result;
	const removed = modernFields.filter((name) => name in result).map((name) => [name]);
	const hasServerInfo = isObject(meta) && SERVER_INFO in meta;
	// A `_meta` that would be empty is removed too.
	if (hasServerInfo) removed.push(Object.keys(meta).length === 1 ? ['_meta'] : ['_meta', SERVER_INFO]);
	if (removed.length === 0) return answer;
	if (answer instanceof JsonText) return new JsonText(withoutMembers(answer.text, removed));
	const copy = { ...answer };
	for (const [name = '', inner = ''] of removed) {
		const { [inner]: _removed, ...rest } = Object(copy[name]);
		if (inner === '') delete copy[name];
		else copy[name] = rest;
	}
	return copy;
}

/** Undefined when no block has to change. */
function adaptedContent(
	{ content, messages }: Result,
	adapt: (block: ContentBlock) => ContentBlock,
): Result | undefined {
	if (Array.isArray(content)) {
		const adapted = content.map(adapt);
		return adapted.every((block, at) => block === content[at]) ? undefined : { content: adapted };
	}
	if (!Array.isArray(messages)) return undefined;
	return { messages: messages.map((message) => ({ ...message, content: adapt(message.content) })) };
}

/** Legacy output schemas describe an object; modern ones may describe anything. */
function hasModernOutput({ outputSchema }: { outputSchema?: { type?: unknown } }): boolean {
	return outputSchema !== undefined && outputSchema.type !== 'object';
}

function withoutModernOutput(tool: { outputSchema?: { type?: unknown } }): unknown {
	if (!hasModernOutput(tool)) return tool;
	const { outputSchema: _modern, ...rest } = tool;
	return rest;
}
