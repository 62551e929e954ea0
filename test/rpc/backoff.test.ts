import { describe, expect, it } from 'vitest';
import { Backoff } from '../../src/rpc/backoff.ts';

describe('Backoff', () => {
	it('doubles the delay up to the maximum', () => {
		const backoff = new Backoff(100, 500);
		expect([1, 2, 3, 4, 5].map(() => backoff.nextMs())).toEqual([100, 200, 400, 500, 500]);
	});

	it('starts again with the first delay after a reset', () => {
		const backoff = new Backoff(100, 500);
		expect([backoff.isReset, backoff.nextMs(), backoff.isReset]).toEqual([true, 100, false]);
		backoff.reset();
		expect([backoff.isReset, backoff.nextMs()]).toEqual([true, 100]);
	});
});
