/*
 * Find the configuration files, read them, and merge them entry by entry.
 *
 * Precedence: the project file (`orchestra.json`, else the `.mcp.json` of any client),
 * the `plugins.yaml` of an existing Orchestra if the project file has no plugins, the
 * user's own file, and last the plugins that another Orchestra installed for the user.
 * What a project file may start or loosen counts only when the user trusts the file.
 */
import { dirname, join } from 'node:path';
import { isCode } from '../errors.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { absoluteFolder } from '../files/state-folder.ts';
import type { ChildLimits } from '../process/sandbox/child-limits.ts';
import { isObject, type JsonValue } from '../wire/json.ts';
import { CONFIG_LIMIT_BYTES } from './config-limits.ts';
import type { Configuration, ServerEntry } from './configuration.ts';
import type { FieldSource } from './field.ts';
import { type ConfigFile, inEffect, mergeSections } from './merge-sections.ts';
import { readPluginRegistry, registryFile } from './plugin-registry.ts';
import { isPluginsYaml, parseConfigText, readPluginsYaml } from './plugins-yaml.ts';
import { type ConfigProblem, configProblem, unreadableProblem } from './problem.ts';
import { findProjectFile, PLUGINS_FILE } from './project-file.ts';
import { sameUrlOf } from './same-url.ts';
import { childLimitKeys } from './sections/confinement.ts';
import { type FileSections, noSections, readSections } from './sections/sections.ts';
import { withoutSelf } from './self-entry.ts';
import { type BlockedFile, blockUntrusted, type ReadProjectFile } from './trust/blocked.ts';
import { planEffects, planFilesIn } from './trust/plan-files.ts';
import { projectEffects } from './trust/project-effects.ts';
import { readUntrusted, untrustedTools } from './trust/untrusted-sections.ts';

export interface LoadOptions {
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Read only this file: no search, and not the user's file. Who names a file trusts it. */
	readonly file?: string | undefined;
	/** Called with each project file that was found and parsed. */
	readonly onProjectFile?: ((read: ReadProjectFile) => void) | undefined;
	/** Description of the environment in the problem of an unset variable, e.g. `the environment of the hub (pid 12)`. */
	readonly environmentName?: string | undefined;
}

export interface LoadedConfiguration {
	readonly configuration: Configuration;
	/** The files that were read, in the order in which they count. */
	readonly read: readonly ConfigFile[];
	/** Problems; the affected entries are skipped. */
	readonly problems: readonly ConfigProblem[];
	/**
	 * Files that exist but could not be read or parsed: none of their entries is in `configuration`. An editor
	 * may be writing them. `problems` has the reasons.
	 */
	readonly brokenFiles: readonly string[];
	/** Entries that were skipped on purpose, one sentence each. */
	readonly skipped: readonly string[];
	/** Unset variables without a default that a file uses. */
	readonly unset: readonly string[];
	/** Project files that are not trusted, with what is blocked. */
	readonly blocked: readonly BlockedFile[];
}

/** Read the configuration. Never throws for the content of a file: `problems` reports it. */
export function loadConfiguration(options: LoadOptions): LoadedConfiguration {
	const { cwd, environment } = options;
	const isNamed = options.file !== undefined;
	const project = options.file ?? findProjectFile(cwd, environment['HOME']);
	const root = project === undefined ? cwd : dirname(project);
	const reading: Reading = {
		...options,
		root,
		unset: new Set(),
		problems: [],
		brokenFiles: [],
		files: [],
		read: [],
		blocked: [],
		namesPlugins: false,
		hasPlans: false,
	};
	if (project !== undefined) readInto(reading, project, isNamed ? 'named' : 'project');
	const plugins = join(root, PLUGINS_FILE);
	if (!isNamed && !reading.namesPlugins && project !== plugins) readInto(reading, plugins, 'project');
	const user = isNamed ? undefined : userFile(environment);
	if (user !== undefined) readInto(reading, user, 'user');
	const registry = isNamed ? undefined : registryFile(environment);
	if (registry !== undefined) readInto(reading, registry, 'user');
	if (reading.hasPlans) readPlans(reading);
	const { files, problems, brokenFiles, unset, blocked } = reading;
	const skipped: string[] = [];
	const read = inEffect(reading.read);
	const merged = withoutSelf(mergeSections(read), reading, skipped);
	const configuration = { root, files, ...completed(merged, read) };
	const tools = { ...configuration.tools, ...untrustedTools(read, root) };
	return {
		configuration: { ...configuration, tools },
		read,
		problems,
		brokenFiles,
		unset: [...unset],
		skipped,
		blocked,
	};
}

/** The settings for reading, and the results so far. */
interface Reading extends LoadOptions {
	readonly root: string;
	readonly unset: Set<string>;
	readonly problems: ConfigProblem[];
	readonly brokenFiles: string[];
	readonly files: string[];
	readonly read: ConfigFile[];
	readonly blocked: BlockedFile[];
	/** True when a file has a `plugins` key, even an empty one. */
	namesPlugins: boolean;
	/** True when a file turns plans on, trusted or not. */
	hasPlans: boolean;
}

