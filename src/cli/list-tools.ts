/* `mctl list tools`: the tools of the folder, and those of its plugins. */
import { missingProgram } from '../tool/missing-program.ts';
import { furtherOffers, textField } from './hub-offers.ts';
import type { Listing } from './listing.ts';
import { openProject } from './project.ts';

export const toolListing: Listing = {
	headings: ['ID', 'VERSION', 'RUNTIME', 'DESCRIPTION'],
	whenEmpty: 'No tools here. `mctl new tool my-tool --lang python` makes one.',

	async list(input) {
		const { tools: found, configuration, configProblems, toolProblems } = openProject(input.environment);
		// `mctl doctor` reports what the others need.
		const tools = found.filter((tool) => missingProgram(tool, input.environment) === undefined);
		const known = new Set(found.map(({ id }) => id));
		const others = await furtherOffers(input, configuration, { kind: 'tools', key: 'name', known });
		return {
			rows: [
				...tools.map(({ id, version, runsOn, description }) => [id, version, runsOn, description]),
				...others.map((tool) => [textField(tool, 'name'), '', 'plugin', textField(tool, 'description')]),
			],
			items: [
				...tools.map(({ id, version, name, description, runsOn, tags = [], inputSchema, file }) => {
					return { id, version, name, description, runtime: runsOn, tags, inputSchema, file };
				}),
				...others.map(({ name, title = name, description, inputSchema }) => {
					return { id: name, name: title, description, runtime: 'plugin', tags: [], inputSchema };
				}),
			],
			problems: [...configProblems, ...toolProblems],
		};
	},
};
