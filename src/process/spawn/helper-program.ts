/*
 * The program of the spawn helper. It runs in its own process, as text for
 * `node --eval`, so it uses nothing from outside the function.
 *
 * It announces each fork, starts the program, sends the three pipes to the parent,
 * closes its own ends, and later reports the exit. Descriptor 4 is the pipe of the
 * guard: while it is open, the guard does not act. The helper exits with its parent,
 * which closes stdin.
 */
import type { ChildProcess, SendHandle, spawn as Spawn, StdioOptions } from 'node:child_process';
import type { FoundProgram } from '../sandbox/sandbox.ts';
import type { ExitStatus } from './spawner.ts';

/** Parent to helper. */
export interface HelperRequest extends Omit<FoundProgram, 'warnings'> {
	readonly id: number;
	/** The process gets the pipe of the guard as descriptor 3. */
	readonly needsPipe: boolean;
}

/** Helper to parent: a fork announcement; three pipes in order, or an error; later the exit. */
export type HelperReply =
	| { readonly id: number; readonly kind: 'forking' }
	| { readonly id: number; readonly kind: 'pipe'; readonly index: number; readonly pid: number }
	| { readonly id: number; readonly kind: 'error'; readonly message: string }
	| ({ readonly id: number; readonly kind: 'exit' } & ExitStatus);

/** The source that `node --eval` runs. */
export function helperSource(): string {
	return `(${runHelper.toString()})(require('node:child_process'))`;
}

/** Node sends such a pipe as it sends a socket, which its types do not say. */
type RawPipe = SendHandle & { readStop(): void; close(): void };

function runHelper({ spawn }: { spawn: typeof Spawn }): void {
	const reply = (message: HelperReply, handle?: SendHandle, done?: () => void): void => {
		// The parent may be gone; the end of the channel ends this process.
		if (process.connected) process.send?.(message, handle, {}, (error) => error || done?.());
	};
	const sendPipes = (id: number, child: ChildProcess): void => {
		const { pid = 0, stdin, stdout, stderr } = child;
		for (const [index, stream] of [stdin, stdout, stderr].entries()) {
			// Detach the pipe from its stream, which would read from it or close it.
			const owner = stream as unknown as { _handle: RawPipe | null };
			const { _handle: pipe } = owner;
			owner._handle = null;
			if (index > 0) pipe?.readStop();
			if (pipe) reply({ id, kind: 'pipe', index, pid }, pipe, () => pipe.close());
		}
	};
	// While pipes wait to be sent, 'disconnect' may be missing; the end of stdin is reliable.
	for (const end of ['end', 'error', 'close']) process.stdin.on(end, () => process.exit());
	process.stdin.resume();
	process.on('disconnect', () => process.exit());
	const start = ({ id, file, args, cwd, env, needsPipe }: HelperRequest): void => {
		const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', ...(needsPipe ? [4] : [])];
		let child: ChildProcess;
		try {
			child = spawn(file, args, { cwd, env, detached: true, stdio });
		} catch (error) {
			// Node throws some system errors, such as E2BIG, and emits others.
			return reply({ id, kind: 'error', message: (error as Error).message });
		}
		child.once('error', ({ message }) => reply({ id, kind: 'error', message }));
		child.once('exit', (code, signal) => reply({ id, kind: 'exit', code, signal }));
		if (child.pid !== undefined) sendPipes(id, child);
	};
	// The announcement precedes the fork: without one, the parent may safely start the program itself.
	process.on('message', (request: HelperRequest) => {
		reply({ id: request.id, kind: 'forking' }, undefined, () => start(request));
	});
}
