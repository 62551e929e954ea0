import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/rpc/deferred.ts';
import { inOrder } from '../../src/rpc/in-order.ts';

describe('inOrder', () => {
	it('begins a work when the one before it has ended', async () => {
		const run = inOrder();
		const first = deferred<string>();
		const begun: string[] = [];
		const one = run(() => {
			begun.push('first');
			return first.promise;
		});
		const two = run(async () => {
			begun.push('second');
		});
		await Promise.resolve();
		expect(begun).toEqual(['first']);
		first.resolve('done');
		expect(await one).toBe('done');
		await two;
		expect(begun).toEqual(['first', 'second']);
	});

	it('goes on after a work that failed, and its caller gets the error', async () => {
		const run = inOrder();
		const failed = run(() => Promise.reject(new Error('no')));
		const next = run(() => Promise.resolve(2));
		await expect(failed).rejects.toThrow('no');
		expect(await next).toBe(2);
	});
});
