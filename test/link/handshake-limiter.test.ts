/* What unauthenticated traffic may cost: handshakes by source, and retry tokens. */
import { describe, expect, it } from 'vitest';
import type { OrchestraError } from '../../src/errors.ts';
import {
	HANDSHAKE_EVICTION_MS,
	INITIALS_PER_SOURCE,
	MAX_HANDSHAKES,
	MAX_HANDSHAKES_PER_SOURCE,
	MAX_SOURCES,
	MAX_USED_TOKENS,
	RETRY_TOKEN_MS,
} from '../../src/link/link-limits.ts';
import { HandshakeLimiter, type PendingHandshake } from '../../src/link/quic/handshake-limiter.ts';
import { UsedTokens } from '../../src/link/quic/retry-token.ts';

describe('HandshakeLimiter', () => {
	it('rate-limits one source, and still answers others', () => {
		const limiter = new HandshakeLimiter();
		const answered = Array.from({ length: 1_000 }, () => limiter.allowsInitial('a:1', 0)).filter(Boolean);
		expect(answered).toHaveLength(INITIALS_PER_SOURCE);
		expect(limiter.allowsInitial('b:1', 0)).toBe(true);
		expect(limiter.allowsInitial('a:1', 1_000)).toBe(true);
	});

	it('tracks a bounded number of sources', () => {
		const limiter = new HandshakeLimiter();
		const sources = Array.from({ length: MAX_SOURCES + 10 }, (_, index) =>
			limiter.allowsInitial(`a:${index}`, 0),
		);
		expect(sources.filter(Boolean)).toHaveLength(MAX_SOURCES);
	});

	it('bounds the handshakes of one source, and admits another when one ends', () => {
		const limiter = new HandshakeLimiter();
		const newcomers = Array.from({ length: MAX_HANDSHAKES_PER_SOURCE }, () => handshake('a:1'));
		for (const one of newcomers) limiter.begin(one, 0);
		expect([limiter.admits('a:1', 0), limiter.admits('b:1', 0)]).toEqual([false, true]);
		for (const one of newcomers) limiter.end(one);
		for (const one of newcomers) limiter.end(one);
		expect([limiter.admits('a:1', 0), limiter.size]).toEqual([true, 0]);
	});

	it('evicts the oldest handshake at the limit, once it had time to complete', () => {
		const limiter = new HandshakeLimiter();
		const newcomers = Array.from({ length: MAX_HANDSHAKES }, (_, index) => handshake(`a:${index}`));
		for (const one of newcomers) limiter.begin(one, 0);
		expect(limiter.admits('b:1', HANDSHAKE_EVICTION_MS - 1)).toBe(false);
		expect(limiter.admits('b:1', HANDSHAKE_EVICTION_MS)).toBe(true);
		expect(newcomers.map(({ failures }) => failures.length).slice(0, 3)).toEqual([1, 0, 0]);
		expect(limiter.size).toBe(MAX_HANDSHAKES - 1);
	});
});

describe('a used retry token', () => {
	it('opens no second connection within its TTL', () => {
		const used = new UsedTokens();
		expect(used.use(7, 0)).toBe(true);
		expect(used.use(8, RETRY_TOKEN_MS)).toBe(true);
		expect(used.use(7, RETRY_TOKEN_MS)).toBe(false);
	});

	it('is dropped after its TTL, and when there are very many', () => {
		const used = new UsedTokens();
		for (let id = 0; id < 3 * MAX_USED_TOKENS; id++) used.use(id, 0);
		expect(used.use(0, 0)).toBe(true);
	});
});

function handshake(address: string): PendingHandshake & { failures: OrchestraError[] } {
	const failures: OrchestraError[] = [];
	return { address, failures, fail: (error) => void failures.push(error) };
}
