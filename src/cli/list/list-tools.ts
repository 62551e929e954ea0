/* `mctl list tools`: the tools of the folder, of its plugins and of its MCP servers. */

import type { Configuration } from '../../config/configuration.ts';
import { missingProgram } from '../../tool/missing-program.ts';
import { hubItems, type ListedItem, textField } from '../hub-client/hub-items.ts';
import { isOfServer } from '../target/find-target.ts';
import { openProject } from '../target/project.ts';
import type { Listing } from './listing.ts';

export const toolListing: Listing = {
	headings: ['ID', 'VERSION', 'RUNTIME', 'DESCRIPTION'],
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
		const { items: others, notes } = await hubItems(input, configuration, {
			kind: 'tools',
			key: 'name',
			known,
		});
		const runtimeOf = (tool: ListedItem): string => ownerOf(tool, configuration) ?? 'plugin';
		return {
			rows: [
				...tools.map(({ id, version, runsOn, description }) => [id, version, runsOn, description]),
				...others.map((tool) => [
					textField(tool, 'name'),
					'',
					runtimeOf(tool),
					textField(tool, 'description'),
				]),
			],
			items: [
				...tools.map(({ id, version, name, description, runsOn, tags = [], inputSchema, file }) => {
					return { id, version, name, description, runtime: runsOn, tags, inputSchema, file };
				}),
				...others.map((tool) => {
					const { name, title = name, description, inputSchema } = tool;
					return { id: name, name: title, description, runtime: runtimeOf(tool), tags: [], inputSchema };
				}),
			],
			problems: [...configProblems, ...toolProblems],
			notes,
		};
	},
};

/** `mcp` for a tool of an MCP server, `fabric` for a tool that may be of another machine; undefined for any other. */
function ownerOf(
	tool: ListedItem,
	{ mcpServers, plugins, fabric }: Configuration,
): 'mcp' | 'fabric' | undefined {
	const isNamed = mcpServers.some(({ name, isEnabled }) => isEnabled && isOfServer(tool, name));
	if (!isNamed && fabric !== undefined && textField(tool, 'name').includes('__')) return 'fabric';
	return isNamed || plugins.length === 0 ? 'mcp' : undefined;
}
