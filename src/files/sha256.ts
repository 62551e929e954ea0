/* SHA-256. The module of Node is loaded on first use: it is a part of the start time. */
import type * as NodeCrypto from 'node:crypto';

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
	return crypto().hash('sha256', data, 'hex');
}

function crypto(): typeof NodeCrypto {
	return process.getBuiltinModule('node:crypto');
}
