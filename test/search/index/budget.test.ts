import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickWithin } from '../../../src/library/match/assemble.ts';
import { TopSlots } from '../../../src/search/index/top-slots.ts';

describe('pickWithin', () => {
	it('skips an item that does not fit and takes a smaller one behind it', () => {
		expect(pickWithin([4, 9, 3], 8, (cost) => cost)).toEqual({ picked: [4, 3], cost: 7 });
	});

	it('never spends more than the budget', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(50)), fc.nat(200), (costs, budget) => {
				expect(pickWithin(costs, budget, (cost) => cost).cost).toBeLessThanOrEqual(budget);
			}),
		);
	});
});

describe('TopSlots', () => {
	it('keeps exactly the best, equal scores in the order of the caller', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(9)), fc.nat(6), (scores, limit) => {
				const top = new TopSlots(limit, (a, b) => a < b);
				scores.forEach((score, slot) => top.add(slot, score));
				const all = scores.map((score, slot) => ({ slot, score }));
				const best = all.sort((a, b) => b.score - a.score || a.slot - b.slot).slice(0, limit);
				const kept = top.entries().sort((a, b) => b.score - a.score || a.slot - b.slot);
				expect(kept).toEqual(best);
			}),
		);
	});
});
