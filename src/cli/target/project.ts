/* The project a command works in: its configuration, its tools, and what is wrong with either. */
import { basename, dirname, parse } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import type { ConfigProblem } from '../../config/problem.ts';
import type { BlockedFile } from '../../config/trust/blocked.ts';
import { OrchestraError } from '../../errors.ts';
import { blockedReasonOf } from '../../hub/project-trust.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { discoverTools, readToolAt, toolRoots, withExamples } from '../../tool/discover.ts';
import type { DiscoveredTool } from '../../tool/tool.ts';
import type { CommandPlace } from '../command.ts';

export interface Project {
	readonly cwd: string;
	readonly configuration: Configuration;
	readonly roots: readonly string[];
	readonly tools: readonly DiscoveredTool[];
	readonly configProblems: readonly ConfigProblem[];
	/** Project files that are not trusted. */
	readonly blocked: readonly BlockedFile[];
	readonly toolProblems: readonly ConfigProblem[];
}

/** Read the configuration and find the tools of the working directory. A user may run the bundled examples (`hasExamples`). */
export function openProject(
	{ cwd, environment }: CommandPlace,
	{ hasExamples = false }: { hasExamples?: boolean } = {},
): Project {
	const { configuration: read, problems: configProblems, blocked } = loadConfiguration({ cwd, environment });
	const configuration = hasExamples ? withExamples(read) : read;
	const roots = toolRoots(configuration, environment, cwd);
	const { tools, problems: toolProblems } = discoverTools(roots);
	return { cwd, configuration, roots, tools, configProblems, toolProblems, blocked };
}

/** A tool by its id, or by the path of its folder or file. Throws `bad_input` with the nearest ids. */
export function findTool(project: Project, arg: string): DiscoveredTool {
	if (/[/\\]|^\.{1,2}$/.test(arg)) return toolAt(arg, project);
	const tool = project.tools.find(({ id }) => id === arg);
	if (tool) return tool;
	const broken = brokenTool(project, arg);
	if (broken) throw broken;
	const ids = project.tools.map(({ id }) => id);
	const guesses = nearest(arg, ids);
	const blocked = blockedReasonOf(arg, project.blocked);
	throw new OrchestraError(
		'bad_input',
		`there is no tool "${arg}"${blocked === undefined ? '' : `. ${blocked}`}`,
		{
			hint: didYouMean(guesses, 'mctl list shows the tools'),
			data: { tool: arg, nearest: guesses },
		},
	);
}

/** The error of a tool whose folder or file has a problem; undefined when no problem is one of this name. */
export function brokenTool(
	{ toolProblems }: Pick<Project, 'toolProblems'>,
	id: string,
): OrchestraError | undefined {
	const broken = toolProblems.find(({ file }) => {
		return basename(dirname(file)) === id || parse(file).name === id;
	});
	return (
		broken &&
		new OrchestraError('bad_input', `the tool "${id}" cannot be used: ${broken.message}`, {
			hint: `Correct ${broken.file}, then run: mctl check ${broken.file}`,
		})
	);
}

/** A path without a tool is wrong usage, as an unknown id is. */
function toolAt(path: string, { cwd }: Project): DiscoveredTool {
	try {
		return readToolAt(path, cwd);
	} catch (error) {
		if (!OrchestraError.is(error, 'not_found')) throw error;
		throw new OrchestraError('bad_input', error.message, { hint: error.hint, data: error.data });
	}
}
