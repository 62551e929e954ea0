/* Where the server answers a member. The prefix has its name, so that permissions can bind it. */
import { randomFillSync } from 'node:crypto';
import { encodeToken } from '../fabric-names.ts';

const ID_BYTES = 12;

/** The prefix of the inboxes of a member. */
export function inboxPrefix(name: string): string {
	return `_INBOX.${encodeToken(name)}`;
}

/** Random bytes are fetched for many ids at once: each request costs more than a whole id. */
const pool: Buffer = Buffer.alloc(ID_BYTES * 256);
let used: number = pool.length;

/** An id that cannot be guessed, as one token. */
export function randomId(): string {
	if (used === pool.length) {
		randomFillSync(pool);
		used = 0;
	}
	used += ID_BYTES;
	return pool.toString('base64url', used - ID_BYTES, used);
}
