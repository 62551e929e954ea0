import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../src/rpc/calls/deadlines.ts';
import { systemClock, within } from '../../src/rpc/clock.ts';
import { FakeClock } from '../support/fake-channel.ts';

describe('Deadlines', () => {
	it('fires at the earliest deadline and asks for the next', () => {
		const clock = new FakeClock();
		const swept: number[] = [];
		const deadlines = new Deadlines(clock, (now) => {
			swept.push(now);
			return now < 100 ? 100 : Number.POSITIVE_INFINITY;
		});
		deadlines.schedule(100);
		deadlines.schedule(40);
		deadlines.schedule(60);
		clock.advance(1000);
		expect(swept).toEqual([40, 100]);
	});

	it('splits a wait that is too long for one timer', () => {
		const clock = new FakeClock();
		let sweeps = 0;
		const dueAt = 2 ** 31 + 5000;
		const deadlines = new Deadlines(clock, (now) => {
			sweeps++;
			return now < dueAt ? dueAt : Number.POSITIVE_INFINITY;
		});
		deadlines.schedule(dueAt);
		clock.advance(2 ** 31);
		expect(sweeps).toBe(1);
		clock.advance(5000);
		expect(sweeps).toBe(2);
	});

	it('does nothing after close', () => {
		const clock = new FakeClock();
		const deadlines = new Deadlines(clock, () => {
			throw new Error('fired');
		});
		deadlines.schedule(10);
		deadlines.close();
		clock.advance(100);
		expect(clock.timerCount).toBe(0);
	});
});

describe('systemClock', () => {
	it('advances, and calls back unless canceled', async () => {
		const before = systemClock.now();
		const cancel = systemClock.after(5, () => {
			throw new Error('canceled');
		});
		cancel();
		// Its own timers do not keep the process alive, so one of ours must.
		const keepAlive = setTimeout(() => {}, 5000);
		await new Promise<void>((resolve) => systemClock.after(10, resolve));
		clearTimeout(keepAlive);
		expect(systemClock.now()).toBeGreaterThan(before);
	});
});

it('a wait that is longer than a timer can hold does not end at once', async () => {
	const late = within(new Promise(() => {}), 2 ** 40, false).then(() => 'ended');
	// A timer that Node cannot hold ends after 1 ms, so before this one.
	const soon = new Promise((resolve) => setTimeout(resolve, 20, 'waits'));
	expect(await Promise.race([late, soon])).toBe('waits');
});
