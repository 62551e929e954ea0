/* The body of a request or response, read whole within a limit: chunks are joined once, so a large one costs linear time. */
import type { Readable } from 'node:stream';

/**
 * The bytes of a body; undefined when they are more than the limit. Rejects when it is cut.
 *
 * @param onLong stops the reading of a body over the limit. Default: its connection ends.
 */
export function readBytes(
	message: Readable,
	limitBytes: number,
	onLong: () => void = () => message.destroy(),
): Promise<Buffer | undefined> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		let hasEnded = false;
		message.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= limitBytes) return void chunks.push(chunk);
			resolve(undefined);
			onLong();
		});
		message.on('end', () => {
			hasEnded = true;
			const [only] = chunks;
			resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, size));
		});
		message.on('error', reject);
		// Every body is closed: an error is made only for one that was cut.
		message.on('close', () => hasEnded || reject(new Error('the body was cut')));
	});
}
