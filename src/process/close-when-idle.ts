/* Close the pipe of a process that is gone, although another process may hold it open. */
import type { Readable } from 'node:stream';

/** Idle time after which the pipe of an exited child counts as held open by another process. */
const PIPE_IDLE_MS = 500;

/** More than a pipe can buffer: any further bytes were written after the child exited. */
const PIPE_CAPACITY_BYTES = 4 * 1024 * 1024;

/** How often such a pipe may be empty at a poll, although data arrived since the last one. */
const EMPTY_POLLS = 6;

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
		const isTooMuch = bytesRead - bytesAtEnd > PIPE_CAPACITY_BYTES || emptyPolls > EMPTY_POLLS;
		if (isIdle || isTooMuch) stream.destroy();
		bytesSeen = bytesRead;
	}, PIPE_IDLE_MS).unref();
	stream.once('close', () => clearInterval(timer));
	if (stream.closed) clearInterval(timer);
}
