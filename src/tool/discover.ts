/*
 * Find the tools under some folders.
 *
 * A folder with a `manifest.json` is a tool and is not searched further; any other
 * file may be a tool by itself when it has a header. Links to folders are not
 * followed, so the search ends. A problem with one tool is reported and hides
 * nothing else; of two tools with one id the first root wins.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { type JsonDocument, parseJsonc } from '../config/jsonc.ts';
import { type ConfigProblem, configProblem, unreadableProblem } from '../config/problem.ts';
import { isCode, OrchestraError } from '../errors.ts';
import { FOLDER_DEPTH } from '../files/files-limits.ts';
import { isInside } from '../files/is-inside.ts';
import { packageRoot } from '../files/package-root.ts';
import { readRegularHead, readRegularText } from '../files/regular-file.ts';
import { isToolFolder } from '../files/watch-tree.ts';
import { HEADER_BYTES, interpreterOf, readHeader } from './header.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { MANIFEST_LIMIT_BYTES } from './run-limits.ts';
import { type DiscoveredTool, runsOnOf } from './tool.ts';

/** The tools below some roots, and the problems found there. */
export interface Discovery {
	/** Sorted by id. */
	readonly tools: readonly DiscoveredTool[];
	readonly problems: readonly ConfigProblem[];
}

/** Most files and folders that are scanned below one root. */
const searchLimits = { files: 10_000, folders: 2000 };
const MANIFEST = 'manifest.json';

/** The example tools that come with this package. */
export const bundledToolsRoot: string = join(packageRoot(), 'examples/tools');

/** Where tools are looked for: `M_CONTROL_TOOLS_ROOT`, else the configuration, else `./tools`; the bundled examples last, if the configuration wants them. */
export function toolRoots(
	configuration: Pick<Configuration, 'tools' | 'root'>,
	environment: Readonly<NodeJS.ProcessEnv>,
	cwd: string,
): string[] {
	const list = environment['M_CONTROL_TOOLS_ROOT'];
	if (list) {
		return list
			.split(delimiter)
			.filter(Boolean)
			.map((root) => resolve(cwd, root));
	}
	const { roots = [join(configuration.root, 'tools')], examples } = configuration.tools;
	return [...new Set([...roots, ...(examples === true ? [bundledToolsRoot] : [])])];
}

/** The configuration with the bundled examples, unless a file says `"examples": false`. */
export function withExamples<T extends Pick<Configuration, 'tools'>>(configuration: T): T {
	const { tools } = configuration;
	return { ...configuration, tools: { ...tools, examples: tools.examples ?? true } };
}

/** All tools under `roots`. A root that does not exist is empty. */
export function discoverTools(
	roots: readonly string[],
	limits: { readonly files: number; readonly folders: number } = searchLimits,
): Discovery {
	const byId = new Map<string, DiscoveredTool>();
	const problems: ConfigProblem[] = [];
	for (const file of roots.flatMap((root) => [...toolFiles(root, limits, problems)])) {
		const found = readTool(file);
		const entry = { section: 'tool', name: file } as const;
		if ('problems' in found) problems.push(...found.problems.map((problem) => ({ ...problem, entry })));
		if (!('tool' in found)) continue;
		const first = byId.get(found.tool.id);
		if (first === undefined) byId.set(found.tool.id, found.tool);
		else if (first.file !== file) problems.push(duplicate(found.tool, first));
	}
	const tools = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
	return { tools, problems };
}

/** The tool in a folder with a manifest, or in one file. Throws `not_found` or `bad_input` saying what is wrong. */
export function readToolAt(named: string, cwd: string = process.cwd()): DiscoveredTool {
	const path = resolve(cwd, named);
	const status = statSync(path, { throwIfNoEntry: false });
	const file = status?.isDirectory() ? join(path, MANIFEST) : path;
	const found = statSync(file, { throwIfNoEntry: false });
	if (!found?.isFile()) {
		const reason = found ? 'is not a regular file' : 'does not exist';
		throw new OrchestraError('not_found', `there is no tool at ${named}: ${file} ${reason}`, {
			hint: 'Give the folder that holds manifest.json, or a file with a `# mctl: {…}` header.',
		});
	}
	const read = readTool(file);
	if ('tool' in read) return read.tool;
	const [problem] = read.problems;
	throw new OrchestraError('bad_input', problem?.message ?? `${file} has no \`# mctl: {…}\` header`, {
		hint:
			read.problems
				.slice(1)
				.map(({ message }) => message)
				.join('\n      ') || undefined,
	});
}

type Found = { tool: DiscoveredTool } | { problems: ConfigProblem[] };

