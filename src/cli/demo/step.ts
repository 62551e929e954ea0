/* A step of the demo, and what steps need: a folder of their own with mctl in it, and a check that explains itself. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OrchestraError } from '../../errors.ts';
import { Client } from '../../transport/client.ts';
import { DEMO_COMMAND_MS } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';

export type DemoInput = Pick<CommandInput, 'environment' | 'program'>;

export interface DemoStep {
	title: string;
	/** Runs the step and returns the lines to show, or throws. */
	run: (input: DemoInput) => Promise<string[]>;
}

/** Throws unless `found` is `wanted`. */
export function expect(found: unknown, wanted: unknown): void {
	if (found === wanted) return;
	throw new OrchestraError('internal', `expected ${String(wanted)}, found ${String(found)}`);
}

/** An empty folder, and this very mctl in it. */
export interface DemoFolder {
	readonly path: string;
	/** The variables of its programs. */
	readonly env: Readonly<Record<string, string>>;
	/** Run mctl to its end; resolves to its stdout. A failure has its stderr. */
	readonly run: (args: readonly string[], cwd?: string) => Promise<string>;
	/** Start mctl as an agent would. It is stopped with the step. */
	readonly start: (args: readonly string[], cwd?: string) => Promise<Client>;
	/** The servers that `mctl list` shows. */
	readonly servers: (cwd?: string) => Promise<{ name: string; pid: number | null }[]>;
}

/** A home of its own, so that the demo touches nothing of yours. */
function homeIn(folder: string): Record<string, string> {
	return {
		HOME: folder,
		XDG_STATE_HOME: join(folder, 'state'),
		XDG_CONFIG_HOME: join(folder, 'config'),
		CLAUDE_CONFIG_DIR: '',
		CODEX_HOME: '',
		ORCHESTRA_TRUST: '',
	};
}

/** A folder for the time of `use`. What mctl started there is stopped, the hub of a bridge too. */
export async function inFolder<T>(
	{ environment, program }: DemoInput,
	use: (demo: DemoFolder) => Promise<T>,
	variablesOf: (folder: string) => Record<string, string> = homeIn,
): Promise<T> {
	const path = mkdtempSync(join(environment['TMPDIR'] || tmpdir(), 'orchestra-demo-'));
	const env = { LOG_LEVEL: 'warn', ...variablesOf(path) };
	const all = { ...environment, ...env };
	const clients: Client[] = [];
	let hasHub = false;
	const run = async (args: readonly string[], cwd = path): Promise<string> => {
		const options = { cwd, env: all, timeout: DEMO_COMMAND_MS };
		return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout;
	};
	const start = async (args: readonly string[], cwd = path): Promise<Client> => {
		hasHub ||= args[0] === 'bridge';
		const record = { command: process.execPath, args: [program, ...args], cwd, env };
		const client = await Client.open(record, { stderr: 'discard', parentEnvironment: environment });
		clients.push(client);
		return client;
	};
	const servers = async (cwd = path): ReturnType<DemoFolder['servers']> =>
		JSON.parse(await run(['list', 'servers', '--json'], cwd)).servers;
	const leave = (): void => stopDetached(path, program, all);
	process.once('exit', leave);
	try {
		return await use({ path, env, run, start, servers });
	} finally {
		await Promise.all(clients.map((client) => client.close()));
		if (hasHub) await run(['hub', 'stop', '--all']);
		process.off('exit', leave);
		await rm(path, { recursive: true, force: true });
	}
}

/**
 * A second Ctrl-C ends the demo at once, and the hub is detached: a shell stops it, and removes the folder. Twice, since
 * a hub that was just being started is not known yet at the first time.
 */
function stopDetached(folder: string, program: string, env: Readonly<NodeJS.ProcessEnv>): void {
	const script = '"$0" "$1" hub stop --all; sleep 2; "$0" "$1" hub stop --all; cd /; rm -rf "$2"';
	const args = ['-c', script, process.execPath, program, folder];
	// The home of the folder, whatever the step uses: no other hub is stopped.
	const options = {
		cwd: folder,
		env: { ...env, ...homeIn(folder) },
		detached: true,
		stdio: 'ignore',
	} as const;
	spawn('sh', args, options).unref();
}

/** The strings of a tool's result. */
export function joinedText(result: unknown): string {
	// Every step checks the text, so a wrong shape shows there.
	const { content = [] } = result as { content?: { text?: string }[] };
	return content.map(({ text }) => text ?? '').join('\n');
}
