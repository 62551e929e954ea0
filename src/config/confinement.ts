/* The `sandbox` and `limits` of a server, a plugin or the tools. */
import { join } from 'node:path';
import type { ChildLimits } from '../process/child-limits.ts';
import type { Sandbox } from '../process/sandbox.ts';
import type { Configuration } from './configuration.ts';
import { type Field, onlyKeys } from './field.ts';
import { LOCK_FILE, projectNames } from './project-file.ts';

type ConfinedSections = Pick<Configuration, 'mcpServers' | 'plugins' | 'tools' | 'limits'>;

const sandboxNames = ['write', 'read', 'network'];
/** The names of the limits of a child, per entry and for all. */
const childLimitNames = ['memoryBytes', 'processes', 'openFiles'] as const;

/** Read `sandbox`: undefined for none. Relative paths are below the project folder. */
export function readSandbox(field: Field, root: string): Sandbox | undefined {
	if (!field.isPresent || field.value === false) return undefined;
	// A program in its sandbox must not be able to change the file that describes the sandbox.
	const protect = [...projectNames, LOCK_FILE].map((name) => join(root, name));
	const whole: Sandbox = { write: [root], read: ['/'], network: false, protect };
	if (field.value === true) return whole;
	onlyKeys(field, sandboxNames);
	return {
		write: readPaths(field.at('write'), root) ?? whole.write,
		read: readPaths(field.at('read'), root) ?? whole.read,
		network: field.at('network').flag() ?? false,
		protect,
	};
}

/** The sandbox of a plugin, which talks to the hub over the network of this machine. */
export function readPluginSandbox(field: Field, root: string): Sandbox | undefined {
	const sandbox = readSandbox(field, root);
	if (sandbox?.network !== false) return sandbox;
	return field.report('{ "network": true, … }: a plugin talks to the hub over the network of this machine');
}

/** Read `limits` of an entry: undefined for none. */
export function readChildLimits(field: Field): ChildLimits | undefined {
	if (!field.isPresent) return undefined;
	onlyKeys(field, childLimitNames);
	return {
		memoryBytes: field.at('memoryBytes').count(),
		processes: field.at('processes').count(),
		openFiles: field.at('openFiles').count(),
	};
}

/** The sections with the limits for all children where an entry has none of its own. */
export function withChildLimits<Sections extends ConfinedSections>(sections: Sections): Sections {
	const { memoryBytes, processes, openFiles } = sections.limits;
	if (memoryBytes === undefined && processes === undefined && openFiles === undefined) return sections;
	const all = { memoryBytes, processes, openFiles };
	const limits = (own: ChildLimits | undefined): ChildLimits => ({
		memoryBytes: own?.memoryBytes ?? all.memoryBytes,
		processes: own?.processes ?? all.processes,
		openFiles: own?.openFiles ?? all.openFiles,
	});
	return {
		...sections,
		mcpServers: sections.mcpServers.map((server) =>
			server.kind === 'stdio'
				? { ...server, record: { ...server.record, limits: limits(server.record.limits) } }
				: server,
		),
		plugins: sections.plugins.map((plugin) => ({ ...plugin, limits: limits(plugin.limits) })),
		tools: { ...sections.tools, limits: limits(sections.tools.limits) },
	};
}

function readPaths(field: Field, root: string): string[] | undefined {
	return field.isPresent ? field.items().flatMap((item) => item.path(root) ?? []) : undefined;
}
