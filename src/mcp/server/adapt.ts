/*
 * Adapts results for clients of older revisions.
 *
 * A content block of an unknown type makes the client's parser reject the whole
 * result, so it is converted to a known type. Fields, structured content and
 * schemas that only the modern era allows are removed.
 */

import type { ContentBlock, Result } from '../../protocol/mcp-types.ts';
import { SERVER_INFO } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { isObject } from '../../wire/json.ts';
import { withoutMembersAt } from '../../wire/source-text.ts';

const modernFields = ['resultType', 'ttlMs', 'cacheScope'];
const modernPaths = [...modernFields.map((field) => [field]), ['_meta', SERVER_INFO]];

/** A result as a client of this legacy revision knows it; the same object when nothing has to change. */
export function forLegacy(result: Result, { adaptContent }: Revision): Result {
	const { structuredContent, tools } = result;
	let adapted = hasModernFields(result) ? withoutMembersAt(result, modernPaths) : result;
	const change = (fields: Result): void => void (adapted = { ...adapted, ...fields });
	if (structuredContent !== undefined && !isObject(structuredContent))
		change({ structuredContent: undefined });
	if (Array.isArray(tools) && tools.some(hasModernOutput)) change({ tools: tools.map(withoutModernOutput) });
	const content = adaptContent && adaptedContent(result, adaptContent);
	if (content) change(content);
	return adapted;
}

function hasModernFields(result: Result): boolean {
	for (const field of modernFields) if (field in result) return true;
	return isObject(result._meta) && SERVER_INFO in result._meta;
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
