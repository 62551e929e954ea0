/* What starts processes: the same request and the same result, whoever forks. */
import type { Readable, Writable } from 'node:stream';
import type { Guard } from './guard.ts';

export interface ExitStatus {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

/** A process to start, in a group of its own and known to the guard. */
export interface SpawnRequest {
	/** Absolute path of the program. */
	readonly file: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	readonly guard: Guard;
}

/** A process that runs, with its three pipes. */
export interface SpawnedProcess {
	readonly pid: number;
	/** What its descendants inherit in their environment; undefined where marks cannot be found. */
	readonly mark?: string | undefined;
	readonly stdin: Writable;
	readonly stdout: Readable;
	readonly stderr: Readable;
	/** Resolves when the process was reaped. Never rejects. */
	readonly exited: Promise<ExitStatus>;
	/** Signal the process alone; its group is signalled by its pid. */
	kill(signal?: NodeJS.Signals): void;
}

export interface Spawner {
	/** Start a process. Rejects with the error of the operating system when it cannot be started. */
	spawn(request: SpawnRequest): Promise<SpawnedProcess>;
}
