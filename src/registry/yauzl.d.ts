/* What is used of `yauzl`, which brings no types. */
declare module 'yauzl' {
	import type { Readable } from 'node:stream';

	export interface Entry {
		readonly fileName: string;
		readonly uncompressedSize: number;
		/** The upper 16 bits are the mode on Unix. */
		readonly externalFileAttributes: number;
		isEncrypted(): boolean;
	}
	export interface ZipFile {
		readonly entryCount: number;
		eachEntry(): AsyncIterable<Entry>;
		openReadStreamPromise(entry: Entry): Promise<Readable>;
	}
	export function fromBufferPromise(
		buffer: Buffer,
		options: { strictFileNames: boolean; validateEntrySizes: boolean },
	): Promise<ZipFile>;
}
