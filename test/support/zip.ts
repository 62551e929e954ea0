/* Write zip archives, also such as no honest program writes. Files are stored without compression. */
import { crc32 } from 'node:zlib';

export interface ZippedFile {
	readonly name: string;
	readonly content: string;
	/** Mode and type of Unix. Default: a regular file. */
	readonly mode?: number;
	/** The size that the directory claims. Default: the true one. */
	readonly claimedSize?: number;
}

/** An archive of these files. */
export function zipOf(...files: readonly ZippedFile[]): Buffer {
	const parts: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const { name, content, mode = 0o100644, claimedSize } of files) {
		const data = Buffer.from(content);
		const path = Buffer.from(name);
		const size = claimedSize ?? data.length;
		const local = Buffer.alloc(30);
		local.writeUInt32LE(0x04034b50, 0);
		local.writeUInt16LE(20, 4);
		local.writeUInt16LE(0x0800, 6);
		local.writeUInt32LE(crc32(data), 14);
		local.writeUInt32LE(data.length, 18);
		local.writeUInt32LE(size, 22);
		local.writeUInt16LE(path.length, 26);
		const central = Buffer.alloc(46);
		central.writeUInt32LE(0x02014b50, 0);
		central.writeUInt16LE(0x0314, 4);
		central.writeUInt16LE(20, 6);
		central.writeUInt16LE(0x0800, 8);
		central.writeUInt32LE(crc32(data), 16);
		central.writeUInt32LE(data.length, 20);
		central.writeUInt32LE(size, 24);
		central.writeUInt16LE(path.length, 28);
		central.writeUInt32LE((mode << 16) >>> 0, 38);
		central.writeUInt32LE(offset, 42);
		parts.push(local, path, data);
		directory.push(central, path);
		offset += local.length + path.length + data.length;
	}
	const listing = Buffer.concat(directory);
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(files.length, 8);
	end.writeUInt16LE(files.length, 10);
	end.writeUInt32LE(listing.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...parts, listing, end]);
}
