/*
 * Take stdout for the protocol. What the rest of the process writes there
 * afterwards goes to stderr, where it does no harm and can be seen.
 */
import type { Writable } from 'node:stream';

export interface TakenStdout {
	stream: Writable;
	/** The real write, for the protocol alone. */
	write: Writable['write'];
	/** Undo the diversion. */
	giveBack: () => void;
	/** Forget what waits to be written. */
	abandon: () => void;
}

export function takeStdout(): TakenStdout {
	const { stdout, stderr } = process;
	const descriptor = Object.getOwnPropertyDescriptor(stdout, 'write');
	const write = stdout.write.bind(stdout);
	stdout.write = stderr.write.bind(stderr);
	return {
		stream: stdout,
		write,
		giveBack: () => {
			// The method is usually inherited; taking ours away brings it back.
			Reflect.deleteProperty(stdout, 'write');
			if (descriptor) Object.defineProperty(stdout, 'write', descriptor);
		},
		abandon: () => closeHandle(stdout),
	};
}

/**
 * Node never destroys stdout, so a write that nobody reads would keep the process alive for good. Closing the
 * handle below cancels the write; descriptor 1 itself stays open.
 */
function closeHandle(stdout: Writable): void {
	const handle: unknown = Reflect.get(stdout, '_handle');
	if (typeof handle !== 'object' || handle === null) return;
	if ('close' in handle && typeof handle.close === 'function') handle.close();
}
