/* The project a command works in: its configuration, its tools, and what is wrong with either. */
import { parse } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load.ts';
import type { ConfigProblem } from '../config/problem.ts';
import type { HeldBack } from '../config/trust/held-back.ts';
import { OrchestraError } from '../errors.ts';
import { nearest } from '../search/text/nearest.ts';
import { discoverTools, readToolAt, toolRoots, withExamples } from '../tool/discover.ts';
import type { DiscoveredTool } from '../tool/tool.ts';

export interface Project {
	readonly configuration: Configuration;
	readonly roots: readonly string[];
	readonly tools: readonly DiscoveredTool[];
	readonly configProblems: readonly ConfigProblem[];
	/** Project files that are not trusted. */
	readonly heldBack: readonly HeldBack[];
	readonly toolProblems: readonly ConfigProblem[];
}

/** Read the configuration and find the tools of the working directory. A person may run the bundled examples (`hasExamples`). */
export function openProject(
	environment: Readonly<NodeJS.ProcessEnv>,
	{ hasExamples = false }: { hasExamples?: boolean } = {},
): Project {
	const cwd = process.cwd();
	const { configuration: read, problems: configProblems, heldBack } = loadConfiguration({ cwd, environment });
	const configuration = hasExamples ? withExamples(read) : read;
	const roots = toolRoots(configuration, environment, cwd);
	const { tools, problems: toolProblems } = discoverTools(roots);
	return { configuration, roots, tools, configProblems, toolProblems, heldBack };
}

/** A tool by its id, or by the path of its folder or file. Throws `bad_input` with the nearest ids. */
export function findTool(project: Project, word: string): DiscoveredTool {
	if (/[/\\]|^\.{1,2}$/.test(word)) return toolAt(word);
	const tool = project.tools.find(({ id }) => id === word);
	if (tool) return tool;
	const broken = project.toolProblems.find(({ file }) => {
		return file.split(/[/\\]/).includes(word) || parse(file).name === word;
	});
	if (broken) {
		throw new OrchestraError('bad_input', `the tool "${word}" cannot be used: ${broken.message}`, {
			hint: `Correct ${broken.file}, then run: mctl check ${broken.file}`,
		});
	}
	const ids = project.tools.map(({ id }) => id);
	const guesses = nearest(word, ids);
	throw new OrchestraError('bad_input', `there is no tool "${word}"`, {
		hint: guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : 'mctl list shows the tools',
		data: { tool: word, nearest: guesses },
	});
}

/** A path without a tool is wrong usage, as an unknown id is. */
function toolAt(path: string): DiscoveredTool {
	try {
		return readToolAt(path);
	} catch (error) {
		if (!OrchestraError.is(error, 'not_found')) throw error;
		throw new OrchestraError('bad_input', error.message, { hint: error.hint, data: error.data });
	}
}
