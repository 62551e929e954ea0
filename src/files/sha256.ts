/* SHA-256. The module of Node is loaded on first use: it is a part of the start time. */
import type * as NodeCrypto from 'node:crypto';
import { HASHED_NAME_CHARACTERS } from './files-limits.ts';

let nodeCrypto: typeof NodeCrypto | undefined;

/** A name for a file or a lock, made of a text: the beginning of its SHA-256. */
export function hashedName(text: string): string {
	return sha256(text).slice(0, HASHED_NAME_CHARACTERS);
}

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
	nodeCrypto ??= process.getBuiltinModule('node:crypto');
	return nodeCrypto.hash('sha256', data, 'hex');
}
