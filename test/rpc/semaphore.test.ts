import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { Semaphore } from '../../src/rpc/semaphore.ts';
import { thrownBy } from '../support/programs.ts';

const patient = (): object => ({});

describe('Semaphore', () => {
	it('lets in as many as the limit, and the next in order when one leaves', async () => {
		const semaphore = new Semaphore({ limit: 1 });
		expect(semaphore.enter(undefined, patient)).toBeUndefined();
		const order: number[] = [];
		const waiting = [1, 2].map(async (number) => {
			await semaphore.enter(undefined, patient);
			order.push(number);
			semaphore.leave();
		});
		expect([semaphore.size, semaphore.waitingCount]).toEqual([3, 2]);
		semaphore.leave();
		await Promise.all(waiting);
		expect([order, semaphore.size]).toEqual([[1, 2], 0]);
	});

	it('gives the place of some work back when that has ended, in whatever way', async () => {
		const semaphore = new Semaphore({ limit: 1 });
		const failed = semaphore.run(undefined, {}, () => Promise.reject(new Error('it failed')));
		const next = semaphore.run(undefined, {}, async () => semaphore.size);
		await expect(failed).rejects.toThrow('it failed');
		expect([await next, semaphore.size]).toEqual([1, 0]);
	});

	it('refuses one more than may wait, with the given error', async () => {
		const refuse = (): OrchestraError => new OrchestraError('closed', 'full');
		const semaphore = new Semaphore({ limit: 1, queueLimit: 1, refuse });
		semaphore.tryEnter(undefined);
		void semaphore.enter(undefined, patient);
		expect(() => semaphore.enter(undefined, patient)).toThrow('full');
	});

	it('forgets one whose signal is aborted while it waits, or was before', async () => {
		const semaphore = new Semaphore({ limit: 1 });
		semaphore.tryEnter(undefined);
		const controller = new AbortController();
		const waiting = semaphore.enter(undefined, () => ({ signal: controller.signal }));
		controller.abort(new Error('changed my mind'));
		expect(await thrownBy(async () => waiting)).toMatchObject({
			code: 'canceled',
			message: 'changed my mind',
		});
		const late = semaphore.enter(undefined, () => ({ signal: controller.signal }));
		expect(await thrownBy(async () => late)).toMatchObject({ code: 'canceled' });
		expect(semaphore.waitingCount).toBe(0);
		semaphore.leave();
		expect(semaphore.tryEnter(undefined)).toBe(true);
	});

	it('gives up one that waited too long, with the given error', async () => {
		const semaphore = new Semaphore({ limit: 1 });
		semaphore.tryEnter(undefined);
		const late = (): OrchestraError => new OrchestraError('timeout', 'too late');
		const waiting = semaphore.enter(undefined, () => ({ timeoutMs: 1, late }));
		expect(await thrownBy(async () => waiting)).toMatchObject({ message: 'too late' });
		expect(semaphore.waitingCount).toBe(0);
	});

	it('says how many wait, or how long one waited, where no error is given', async () => {
		const semaphore = new Semaphore({ limit: 1, queueLimit: 1 });
		semaphore.tryEnter(undefined);
		const waiting = semaphore.enter(undefined, () => ({ timeoutMs: 1 }));
		expect(() => semaphore.enter(undefined, patient)).toThrow('1 wait already');
		expect(await thrownBy(async () => waiting)).toMatchObject({ code: 'timeout', message: 'waited 1 ms' });
	});

	it('has no more places for an urgent one where none are named', () => {
		const semaphore = new Semaphore<string>({ limit: 1, isUrgent: () => true });
		expect([semaphore.tryEnter('one'), semaphore.tryEnter('two')]).toEqual([true, false]);
	});

	it('lets an urgent one go first, and gives it the places that only urgent ones have', async () => {
		let extra = 0;
		const isUrgent = (tag: string): boolean => tag === 'urgent';
		const semaphore = new Semaphore<string>({ limit: 1, isUrgent, urgentPlaces: () => extra });
		semaphore.tryEnter('plain');
		const order: string[] = [];
		const enter = async (tag: string): Promise<void> => {
			await semaphore.enter(tag, patient);
			order.push(tag);
		};
		const waiting = [enter('plain'), enter('urgent')];
		extra = 1;
		semaphore.admit();
		await waiting[1];
		expect(order).toEqual(['urgent']);
		semaphore.leave();
		semaphore.leave();
		await waiting[0];
	});

	it('is idle when nobody works or waits', async () => {
		const semaphore = new Semaphore({ limit: 1 });
		await semaphore.idle();
		semaphore.tryEnter(undefined);
		const events: string[] = [];
		const idle = semaphore.idle().then(() => events.push('idle'));
		const waiting = semaphore.enter(undefined, patient);
		semaphore.leave();
		await waiting;
		events.push('second');
		semaphore.leave();
		await idle;
		expect(events).toEqual(['second', 'idle']);
	});

	it('never lets more in than its limit, and everybody in the end, whatever the order of events', async () => {
		const action = fc.constantFrom('enter', 'leave', 'abort');
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 3 }),
				fc.array(action, { maxLength: 40 }),
				async (limit, actions) => {
					const semaphore = new Semaphore({ limit });
					let working = 0;
					let most = 0;
					const controllers: AbortController[] = [];
					const settled: Promise<void>[] = [];
					const begin = (): void => void (most = Math.max(most, ++working));
					for (const each of actions) {
						if (each === 'enter') {
							const controller = new AbortController();
							const entered = semaphore.enter(undefined, () => ({ signal: controller.signal }));
							if (entered === undefined) begin();
							else {
								controllers.push(controller);
								settled.push(entered.then(begin, () => {}));
							}
						} else if (each === 'abort') controllers.pop()?.abort();
						else if (working > 0) {
							working--;
							semaphore.leave();
						}
						await Promise.resolve()
							.then(() => {})
							.then(() => {});
					}
					for (
						;
						semaphore.size > 0;
						await Promise.resolve()
							.then(() => {})
							.then(() => {})
					) {
						working--;
						semaphore.leave();
					}
					await Promise.all(settled);
					expect([most <= limit, working, semaphore.waitingCount]).toEqual([true, 0, 0]);
				},
			),
		);
	});
});
