/* Close the pipe of a process that is gone, although another process may hold it open. */
import type { Readable } from 'node:stream';
import { PIPE_CAPACITY_BYTES, PIPE_EMPTY_POLLS, PIPE_IDLE_MS } from './process-limits.ts';

/** Close the pipe of a process tree that is gone, once its output was read. */
export function closeWhenIdle(pipe: Readable): void {
	// A child's pipe is a socket; the declared type does not say so.
	const stream = pipe as Readable & { bytesRead: number };
	const bytesAtEnd = stream.bytesRead;
	let bytesSeen = -1;
	let emptyPolls = 0;
	const timer = setInterval(() => {
		const { bytesRead } = stream;
		const isEmpty = stream.readableLength === 0;
		if (isEmpty) emptyPolls++;
		const isIdle = isEmpty && bytesRead === bytesSeen;
		const isTooMuch = bytesRead - bytesAtEnd > PIPE_CAPACITY_BYTES || emptyPolls > PIPE_EMPTY_POLLS;
		if (isIdle || isTooMuch) stream.destroy();
		bytesSeen = bytesRead;
	}, PIPE_IDLE_MS).unref();
	stream.once('close', () => clearInterval(timer));
	if (stream.closed) clearInterval(timer);
}
