import type { Tool } from '../../src/protocol/mcp-types.ts';

export interface ToolQuery {
	kind: string;
	query: string;
	wanted: string[][];
}
export interface RecordedServer {
	name: string;
	instructions?: string;
	tools: Tool[];
}
export function catalogue(): RecordedServer[];
export function ownSet(isDevOnly: boolean): {
	servers: RecordedServer[];
	groups: { label: string; queries: ToolQuery[] }[];
};
