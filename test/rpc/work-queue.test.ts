import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/rpc/deferred.ts';
import { WorkQueue } from '../../src/rpc/work-queue.ts';

describe('a queue of work', () => {
	it('does one after the other, in the order in which they came', async () => {
		const queue = new WorkQueue();
		const steps: string[] = [];
		const first = deferred();
		const results = Promise.all([
			queue.run(async () => {
				await first.promise;
				steps.push('first');
				return 1;
			}),
			queue.run(async () => steps.push('second')),
		]);
		first.resolve();
		expect(await results).toEqual([1, 2]);
		expect(steps).toEqual(['first', 'second']);
	});

	it('goes on after work that failed, whose caller gets the error', async () => {
		const queue = new WorkQueue();
		const failed = queue.run(() => Promise.reject(new Error('first')));
		const thrown = queue.run(() => {
			throw new Error('second');
		});
		const third = queue.run(async () => 'third');
		await expect(failed).rejects.toThrow('first');
		await expect(thrown).rejects.toThrow('second');
		expect(await third).toBe('third');
	});
});
