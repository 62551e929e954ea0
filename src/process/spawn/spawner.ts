/* The interface of everything that starts processes. */
import type { Readable, Writable } from 'node:stream';
import type { Guard } from '../guard/guard.ts';
import type { FoundProgram } from '../sandbox/sandbox.ts';

/** Exit code or signal of a process. */
export interface ExitStatus {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

/** A process to start in its own process group, registered with the guard. */
export interface SpawnRequest extends FoundProgram {
	readonly guard: Guard;
}

/** A running process with its three pipes. */
export interface SpawnedProcess {
	readonly pid: number;
	/** The mark that its descendants inherit; undefined on systems without /proc. */
	readonly mark?: string | undefined;
	readonly stdin: Writable;
	readonly stdout: Readable;
	readonly stderr: Readable;
	/** Resolves when the process was reaped. Never rejects. */
	readonly exited: Promise<ExitStatus>;
	/** Signal only the process; use its pid to signal the group. */
	kill(signal?: NodeJS.Signals): void;
}

export interface Spawner {
	/** Start a process. Rejects with the error of the operating system when it cannot be started. */
	spawn(request: SpawnRequest): Promise<SpawnedProcess>;
}
