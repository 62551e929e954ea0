/* `mctl list tools`. */
import { missingProgram } from '../tool/missing-program.ts';
import type { Listing } from './listing.ts';
import { openProject } from './project.ts';

export const toolListing: Listing = {
	headings: ['ID', 'VERSION', 'RUNTIME', 'DESCRIPTION'],
	whenEmpty: 'No tools here. `mctl new tool my-tool --lang python` makes one.',

	async list({ environment }) {
		const { tools: found, configProblems, toolProblems } = openProject(environment);
		// `mctl doctor` tells what the others need.
		const tools = found.filter((tool) => missingProgram(tool, environment) === undefined);
		return {
			rows: tools.map(({ id, version, runsOn, description }) => [id, version, runsOn, description]),
			items: tools.map(({ id, version, name, description, runsOn, tags = [], inputSchema, file }) => {
				return { id, version, name, description, runtime: runsOn, tags, inputSchema, file };
			}),
			problems: [...configProblems, ...toolProblems],
		};
	},
};
