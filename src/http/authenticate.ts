/*
 * Who sends a request.
 *
 * One function decides it for every request, so that another way in, such as the
 * cookie of a browser, is one more function. Secrets are compared as hashes, in
 * constant time, so that neither their content nor their length leaks.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The sender of a request; legacy sessions belong to it. */
export type Principal = string;

/** Returns the sender; undefined for a request that may not enter. */
export type Authenticate = (request: Pick<IncomingMessage, 'headers'>) => Principal | undefined;

/** Bytes of the hash of a token that distinguish senders. */
const PRINCIPAL_BYTES = 8;

/** Accept `Authorization: Bearer` with this token. Who has another one later is another sender. */
export function bearerToken(token: string): Authenticate {
	const wanted = hashOf(token);
	const principal = `token:${wanted.toString('hex', 0, PRINCIPAL_BYTES)}`;
	return ({ headers }) => {
		const [, given] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
		return given !== undefined && timingSafeEqual(hashOf(given), wanted) ? principal : undefined;
	};
}

function hashOf(text: string): Buffer {
	return hash('sha256', text, 'buffer');
}
