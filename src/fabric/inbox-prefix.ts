/* Where the server answers a member. The prefix has its name, so that permissions can bind it. */
import { randomBytes } from 'node:crypto';
import { encodeToken } from './fabric-names.ts';

const ID_BYTES = 12;

/** The prefix of the inboxes of a member. */
export function inboxPrefix(name: string): string {
	return `_INBOX.${encodeToken(name)}`;
}

/** An id that nobody can guess, as one token. */
export function randomId(): string {
	return randomBytes(ID_BYTES).toString('base64url');
}
