/*
 * Find the configuration files, read them, and merge them entry by entry.
 *
 * The project speaks first: `orchestra.json`, else the `.mcp.json` of any client,
 * in the working directory or the nearest folder above it, no higher than the
 * repository. What the project does not say, the user's own file may.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, OrchestraError } from '../errors.ts';
import type { Configuration, ToolsSection } from './configuration.ts';
import { parseJsonc } from './jsonc.ts';
import { type ConfigProblem, configProblem } from './problem.ts';
import { type FileSections, readSections } from './sections.ts';

export interface LoadOptions {
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Read this file and neither look for one nor read the user's. */
	readonly file?: string | undefined;
}

export interface LoadedConfiguration {
	readonly configuration: Configuration;
	/** What was wrong; the entries concerned are left out. */
	readonly problems: readonly ConfigProblem[];
}

/** Read the configuration. Never throws for what a file says: that is told in `problems`. */
export function loadConfiguration(options: LoadOptions): LoadedConfiguration {
	const { cwd, environment } = options;
	const project = options.file ?? findProjectFile(cwd, environment['HOME']);
	const user = options.file === undefined ? userFile(environment) : undefined;
	const root = project === undefined ? cwd : dirname(project);
	const problems: ConfigProblem[] = [];
	const files: string[] = [];
	const sections: FileSections[] = [];
	for (const file of [project, user]) {
		const text = file === undefined ? undefined : readText(file, file === options.file, problems);
		if (file === undefined || text === undefined) continue;
		files.push(file);
		sections.push(...readFile(file, text, { environment, problems, root }));
	}
	return { configuration: { root, files, ...sections.reduce(merge, empty) }, problems };
}

/** Where the user's own configuration is looked for. */
export function userFile(environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
	const home = environment['HOME'] ?? environment['USERPROFILE'];
	const base = environment['XDG_CONFIG_HOME'] || (home && join(home, '.config'));
	return base ? join(base, 'orchestra', 'config.json') : undefined;
}

const projectNames = ['orchestra.json', '.mcp.json'];

function findProjectFile(cwd: string, home: string | undefined): string | undefined {
	for (let folder = cwd; ; folder = dirname(folder)) {
		const found = projectNames.map((name) => join(folder, name)).find(isFile);
		const isTop = folder === dirname(folder) || folder === home || exists(join(folder, '.git'));
		if (found !== undefined || isTop) return found;
	}
}

function readText(file: string, isRequired: boolean, problems: ConfigProblem[]): string | undefined {
	try {
		return readFileSync(file, 'utf8');
	} catch (error) {
		const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
		if (isAbsent && !isRequired) return undefined;
		const found = isAbsent ? 'missing' : messageOf(error);
		problems.push(configProblem({ file, line: 1, key: '', found, allowed: 'a file that can be read' }));
		return undefined;
	}
}

function readFile(
	file: string,
	text: string,
	context: { environment: Readonly<NodeJS.ProcessEnv>; problems: ConfigProblem[]; root: string },
): FileSections[] {
	try {
		const document = parseJsonc(text, file);
		return [readSections({ file, document, ...context }, !file.endsWith('.mcp.json'), context.root)];
	} catch (error) {
		context.problems.push(syntaxProblem(file, error));
		return [];
	}
}

function syntaxProblem(file: string, error: unknown): ConfigProblem {
	const { message, data } = OrchestraError.from(error);
	const { line = 1, found = '', allowed = '' } = data;
	return { file, line: Number(line), key: '', found: String(found), allowed: String(allowed), message };
}

const empty: FileSections = {
	mcpServers: [],
	tools: { roots: undefined, config: {}, timeoutMs: undefined, timeouts: {} },
	library: { prompts: undefined, resources: undefined },
	plugins: [],
	limits: {},
};

/** `first` wins entry by entry; what only `second` says is added. */
function merge(first: FileSections, second: FileSections): FileSections {
	return {
		mcpServers: mergeBy(first.mcpServers, second.mcpServers, ({ name }) => name),
		tools: mergeTools(first.tools, second.tools),
		library: {
			prompts: first.library.prompts ?? second.library.prompts,
			resources: first.library.resources ?? second.library.resources,
		},
		plugins: mergeBy(first.plugins, second.plugins, ({ id }) => id),
		limits: { ...second.limits, ...first.limits },
	};
}

function mergeTools(first: ToolsSection, second: ToolsSection): ToolsSection {
	const roots = [...new Set([...(first.roots ?? []), ...(second.roots ?? [])])];
	return {
		roots: first.roots === undefined && second.roots === undefined ? undefined : roots,
		config: { ...second.config, ...first.config },
		timeoutMs: first.timeoutMs ?? second.timeoutMs,
		timeouts: { ...second.timeouts, ...first.timeouts },
	};
}

function mergeBy<T>(first: readonly T[], second: readonly T[], keyOf: (entry: T) => string): T[] {
	const taken = new Set(first.map(keyOf));
	return [...first, ...second.filter((entry) => !taken.has(keyOf(entry)))];
}

function isFile(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function exists(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