/** Who chose a file: the folder it was found in, the user who named it, or the user once and for all. */
type Origin = 'project' | 'named' | 'user';

function readInto(reading: Reading, file: string, origin: Origin): void {
	const bytes = readBytes(file, origin === 'named', reading);
	if (bytes === undefined) return;
	reading.files.push(file);
	readFile(file, bytes, { reading, isProject: origin === 'project' });
}

/** Saved plans need trust as the project file does. */
function readPlans({ root, environment, onProjectFile, blocked }: Reading): void {
	for (const plan of planFilesIn(root)) {
		const { file, bytes } = plan;
		const found = { file, bytes, effects: () => planEffects(plan), folder: root };
		onProjectFile?.(found);
		const untrusted = blockUntrusted(found, environment);
		if (untrusted) blocked.push(untrusted);
	}
}

/** The path of the user's own configuration. Relative folders would be those of a project. */
export function userFile(environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
	const home = absoluteFolder(environment['HOME'] ?? environment['USERPROFILE']);
	const base = absoluteFolder(environment['XDG_CONFIG_HOME']) ?? (home && join(home, '.config'));
	return base ? join(base, 'orchestra', 'config.json') : undefined;
}

function readBytes(file: string, isRequired: boolean, reading: Reading): Buffer | undefined {
	try {
		return readRegularFile(file, CONFIG_LIMIT_BYTES);
	} catch (error) {
		const isAbsent = isCode(error, 'ENOENT');
		if (isAbsent && !isRequired) return undefined;
		const allowed = 'a file that can be read';
		const missing = configProblem({ file, line: 1, key: '', found: 'missing', allowed });
		reading.problems.push(isAbsent ? missing : unreadableProblem(file, error));
		if (!isAbsent) reading.brokenFiles.push(file);
		return undefined;
	}
}

function readFile(
	file: string,
	bytes: Buffer,
	{ reading, isProject }: { reading: Reading; isProject: boolean },
): void {
	const { environment, environmentName, unset, problems, root } = reading;
	const isYaml = isPluginsYaml(file);
	try {
		const text = bytes.toString('utf8');
		const document = parseConfigText(text, file);
		if (!isComplete(text, document.value)) reading.brokenFiles.push(file);
		reading.namesPlugins ||= isYaml || (isObject(document.value) && 'plugins' in document.value);
		const read = (from: FieldSource): FileSections => {
			if (isYaml) return readPluginsYaml(from, noSections);
			if (file === registryFile(environment)) return readPluginRegistry(from, noSections, root);
			const sections = readSections(from, !file.endsWith('.mcp.json'), root);
			return file === userFile(environment) ? ofUser(sections) : sections;
		};
		const source = { file, document, environment, environmentName, unset, problems };
		reading.hasPlans ||= isObject(document.value) && document.value['plans'] === true;
		const found = { file, bytes, effects: () => projectEffects(document.value, root), folder: root };
		if (isProject) reading.onProjectFile?.(found);
		const blocked = isProject ? blockUntrusted(found, environment) : undefined;
		const isTrusted = blocked === undefined;
		const sections = isTrusted ? read(source) : readUntrusted(source, read, root);
		reading.read.push({ file, document, sections, isTrusted });
		if (blocked?.effects.some(({ isBlocked }) => isBlocked)) reading.blocked.push(blocked);
	} catch (error) {
		reading.namesPlugins ||= isYaml;
		problems.push(unreadableProblem(file, error));
		reading.brokenFiles.push(file);
	}
}

function ofUser(sections: FileSections): FileSections {
	return { ...sections, mcpServers: sections.mcpServers.map((entry) => ({ ...entry, isOfUser: true })) };
}

/** The sections with what an entry has of its own, else of all: limits, the pin mode; and an identity provider where it needs one. */
function completed(sections: FileSections, read: readonly ConfigFile[]): FileSections {
	const { pin = 'warn', fabric, tools, plugins, identityProvider } = sections;
	const ofAll = Object.entries(sections.limits).filter(([name]) => Object.hasOwn(childLimitKeys, name));
	const limited = <T extends { readonly limits?: ChildLimits | undefined }>(child: T): T =>
		ofAll.length === 0 ? child : { ...child, limits: { ...Object.fromEntries(ofAll), ...child.limits } };
	const mcpServers = sections.mcpServers.map((server): ServerEntry => {
		const settings = { ...server.settings, pin: server.settings.pin ?? pin };
		if (server.kind === 'stdio') return { ...server, settings, record: limited(server.record) };
		const { oauth } = server;
		return {
			...server,
			...sameUrlOf(server, read),
			settings,
			oauth: oauth?.grant === 'enterprise' ? { ...oauth, identityProvider } : oauth,
		};
	});
	return {
		...sections,
		mcpServers,
		plugins: plugins.map(limited),
		tools: limited(tools),
		fabric: fabric && { ...fabric, pin: fabric.pin ?? pin },
	};
}

/** A truncated YAML file may still parse: an empty file to null, the start of a key to a string. */
function isComplete(text: string, value: JsonValue): boolean {
	return isObject(value) && text.trim() !== '';
}
