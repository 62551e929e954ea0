/* A part of a file. */
import { open } from 'node:fs/promises';

/** Read at most `length` bytes of a file from `offset`. */
export async function readSpan(path: string, offset: number, length: number): Promise<Buffer> {
	const file = await open(path, 'r');
	try {
		const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
		return buffer.subarray(0, bytesRead);
	} finally {
		await file.close();
	}
}
