/* `mctl list tools`: the tools of the folder, of its plugins and of its MCP servers. */

import type { Configuration } from '../../config/configuration.ts';
import { missingProgram } from '../../tool/missing-program.ts';
import { hubItems, type ListedItem, textField } from '../hub-client/hub-items.ts';
import { isOfServer } from '../target/find-target.ts';
import { openProject } from '../target/project.ts';
import { type Columns, rowsOf } from '../terminal/table.ts';
import type { Listing } from './listing.ts';

const columns: Columns<ToolItem> = {
	ID: ({ id }) => String(id),
	VERSION: ({ version }) => version ?? '',
	RUNTIME: 'runtime',
	DESCRIPTION: ({ description = '' }) => String(description),
};

export const toolListing: Listing = {
	headings: Object.keys(columns),
	narrow: ['ID', 'DESCRIPTION'],
	whenEmpty: 'No tools here. `mctl new tool my-tool --lang python` makes one.',

	async list(input) {
		const {
			tools: found,
			configuration,
			configProblems,
			toolProblems,
		} = openProject(input, { hasExamples: input.flags['examples'] === true });
		// `mctl doctor` reports what the others need.
		const tools = found.filter((tool) => missingProgram(tool, input.environment) === undefined);
		const known = new Set(found.map(({ id }) => id));
		const { items: others, failures: messages } = await hubItems(input, configuration, {
			kind: 'tools',
			key: 'name',
			known,
		});
		const items = [
			...tools.map(({ id, version, name, description, runsOn, tags = [], inputSchema, file }) => {
				return { id, version, name, description, runtime: runsOn, tags, inputSchema, file };
			}),
			...others.map((tool) => toolItem(tool, ownerOf(tool, configuration) ?? 'plugin')),
		];
		return {
			rows: rowsOf(items, columns),
			items,
			problems: [...configProblems, ...toolProblems],
			messages,
		};
	},
};

interface ToolItem {
	readonly id: unknown;
	readonly version?: string;
	readonly name: unknown;
	readonly description: unknown;
	readonly runtime: string;
}

/** The item of a tool that the hub or a server lists. */
export function toolItem(
	{ name, title = name, description, inputSchema }: ListedItem,
	runtime: string,
): ToolItem {
	const item = { id: name, name: title, description, runtime, tags: [], inputSchema };
	return item;
}

/** `mcp` for a tool of an MCP server, `fabric` for a tool that may be of another machine; undefined for any other. */
function ownerOf(
	tool: ListedItem,
	{ mcpServers, plugins, fabric }: Configuration,
): 'mcp' | 'fabric' | undefined {
	const isNamed = mcpServers.some(({ name, isEnabled }) => isEnabled && isOfServer(tool, name));
	if (!isNamed && fabric !== undefined && textField(tool, 'name').includes('__')) return 'fabric';
	return isNamed || plugins.length === 0 ? 'mcp' : undefined;
}
