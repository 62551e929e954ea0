/* The tools that an agent gets in place of a long list: search, describe, call. */
import type { Tool } from '../../protocol/mcp-types.ts';
import type { AbsentServer } from '../absent-servers.ts';

/** Tools in one answer of `find_tools`, by default and at most. */
export const FIND_LIMITS = { usual: 8, most: 50 };
/** Tokens of one answer of `find_tools`, by default, at least and at most. */
export const FIND_BUDGETS = { usual: 1000, least: 50, most: 20_000 };
/** Most servers that the description of `find_tools` names. */
const NAMED_SERVERS = 40;

export const FIND_TOOLS = 'find_tools';
export const DESCRIBE_TOOL = 'describe_tool';
export const CALL_TOOL = 'call_tool';

const names: ReadonlySet<string> = new Set([FIND_TOOLS, DESCRIBE_TOOL, CALL_TOOL]);

/** True for the name of a search tool. */
export function isSearchTool(name: string): boolean {
	return names.has(name);
}

const describeTool: Tool = {
	name: DESCRIBE_TOOL,
	description: 'The whole description and JSON Schema of one tool.',
	inputSchema: {
		type: 'object',
		properties: { name: { type: 'string', description: `A name that ${FIND_TOOLS} returned` } },
		required: ['name'],
	},
	annotations: { readOnlyHint: true, openWorldHint: false },
};

const callTool: Tool = {
	name: CALL_TOOL,
	description: `Call a tool that ${FIND_TOOLS} returned. The result is the result of that tool.`,
	inputSchema: {
		type: 'object',
		properties: {
			name: { type: 'string', description: `A name that ${FIND_TOOLS} returned` },
			arguments: { type: 'object', description: 'The arguments of that tool' },
		},
		required: ['name'],
	},
};

/** The servers that the definitions of the search tools name. */
export interface SearchedServers {
	/** The number of hidden tools by their server. */
	readonly counts: ReadonlyMap<string, number>;
	/** Servers whose tools are not known yet. */
	readonly absent: readonly AbsentServer[];
}

/** The definitions of the search tools. */
export function searchTools({ counts, absent }: SearchedServers): Tool[] {
	const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
	const servers = [
		...[...counts].map(([server, count]) => `${server} (${count})`),
		...absent.map(({ id, state }) => `${id} (${state})`),
	];
	const named = servers.slice(0, NAMED_SERVERS);
	const more = servers.length > NAMED_SERVERS ? [`${servers.length - NAMED_SERVERS} more`] : [];
	const belong = [...named, ...more].join(', ');
	const hidden =
		total > 0
			? `${total} tools are not in this list; they belong to: ${belong}. `
			: belong === ''
				? 'No other tools are configured. '
				: `The tools that are not in this list belong to: ${belong}. `;
	const wait = absent.some(({ state }) => state === 'starting')
		? 'A search waits for servers that start. '
		: '';
	return [
		{
			name: FIND_TOOLS,
			description:
				`Find tools for a step or a task, in your own words. ${hidden}${wait}` +
				`Returns signatures, best first. Call a found tool with ${CALL_TOOL}.`,
			inputSchema: {
				type: 'object',
				properties: {
					query: { type: 'string', description: 'What the tool should do' },
					task: {
						type: 'string',
						description: 'The whole request that this is a step of, in the words of the user: send both',
					},
					limit: { type: 'integer', minimum: 1, maximum: FIND_LIMITS.most, default: FIND_LIMITS.usual },
					budget: {
						type: 'integer',
						description: 'Most tokens of the answer',
						minimum: FIND_BUDGETS.least,
						maximum: FIND_BUDGETS.most,
						default: FIND_BUDGETS.usual,
					},
				},
				required: ['query'],
			},
			annotations: { readOnlyHint: true, openWorldHint: false },
		},
		describeTool,
		callTool,
	];
}
