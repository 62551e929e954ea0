/* A tool that was found: its manifest, where it lives, and how it is started. */
import { basename, resolve } from 'node:path';
import type { ToolsSection } from '../config/configuration.ts';
import { isInside } from '../files/is-inside.ts';
import { childEnvironment } from '../process/environment.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { ownEntry } from '../wire/json.ts';
import type { Manifest } from './manifest.ts';

/** A tool that was found on disk, ready to run. */
export interface DiscoveredTool extends Manifest {
	/** Absolute. The tool runs here. */
	readonly folder: string;
	/** The manifest, or the single file that the tool is. */
	readonly file: string;
	/** What runs it, for users: `node`, `python`, `sh`, … */
	readonly runsOn: string;
}

/** The process of a run. Only the variables that the manifest names are passed on. */
export function spawnRecordOf(tool: DiscoveredTool, environment: Readonly<NodeJS.ProcessEnv>): SpawnRecord {
	const [command = '', ...args] = commandOf(tool);
	const env: Record<string, string> = {};
	for (const name of (tool.env ?? []).flatMap((each) => namesFor(each, environment))) {
		const value = ownEntry(environment, name);
		if (value !== undefined) env[name] = value;
	}
	return { command, args, env, cwd: tool.folder };
}

/** The environment that a run chooses its variables from: the default one for a tool of a project that is not trusted. */
export function toolEnvironment(
	{ folder }: Pick<DiscoveredTool, 'folder'>,
	{ untrustedFolder }: Pick<ToolsSection, 'untrustedFolder'>,
	environment: Readonly<NodeJS.ProcessEnv>,
): Readonly<NodeJS.ProcessEnv> {
	const isUntrusted = untrustedFolder !== undefined && isInside(folder, untrustedFolder);
	return isUntrusted ? childEnvironment(environment) : environment;
}

/** `M_CONTROL_*` stands for every variable that begins so; a star alone stands for none. */
function namesFor(declared: string, environment: Readonly<NodeJS.ProcessEnv>): string[] {
	const prefix = declared.slice(0, -1);
	if (!declared.endsWith('*') || prefix === '') return [declared];
	return Object.keys(environment).filter((name) => name.startsWith(prefix));
}

function commandOf({ runtime, entry = '', command = [], folder }: DiscoveredTool): string[] {
	if (runtime === undefined) {
		const [program = '', ...args] = command;
		return [/[/\\]/.test(program) ? resolve(folder, program) : program, ...args];
	}
	return [...interpreter(runtime, entry), resolve(folder, entry)];
}

function interpreter(runtime: NonNullable<Manifest['runtime']>, entry: string): string[] {
	switch (runtime) {
		case 'node':
			return [process.execPath];
		case 'python':
			return [process.platform === 'win32' ? 'python' : 'python3'];
		case 'powershell':
			return ['pwsh', '-NoProfile', '-NonInteractive', '-File'];
		case 'dotnet':
			return entry.toLowerCase().endsWith('.dll') ? ['dotnet'] : [];
	}
}

/** The text for the RUNTIME column. */
export function runsOnOf(manifest: Manifest, interpreterName?: string): string {
	return manifest.runtime ?? interpreterName ?? basename(manifest.command?.[0] ?? '');
}
