/* A step of the demo, and what steps need: a folder of their own, and a check that explains itself. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OrchestraError } from '../../errors.ts';
import { Client } from '../../transport/client.ts';
import { DEMO_COMMAND_MS } from '../cli-limits.ts';

export interface DemoStep {
	title: string;
	/** Runs the step and returns the lines to show, or throws. */
	run: () => Promise<string[]>;
}

/** Throws unless `found` is `wanted`. */
export function expect(found: unknown, wanted: unknown): void {
	if (found === wanted) return;
	throw new OrchestraError('internal', `expected ${String(wanted)}, found ${String(found)}`);
}

/** Start this very mctl with other arguments, in a folder, as an agent would. */
export function startMctl(
	mctlArgs: readonly string[],
	cwd: string,
	env: Record<string, string> = {},
): Promise<Client> {
	const args = [process.argv[1] ?? '', ...mctlArgs];
	const record = { command: process.execPath, args, cwd, env: { LOG_LEVEL: 'warn', ...env } };
	return Client.open(record, { stderr: 'discard' });
}

/** Run this very mctl to its end and give back its stdout; a failure has its stderr. */
export async function runMctl(
	mctlArgs: readonly string[],
	cwd: string,
	env: Record<string, string>,
): Promise<string> {
	const environment = { ...process.env, LOG_LEVEL: 'warn', ...env };
	const args = [process.argv[1] ?? '', ...mctlArgs];
	const { stdout } = await promisify(execFile)(process.execPath, args, {
		cwd,
		env: environment,
		timeout: DEMO_COMMAND_MS,
	});
	return stdout;
}

/**
 * An empty folder for the time of `use`. When a second Ctrl-C ends the process at once, `leave` is all that is
 * left of it: it must be synchronous, and removes the folder by default.
 */
export async function inFolder<T>(
	use: (folder: string) => Promise<T>,
	leave: (folder: string) => void = removeFolder,
): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), 'orchestra-demo-'));
	const leaveNow = (): void => leave(folder);
	process.once('exit', leaveNow);
	try {
		return await use(folder);
	} finally {
		process.off('exit', leaveNow);
		await rm(folder, { recursive: true, force: true });
	}
}

function removeFolder(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
}

/** The strings of a tool's result. */
export function joinedText(result: unknown): string {
	// Every step checks the text, so a wrong shape shows there.
	const { content = [] } = result as { content?: { text?: string }[] };
	return content.map(({ text }) => text ?? '').join('\n');
}
