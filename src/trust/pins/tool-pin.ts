/* What is pinned of a tool: everything that describes to an agent what the tool is and how to call it. */
import type { Tool } from '../../protocol/mcp-types.ts';
import { canonicalSha256 } from '../../wire/canonical-json.ts';
import { isObject } from '../../wire/json.ts';
import { PINNED_CHARACTERS } from '../trust-limits.ts';

/** The pinned fields of a tool, in the order of a diff. */
export const pinnedFields = [
	'name',
	'title',
	'description',
	'inputSchema',
	'outputSchema',
	'annotations',
] as const;

/** A tool as it was accepted. Icons and `_meta` are not part of it. */
export type PinnedTool = Readonly<Pick<Tool, (typeof pinnedFields)[number]>>;

/** SHA-256 of each tool, by its own name. */
export type ToolHashes = ReadonlyMap<string, string>;

/** The pinned fields of a tool. */
export function pinnedTool(tool: Tool): PinnedTool {
	const { name, title, description, inputSchema, outputSchema, annotations } = tool;
	return {
		name,
		inputSchema,
		...(title !== undefined && { title }),
		...(description !== undefined && { description }),
		...(outputSchema !== undefined && { outputSchema }),
		...(annotations !== undefined && { annotations }),
	};
}

/** Most tools of a server that are pinned, and most characters of their descriptions: hashing blocks the process. */
const PINNED_TOOLS = 2000;

/** Whether a server has more than is pinned. */
export function isTooMuch(tools: readonly Tool[]): boolean {
	if (tools.length > PINNED_TOOLS) return true;
	// A server may send anything as its description.
	const lengthOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0);
	const characters = tools.reduce((sum, { description }) => sum + lengthOf(description), 0);
	return characters > PINNED_CHARACTERS;
}

/** The hash of each tool. Of two tools with one name the first is called, so its hash counts. */
export function toolHashes(tools: readonly Tool[]): ToolHashes {
	const hashes = new Map<string, string>();
	for (const tool of tools) {
		if (!hashes.has(tool.name)) hashes.set(tool.name, canonicalSha256(pinnedTool(tool)));
	}
	return hashes;
}

/** One hash for the hashes of all tools of a server. */
export function hashesSha256(hashes: ToolHashes): string {
	return canonicalSha256(Object.fromEntries(hashes));
}

/** Whether a value read from a file is a tool with this hash. */
export function isPinnedTool(value: unknown, hash: string): value is PinnedTool {
	return isObject(value) && typeof value['name'] === 'string' && canonicalSha256(value) === hash;
}