/** The files below a root that may be tools. Of too many, the first in each folder. */
function* toolFiles(root: string, limits: typeof searchLimits, problems: ConfigProblem[]): Generator<string> {
	let { files: filesLeft, folders: foldersLeft } = limits;
	const waiting = [{ folder: root, depth: 0 }];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { folder, depth } = next;
		const entries = entriesOf(folder, problems).filter(({ name }) => isToolFolder(name));
		if (entries.some((entry) => entry.name === MANIFEST && !entry.isDirectory())) {
			yield join(folder, MANIFEST);
			continue;
		}
		const files = entries.filter((entry) => !entry.isDirectory());
		const folders = depth < FOLDER_DEPTH ? entries.filter((entry) => entry.isDirectory()) : [];
		if (files.length > filesLeft) problems.push(tooMany(folder, limits.files, 'file'));
		if (folders.length > foldersLeft) problems.push(tooMany(folder, limits.folders, 'folder'));
		for (const { name } of files.slice(0, filesLeft)) yield join(folder, name);
		for (const { name } of folders.slice(0, foldersLeft).toReversed())
			waiting.push({ folder: join(folder, name), depth: depth + 1 });
		filesLeft = Math.max(0, filesLeft - files.length);
		foldersLeft = Math.max(0, foldersLeft - folders.length);
	}
}

function tooMany(file: string, limit: number, kind: string): ConfigProblem {
	const allowed = `${limit} ${kind}${limit === 1 ? '' : 's'}`;
	const found = `more than ${allowed}`;
	return {
		file,
		line: 1,
		key: '',
		found,
		allowed,
		message: `${file} has ${found}; the rest was not searched`,
	};
}

function entriesOf(folder: string, problems: ConfigProblem[]): ReturnType<typeof readFolder> {
	try {
		return readFolder(folder).sort((a, b) => (a.name < b.name ? -1 : 1));
	} catch (error) {
		if (!isCode(error, 'ENOENT')) problems.push(unreadableProblem(folder, error));
		return [];
	}
}

function readFolder(folder: string) {
	return readdirSync(folder, { withFileTypes: true });
}

function readTool(file: string): Found {
	try {
		if (basename(file) === MANIFEST)
			return toolOf(parseJsonc(readRegularText(file, MANIFEST_LIMIT_BYTES), file), file, '');
		const head = headOf(file);
		const document = head === undefined ? undefined : readHeader(head, file);
		return document === undefined ? { problems: [] } : toolOf(document, file, head ?? '');
	} catch (error) {
		return { problems: [unreadableProblem(file, error)] };
	}
}

function toolOf(document: JsonDocument, file: string, head: string): Found {
	const read = readManifest(document, file);
	if ('problems' in read) return read;
	const { manifest } = read;
	const folder = dirname(resolve(file));
	const problem = missingEntry(manifest, folder, file) ?? notExecutable(manifest, head, file);
	if (problem) return { problems: [problem] };
	return { tool: { ...manifest, folder, file, runsOn: runsOnOf(manifest, interpreterOf(head)) } };
}

/** The entry must exist, and must still be inside the folder once links are followed. */
function missingEntry({ entry }: Manifest, folder: string, file: string): ConfigProblem | undefined {
	if (entry === undefined) return undefined;
	const facts = { file, line: 1, key: 'entry', allowed: "a file inside the tool's folder" };
	const path = join(folder, entry);
	if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
		return configProblem({ ...facts, found: `"${entry}", which does not exist` });
	}
	if (isInside(realpathSync(path), realpathSync(folder))) return undefined;
	return configProblem({ ...facts, found: `"${entry}", a link that leads out of it` });
}

function notExecutable(manifest: Manifest, head: string, file: string): ConfigProblem | undefined {
	const isItself = head !== '' && manifest.command?.[0] === `./${basename(file)}`;
	if (!isItself || process.platform === 'win32' || (statSync(file).mode & 0o111) !== 0) return undefined;
	const found = 'a tool by its header, but not executable';
	const message = `${file} is not executable: run chmod +x ${file}`;
	return { file, line: 1, key: '', found, allowed: 'an executable file', message };
}

function headOf(file: string): string | undefined {
	if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
	const text = readRegularHead(file, HEADER_BYTES).toString('utf8');
	return text.includes('\0') ? undefined : text;
}

function duplicate(tool: DiscoveredTool, first: DiscoveredTool): ConfigProblem {
	const found = `"${tool.id}", which ${first.file} has already`;
	return configProblem({ file: tool.file, line: 1, key: 'id', found, allowed: 'an id of its own' });
}
