/*
 * Reserve stdout for the protocol: other writes of this process to stdout are
 * redirected to stderr.
 */
import type { Writable } from 'node:stream';

export interface ReservedStdout {
	stream: Writable;
	/** The original write, for the protocol only. */
	write: Writable['write'];
	/** End the redirection. */
	restore: () => void;
	/** Drop the unwritten output. */
	abandon: () => void;
}

/** Redirect `process.stdout.write` to stderr. */
export function reserveStdout(): ReservedStdout {
	const { stdout, stderr } = process;
	const descriptor = Object.getOwnPropertyDescriptor(stdout, 'write');
	const write = stdout.write.bind(stdout);
	stdout.write = stderr.write.bind(stderr);
	return {
		stream: stdout,
		write,
		restore: () => {
			// The method is usually inherited; deleting ours restores it.
			Reflect.deleteProperty(stdout, 'write');
			if (descriptor) Object.defineProperty(stdout, 'write', descriptor);
		},
		abandon: () => closeHandle(stdout),
	};
}

/**
 * Node never destroys stdout, so a write that is never read would keep the process alive. Closing the libuv handle
 * cancels the write; descriptor 1 stays open.
 */
function closeHandle(stdout: Writable): void {
	const handle: unknown = Reflect.get(stdout, '_handle');
	if (typeof handle !== 'object' || handle === null) return;
	if ('close' in handle && typeof handle.close === 'function') handle.close();
}
