import { describe, expect, it } from 'vitest';
import { defaultRunsAtOnce, RunQueue } from '../../src/tool/run-queue.ts';
import { thrownBy } from '../support/programs.ts';

const LONG_MS = 60_000;
const { signal } = new AbortController();

describe('RunQueue', () => {
	it('runs as many calls as the limit, and the next in order when one ends', async () => {
		const queue = new RunQueue(1);
		const leave = await queue.enter(signal, LONG_MS);
		const order: number[] = [];
		const waiting = [1, 2].map((number) =>
			queue.enter(signal, LONG_MS).then((leaveLater) => {
				order.push(number);
				leaveLater();
			}),
		);
		expect(queue.waitingCount).toBe(2);
		leave();
		leave(); // a second time changes nothing
		await Promise.all(waiting);
		expect([order, queue.waitingCount]).toEqual([[1, 2], 0]);
	});

	it('removes a canceled call from the queue', async () => {
		const queue = new RunQueue(1);
		const leave = await queue.enter(signal, LONG_MS);
		const controller = new AbortController();
		const waiting = queue.enter(controller.signal, LONG_MS);
		controller.abort(new Error('changed my mind'));
		expect(await thrownBy(() => waiting)).toMatchObject({ message: 'changed my mind' });
		expect(queue.waitingCount).toBe(0);
		leave();
		await queue.enter(signal, LONG_MS);
	});

	it('times out a call that was queued for as long as it may run', async () => {
		const queue = new RunQueue(1);
		await queue.enter(signal, LONG_MS);
		expect(await thrownBy(() => queue.enter(signal, 20))).toMatchObject({ code: 'timeout' });
		expect(queue.waitingCount).toBe(0);
	});

	it('refuses a call when the queue is full', async () => {
		const queue = new RunQueue(1, 1);
		const leave = await queue.enter(signal, LONG_MS);
		const waiting = queue.enter(signal, LONG_MS);
		const error = await thrownBy(() => queue.enter(signal, LONG_MS));
		expect(error).toMatchObject({ message: 'not started: 1 tools run and 1 calls wait' });
		leave();
		await waiting;
	});
});

describe('defaultRunsAtOnce', () => {
	it('depends on the cores and the limit of open files, within bounds', () => {
		expect(defaultRunsAtOnce(2, 20_000)).toBe(16);
		expect(defaultRunsAtOnce(2, 192)).toBe(8);
		expect(defaultRunsAtOnce(64, 20_000)).toBe(128);
		expect(defaultRunsAtOnce(2, 100)).toBe(1);
	});
});
