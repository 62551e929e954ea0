/*
 * Find the shared hub, or start it in the background.
 *
 * The hub is a process of its own, in its own session, so that it outlives the
 * terminal it was started from. Two who start it at once get the same one: the second
 * process finds the lock taken and goes away.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OrchestraError } from '../../errors.ts';
import { withoutMark } from '../../process/mark.ts';
import type { HubFolder, HubRecord } from './hub-folder.ts';

/** How long a hub has until it listens, in milliseconds. */
export const START_MS = 15_000;
const ASK_AGAIN_MS = 20;
const LOG_LINES = 5;

export interface StartOptions {
	readonly folder: HubFolder;
	readonly cwd: string;
	/** The program and arguments that run the hub in the foreground. */
	readonly command: readonly string[];
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly signal?: AbortSignal | undefined;
}

/** The running hub, started when there is none. Throws `timeout` or `closed` with the end of its log. */
export async function ensureHub(options: StartOptions): Promise<HubRecord> {
	return options.folder.running() ?? startHub(options);
}

async function startHub(options: StartOptions): Promise<HubRecord> {
	const { folder, signal } = options;
	const child = await spawnDetached(options);
	let hasExited = false;
	child.once('exit', () => {
		hasExited = true;
	});
	child.unref();
	const giveUpAt = performance.now() + START_MS;
	for (;;) {
		const record = folder.running();
		if (record) {
			// Another was faster. Ours would find the lock taken, or, if that hub is stopped soon, take its place unasked.
			if (record.pid !== child.pid && !hasExited) child.kill('SIGKILL');
			return record;
		}
		signal?.throwIfAborted();
		// One that found the lock taken exits at once; then the other is about to listen.
		if (performance.now() > giveUpAt) throw notStarted(folder, hasExited);
		if (hasExited && performance.now() > giveUpAt - START_MS + EXITED_GRACE_MS)
			throw notStarted(folder, true);
		await sleep(ASK_AGAIN_MS);
	}
}

/** How long another hub that is starting may take, when ours has exited. */
const EXITED_GRACE_MS = 3000;

async function spawnDetached({ folder, cwd, command, environment }: StartOptions): Promise<ChildProcess> {
	const { spawn } = await import('node:child_process'); // most find a hub that runs
	mkdirSync(folder.path, { recursive: true, mode: 0o700 });
	const log = openSync(folder.logFile, 'a', 0o600);
	try {
		const [program = '', ...args] = command;
		return spawn(program, args, {
			cwd,
			detached: true,
			env: withoutMark(environment), // a hub outlives the tool that started it
			stdio: ['ignore', log, log],
		});
	} finally {
		closeSync(log);
	}
}

function notStarted(folder: HubFolder, hasExited: boolean): OrchestraError {
	const what = hasExited
		? 'the hub ended before it listened'
		: `the hub did not listen within ${START_MS} ms`;
	return new OrchestraError(hasExited ? 'closed' : 'timeout', what, {
		hint: `The end of ${folder.logFile}:\n${lastLines(folder.logFile)}`,
	});
}

function lastLines(file: string): string {
	try {
		return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
	} catch {
		return '(it wrote nothing)';
	}
}
