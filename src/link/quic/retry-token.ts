/*
 * The token that proves that a client really is where it says it is.
 *
 * A first packet is answered with a token for that address; only a packet that
 * brings it back makes a connection. Nothing is remembered meanwhile: the token
 * carries what we need, sealed with a key that lives as long as the listener.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { MAX_SPENT_TOKENS, RETRY_TOKEN_MS } from '../link-limits.ts';

const SEAL_BYTES = 16;
const TIME_BYTES = 6;

export interface RetryClaim {
	/** Address and port of the client. */
	from: string;
	/** The id that we chose for the connection in the retry. */
	id: Uint8Array;
}

/** Token: seal, time of issue, and the id that the client chose first. */
export function mintRetryToken(key: Buffer, claim: RetryClaim, originalId: Uint8Array, now: number): Buffer {
	const body = Buffer.alloc(TIME_BYTES + originalId.length);
	body.writeUIntBE(now, 0, TIME_BYTES);
	body.set(originalId, TIME_BYTES);
	return Buffer.concat([seal(key, claim, body), body]);
}

/** The id that the client chose first; undefined for a token that is forged, stale or of another address. */
export function openRetryToken(
	key: Buffer,
	claim: RetryClaim,
	token: Uint8Array,
	now: number,
): Buffer | undefined {
	if (token.length <= SEAL_BYTES + TIME_BYTES) return undefined;
	const bytes = Buffer.from(token);
	const body = bytes.subarray(SEAL_BYTES);
	if (!timingSafeEqual(bytes.subarray(0, SEAL_BYTES), seal(key, claim, body))) return undefined;
	const age = now - body.readUIntBE(0, TIME_BYTES);
	return age >= 0 && age <= RETRY_TOKEN_MS ? body.subarray(TIME_BYTES) : undefined;
}

/*
 * Tokens that made a connection already, by the id in them. A token is good for a while and so could make
 * many connections, one after the other. Two sets in turn: the older is dropped when all in it are stale.
 */
export class SpentTokens {
	#recent = new Set<number>();
	#older = new Set<number>();
	#turnsAt = 0;

	/** False when a token with this id was spent before. */
	spend(id: number, now: number): boolean {
		if (this.#recent.has(id) || this.#older.has(id)) return false;
		if (now >= this.#turnsAt || this.#recent.size >= MAX_SPENT_TOKENS) {
			this.#older = this.#recent;
			this.#recent = new Set();
			this.#turnsAt = now + RETRY_TOKEN_MS;
		}
		this.#recent.add(id);
		return true;
	}
}

function seal(key: Buffer, { from, id }: RetryClaim, body: Buffer): Buffer {
	const hmac = createHmac('sha256', key)
		.update(`${from.length}:${from}:${id.length}:`)
		.update(id)
		.update(body);
	return hmac.digest().subarray(0, SEAL_BYTES);
}
