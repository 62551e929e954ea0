import { describe, expect, it } from 'vitest';
import { abortable, aborted, onAbort } from '../../src/rpc/abortable.ts';
import { deferred } from '../support/waiting.ts';

describe('abortable', () => {
	it('gives what the work gives, and its error', async () => {
		const { signal } = new AbortController();
		expect(await abortable(async () => 5, signal)).toBe(5);
		const failing = abortable(async () => Promise.reject(new Error('no')), signal);
		await expect(failing).rejects.toThrow('no');
	});

	it('rejects with the reason as soon as the signal is aborted', async () => {
		const controller = new AbortController();
		const waiting = abortable(() => deferred().promise, controller.signal);
		controller.abort(new Error('enough'));
		await expect(waiting).rejects.toMatchObject({ code: 'canceled', message: 'enough' });
	});

	it('does not begin work when the signal was aborted before', async () => {
		let isBegun = false;
		const begin = async (): Promise<void> => void (isBegun = true);
		await expect(abortable(begin, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
		expect(isBegun).toBe(false);
	});
});

describe('onAbort', () => {
	it('calls the listener once, at once when the signal was aborted before, and not after it was removed', async () => {
		const controller = new AbortController();
		const calls: string[] = [];
		const remove = onAbort(controller.signal, () => calls.push('removed'));
		onAbort(controller.signal, () => calls.push('heard'));
		onAbort(undefined, () => calls.push('never'));
		remove();
		controller.abort();
		onAbort(controller.signal, () => calls.push('late'));
		await aborted(controller.signal);
		expect(calls).toEqual(['heard', 'late']);
	});
});
