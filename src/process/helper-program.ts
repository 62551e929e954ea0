/*
 * The program of the spawn helper. It runs in a process of its own, as text given
 * to `node --eval`, so it uses nothing from outside the function.
 *
 * It announces each fork, starts what it is asked to start, sends the three pipes over and closes its
 * own ends, and later tells how the process ended. Descriptor 4 is the pipe of
 * the guard: while it is open, the guard does not take us for dead. It ends when
 * its parent does, which closes stdin.
 */
import type { ChildProcess, SendHandle, spawn as Spawn, StdioOptions } from 'node:child_process';

/** Parent to helper. */
export interface HelperRequest {
	readonly id: number;
	readonly file: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	/** The process gets the pipe of the guard as descriptor 3. */
	readonly needsPipe: boolean;
}

/** Helper to parent: that it is about to fork; three pipes in order, or an error; later the end. */
export type HelperAnswer =
	| { readonly id: number; readonly kind: 'forking' }
	| { readonly id: number; readonly kind: 'pipe'; readonly index: number; readonly pid: number }
	| { readonly id: number; readonly kind: 'error'; readonly message: string }
	| {
			readonly id: number;
			readonly kind: 'exit';
			readonly code: number | null;
			readonly signal: NodeJS.Signals | null;
	  };

/** What `node --eval` runs. */
export function helperSource(): string {
	return `(${runHelper.toString()})(require('node:child_process'))`;
}

/** Node sends such a pipe as it sends a socket, which its types do not say. */
type RawPipe = SendHandle & { readStop(): void; close(): void };

function runHelper({ spawn }: { spawn: typeof Spawn }): void {
	const tell = (answer: HelperAnswer, handle?: SendHandle, done?: () => void): void => {
		// A parent that is gone needs no answer; the channel's end ends this process.
		if (process.connected) process.send?.(answer, handle, {}, (error) => error || done?.());
	};
	const handOver = (id: number, child: ChildProcess): void => {
		const { pid = 0, stdin, stdout, stderr } = child;
		for (const [index, stream] of [stdin, stdout, stderr].entries()) {
			// The pipe is taken away from its stream, which would read or close what belongs to the parent.
			const owner = stream as unknown as { _handle: RawPipe | null };
			const { _handle: pipe } = owner;
			owner._handle = null;
			if (index > 0) pipe?.readStop();
			if (pipe) tell({ id, kind: 'pipe', index, pid }, pipe, () => pipe.close());
		}
	};
	// The end of the channel is not always told while pipes wait to be sent over it; the end of stdin is.
	for (const end of ['end', 'error', 'close']) process.stdin.on(end, () => process.exit());
	process.stdin.resume();
	process.on('disconnect', () => process.exit());
	const start = ({ id, file, args, cwd, env, needsPipe }: HelperRequest): void => {
		const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', ...(needsPipe ? [4] : [])];
		let child: ChildProcess;
		try {
			child = spawn(file, args, { cwd, env, detached: true, stdio });
		} catch (error) {
			// Node throws some errors of the system, such as E2BIG, and reports others as an event.
			return tell({ id, kind: 'error', message: (error as Error).message });
		}
		child.once('error', ({ message }) => tell({ id, kind: 'error', message }));
		child.once('exit', (code, signal) => tell({ id, kind: 'exit', code, signal }));
		if (child.pid !== undefined) handOver(id, child);
	};
	// The parent has the announcement before the process exists, so without one it may start the program itself.
	process.on('message', (request: HelperRequest) => {
		tell({ id: request.id, kind: 'forking' }, undefined, () => start(request));
	});
}
