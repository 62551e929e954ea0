import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIRST_PAUSE_MS, HEALTHY_MS, LONGEST_PAUSE_MS, Supervisor } from '../../src/hub/supervisor.ts';
import { Log } from '../../src/log.ts';

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
	vi.useRealTimers();
});

describe('Supervisor', () => {
	it('starts once for many who wait, and tells that it is up', async () => {
		const { supervisor, starts, changes } = supervised();
		await Promise.all([supervisor.up(), supervisor.up()]);
		await supervisor.up();
		expect([starts(), changes(), supervisor.state]).toEqual([1, 1, 'running']);
	});

	it('starts again after a crash, with a pause that doubles up to a bound', async () => {
		const { supervisor, starts, crash } = supervised();
		await supervisor.up();
		for (let pause = FIRST_PAUSE_MS, n = 2; n < 9; n++, pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
			await crash();
			await vi.advanceTimersByTimeAsync(pause - 1);
			expect(starts()).toBe(n - 1);
			await vi.advanceTimersByTimeAsync(1);
			expect(starts()).toBe(n);
		}
	});

	it('forgets the past after a minute of good health', async () => {
		const { supervisor, starts, crash } = supervised();
		await supervisor.up();
		await crash();
		await vi.advanceTimersByTimeAsync(FIRST_PAUSE_MS);
		await vi.advanceTimersByTimeAsync(HEALTHY_MS);
		await crash();
		await vi.advanceTimersByTimeAsync(FIRST_PAUSE_MS);
		expect(starts()).toBe(3);
	});

	it('tells whoever waits why it does not start, and tries again', async () => {
		const { supervisor, starts, failNext } = supervised();
		failNext('no such binary');
		await expect(supervisor.up()).rejects.toThrow('no such binary');
		expect(supervisor.state).toBe('down: no such binary');
		await vi.advanceTimersByTimeAsync(FIRST_PAUSE_MS);
		expect([starts(), supervisor.state]).toEqual([2, 'running']);
	});

	it('does not start again once it is closed', async () => {
		const { supervisor, starts, stops, crash } = supervised();
		await supervisor.up();
		await crash();
		await supervisor.close();
		await vi.advanceTimersByTimeAsync(LONGEST_PAUSE_MS);
		expect(starts()).toBe(1);
		expect(stops()).toBeGreaterThanOrEqual(1);
		await expect(supervisor.up()).rejects.toMatchObject({ code: 'closed' });
	});
});

function supervised(): {
	supervisor: Supervisor<number>;
	starts: () => number;
	stops: () => number;
	changes: () => number;
	crash: () => Promise<void>;
	failNext: (reason: string) => void;
} {
	let [starts, stops, changes] = [0, 0, 0];
	let failure: string | undefined;
	let end: (reason: string) => void = () => {};
	const what = {
		name: 'it',
		start: () => {
			starts++;
			const reason = failure;
			failure = undefined;
			return reason === undefined ? Promise.resolve(starts) : Promise.reject(new Error(reason));
		},
		ended: () => new Promise<string>((resolve) => (end = resolve)),
		stop: () => {
			stops++;
			return Promise.resolve();
		},
		onChange: () => changes++,
	};
	return {
		supervisor: new Supervisor(what, Log.silent),
		starts: () => starts,
		stops: () => stops,
		changes: () => changes,
		failNext: (reason) => (failure = reason),
		crash: async () => {
			end('crashed');
			await vi.advanceTimersByTimeAsync(0);
		},
	};
}
