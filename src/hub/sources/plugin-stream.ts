/* The result of a streaming tool for MCP clients, which have no streams. */

import type { CallContext } from '../../mcp/server/call-context.ts';
import type { PluginResponse, ToolResponse } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { toolResultOf } from '../../plugin/mcp-translation.ts';
import { type CallToolResult, failure } from '../../protocol/mcp-types.ts';

/** Send each chunk as progress; the joined chunks are the result. */
export async function joinStream(
	stream: AsyncIterable<PluginResponse>,
	context: CallContext,
	notFound: ToolResponse,
): Promise<CallToolResult> {
	const parts: string[] = [];
	for await (const { response } of stream) {
		if (response.case === 'streamChunk') {
			const text = Buffer.from(response.value.data).toString('utf8');
			parts.push(text);
			context.progress(parts.length, undefined, text);
		} else if (response.case === 'streamEnd') {
			const { success, errorCode, errorMessage } = response.value;
			if (!success && errorCode === 'tool_not_found') return toolResultOf(notFound);
			if (!success) return failure(errorMessage || `tool error: ${errorCode}`);
		} else return toolResultOf(notFound);
	}
	return { content: [{ type: 'text', text: parts.join('') }] };
}
