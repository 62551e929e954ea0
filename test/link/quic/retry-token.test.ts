import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RETRY_TOKEN_MS } from '../../../src/link/link-limits.ts';
import { mintRetryToken, openRetryToken } from '../../../src/link/quic/retry-token.ts';

const key = randomBytes(32);
const now = 1_700_000_000_000;

describe('a retry token', () => {
	it('returns the original connection id to the same client within its TTL', () => {
		fc.assert(
			fc.property(
				fc.uint8Array({ minLength: 1, maxLength: 20 }),
				fc.uint8Array({ maxLength: 20 }),
				(first, id) => {
					const claim = { from: '127.0.0.1:5000', id };
					const token = mintRetryToken(key, claim, first, now);
					expect(openRetryToken(key, claim, token, now + 1)).toEqual(Buffer.from(first));
					expect(openRetryToken(key, claim, token, now + RETRY_TOKEN_MS + 1)).toBeUndefined();
					expect(openRetryToken(key, claim, token, now - 1)).toBeUndefined();
				},
			),
		);
	});

	it('is invalid for another address, another id, another key, and after any change', () => {
		const claim = { from: '127.0.0.1:5000', id: Buffer.from('id') };
		const token = mintRetryToken(key, claim, Buffer.from('first'), now);
		expect(openRetryToken(key, { ...claim, from: '127.0.0.1:5001' }, token, now)).toBeUndefined();
		expect(openRetryToken(key, { ...claim, id: Buffer.from('ie') }, token, now)).toBeUndefined();
		expect(openRetryToken(randomBytes(32), claim, token, now)).toBeUndefined();
		for (const [at, byte] of token.entries()) {
			const forged = Buffer.from(token);
			forged[at] = byte ^ 1;
			expect(openRetryToken(key, claim, forged, now)).toBeUndefined();
		}
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 80 }), (noise) => {
				expect(openRetryToken(key, claim, noise, now)).toBeUndefined();
			}),
		);
	});
});
