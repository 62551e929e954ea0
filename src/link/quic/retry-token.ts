/*
 * QUIC Retry tokens (address validation).
 *
 * An Initial packet is answered with a token for its source address; only a packet
 * that returns the token opens a connection. The listener keeps no state meanwhile:
 * the token contains it, with a MAC under a key that lives as long as the listener.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { MAX_USED_TOKENS, RETRY_TOKEN_MS } from '../link-limits.ts';

const MAC_BYTES = 16;
const TIME_BYTES = 6;

export interface RetryClaim {
	/** Address and port of the client. */
	from: string;
	/** The connection id that we chose in the Retry packet. */
	id: Uint8Array;
}

/** Token: MAC, time of issue, and the client's original connection id. */
export function mintRetryToken(key: Buffer, claim: RetryClaim, originalId: Uint8Array, now: number): Buffer {
	const body = Buffer.alloc(TIME_BYTES + originalId.length);
	body.writeUIntBE(now, 0, TIME_BYTES);
	body.set(originalId, TIME_BYTES);
	return Buffer.concat([macOf(key, claim, body), body]);
}

/** The client's original connection id; undefined for a token that is forged, expired or for another address. */
export function openRetryToken(
	key: Buffer,
	claim: RetryClaim,
	token: Uint8Array,
	now: number,
): Buffer | undefined {
	if (token.length <= MAC_BYTES + TIME_BYTES) return undefined;
	const bytes = Buffer.from(token);
	const body = bytes.subarray(MAC_BYTES);
	if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(key, claim, body))) return undefined;
	const age = now - body.readUIntBE(0, TIME_BYTES);
	return age >= 0 && age <= RETRY_TOKEN_MS ? body.subarray(TIME_BYTES) : undefined;
}

/*
 * Tokens that opened a connection already, by connection id: within its TTL a token could be replayed.
 * Two generations are stored; the older is dropped when all its tokens are expired.
 */
export class UsedTokens {
	#recent = new Set<number>();
	#older = new Set<number>();
	#rotatesAt = 0;

	/** Mark a token as used; false when it was used before. */
	use(id: number, now: number): boolean {
		if (this.#recent.has(id) || this.#older.has(id)) return false;
		if (now >= this.#rotatesAt || this.#recent.size >= MAX_USED_TOKENS) {
			this.#older = this.#recent;
			this.#recent = new Set();
			this.#rotatesAt = now + RETRY_TOKEN_MS;
		}
		this.#recent.add(id);
		return true;
	}
}

function macOf(key: Buffer, { from, id }: RetryClaim, body: Buffer): Buffer {
	const hmac = createHmac('sha256', key)
		.update(`${from.length}:${from}:${id.length}:`)
		.update(id)
		.update(body);
	return hmac.digest().subarray(0, MAC_BYTES);
}
