import { describe, expect, it } from 'vitest';
import { LIST_WAIT_MS } from '../../../src/config/defaults.ts';
import { StartLimiter } from '../../../src/hub/sources/mcp/process/start-limiter.ts';
import { SLOT_MS, STARTS_AT_ONCE } from '../../../src/hub/sources/source-limits.ts';
import { deferred, nextTurn, until } from '../../support/waiting.ts';

describe('StartLimiter', () => {
	it('runs four starts at a time, those that a client waits for first', async () => {
		const limiter = new StartLimiter();
		const slots = Array.from({ length: STARTS_AT_ONCE }, () => deferred());
		const order: string[] = [];
		const { signal } = new AbortController();
		const start = (
			name: string,
			isUrgent: boolean,
			work: () => Promise<void> = async () => {},
		): Promise<void> =>
			limiter.run({ start: () => (order.push(name), work()), signal, isUrgent: () => isUrgent });
		const later = [start('background', false)];
		const running = slots.map(({ promise }, at) => start(`first ${at}`, true, () => promise));
		later.push(start('call', true));
		await until('all slots are used', () => order.length === STARTS_AT_ONCE);
		await nextTurn();
		expect(order).toHaveLength(STARTS_AT_ONCE);
		slots[0]?.resolve();
		await Promise.all(later);
		expect(order.slice(STARTS_AT_ONCE)).toEqual(['call', 'background']);
		for (const { resolve } of slots) resolve();
		await Promise.all(running);
	});

	it('begins each start in a turn of the event loop of its own', async () => {
		const limiter = new StartLimiter();
		const { signal } = new AbortController();
		let begunNow = 0;
		const counts: number[] = [];
		const start = async (): Promise<void> => {
			counts.push(++begunNow);
			setImmediate(() => (begunNow = 0));
		};
		const isUrgent = yes;
		await Promise.all([1, 2, 3, 4, 5, 6].map(() => limiter.run({ start, signal, isUrgent })));
		expect(counts).toEqual([1, 1, 1, 1, 1, 1]);
	});

	it('gives the slot of a start that hangs to an urgent one, sooner than a list gives up, and to no other', async () => {
		const limiter = new StartLimiter(20);
		const hanging = deferred();
		const { signal } = new AbortController();
		const order: string[] = [];
		const start = (name: string, isUrgent: () => boolean, work = Promise.resolve()): Promise<void> =>
			limiter.run({ start: () => (order.push(name), work), signal, isUrgent });
		const stuck = Array.from({ length: STARTS_AT_ONCE }, () => start('stuck', yes, hanging.promise));
		const background = start('background', () => false);
		await start('urgent', yes);
		let isCalled = false;
		const called = start('called later', () => isCalled);
		isCalled = true;
		await called;
		expect(order.slice(STARTS_AT_ONCE)).toEqual(['urgent', 'called later']);
		hanging.resolve();
		await Promise.all([...stuck, background]);
		expect(SLOT_MS).toBeLessThanOrEqual(LIST_WAIT_MS / 2);
	});

	it('removes a start that was aborted while it waited', async () => {
		const limiter = new StartLimiter();
		const hanging = deferred();
		const isUrgent = (): boolean => false;
		const { signal } = new AbortController();
		const running = Array.from({ length: STARTS_AT_ONCE }, () =>
			limiter.run({ start: () => hanging.promise, signal, isUrgent }),
		);
		const abort = new AbortController();
		let isStarted = false;
		const start = async (): Promise<void> => void (isStarted = true);
		const waiting = limiter.run({ start, signal: abort.signal, isUrgent });
		abort.abort();
		await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
		hanging.resolve();
		await Promise.all(running);
		expect(isStarted).toBe(false);
	});
});

function yes(): boolean {
	return true;
}
