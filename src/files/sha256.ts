/* SHA-256. The module of Node is loaded on first use: it is a part of the start time. */
import type * as NodeCrypto from 'node:crypto';

let nodeCrypto: typeof NodeCrypto | undefined;

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
	nodeCrypto ??= process.getBuiltinModule('node:crypto');
	return nodeCrypto.hash('sha256', data, 'hex');
}
