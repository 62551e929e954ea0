import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PostingList } from '../../../src/search/index/posting-list.ts';

describe('PostingList', () => {
	it('keeps its documents in ascending order after any additions and removals', () => {
		const step = fc.record({ isAdded: fc.boolean(), slot: fc.nat(30) });
		fc.assert(
			fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
				const posting = new PostingList(1, 'retri');
				const expected = new Map<number, number>();
				for (const [at, { isAdded, slot }] of steps.entries()) {
					if (!isAdded) posting.remove(slot);
					else if (!expected.has(slot)) posting.add(slot, at);
					if (!isAdded) expected.delete(slot);
					else if (!expected.has(slot)) expected.set(slot, at);
				}
				const inOrder = [...expected].sort(([a], [b]) => a - b);
				expect(entriesOf(posting)).toEqual(inOrder.flat());
				expect(posting.count).toBe(expected.size);
			}),
		);
	});

	it('moves its entries to a larger array, and grows beyond it', () => {
		const posting = new PostingList(1, 'retri');
		posting.add(3, 0.5);
		const memory = new Float64Array(4);
		posting.moveTo(memory.subarray(0, 2));
		posting.add(1, 0.25);
		expect(entriesOf(posting)).toEqual([1, 0.25, 3, 0.5]);
		expect([...memory]).toEqual([3, 0.5, 0, 0]);
	});
});

function entriesOf({ entries, end }: PostingList): number[] {
	return [...entries.subarray(0, end)];
}
