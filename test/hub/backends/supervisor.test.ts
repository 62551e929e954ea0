import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import {
	FAILED_CHECKS_LIMIT,
	HEALTH_INTERVAL_MS,
	HEALTHY_MS,
	RESTART_FIRST_MS,
	RESTART_MAX_MS,
	Supervisor,
} from '../../../src/hub/backends/supervisor.ts';
import { Log } from '../../../src/log.ts';

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
	vi.useRealTimers();
});

describe('Supervisor', () => {
	it('starts once for many callers, and emits a change', async () => {
		const { supervisor, starts, changes } = supervised();
		await Promise.all([supervisor.up(), supervisor.up()]);
		await supervisor.up();
		expect([starts(), changes(), supervisor.state]).toEqual([1, 1, 'running']);
	});

	it('restarts after a crash, with exponential backoff up to a bound', async () => {
		const { supervisor, starts, crash } = supervised();
		await supervisor.up();
		for (let pause = RESTART_FIRST_MS, n = 2; n < 9; n++, pause = Math.min(pause * 2, RESTART_MAX_MS)) {
			await crash();
			await vi.advanceTimersByTimeAsync(pause - 1);
			expect(starts()).toBe(n - 1);
			await vi.advanceTimersByTimeAsync(1);
			expect(starts()).toBe(n);
		}
	});

	it('resets its backoff after a minute without a failure', async () => {
		const { supervisor, starts, crash } = supervised();
		await supervisor.up();
		await crash();
		await vi.advanceTimersByTimeAsync(RESTART_FIRST_MS);
		await vi.advanceTimersByTimeAsync(HEALTHY_MS);
		await crash();
		await vi.advanceTimersByTimeAsync(RESTART_FIRST_MS);
		expect(starts()).toBe(3);
	});

	it('rejects its callers with the reason when a start fails, and tries again', async () => {
		const { supervisor, starts, failNext } = supervised();
		failNext('no such binary');
		await expect(supervisor.up()).rejects.toThrow('no such binary');
		expect(supervisor.state).toBe('down: no such binary');
		await vi.advanceTimersByTimeAsync(RESTART_FIRST_MS);
		expect([starts(), supervisor.state]).toEqual([2, 'running']);
	});

	it('keeps to its backoff for any number of calls: waits when it is short, fails with the reason when it is long', async () => {
		const { supervisor, starts, crash } = supervised();
		await supervisor.up();
		await crash();
		const soon = supervisor.up();
		expect([starts(), supervisor.isDown]).toEqual([1, true]);
		await vi.advanceTimersByTimeAsync(RESTART_FIRST_MS);
		expect(await soon).toBe(2);
		await crash();
		await expect(supervisor.up()).rejects.toMatchObject({
			message: 'it is down and is started again in 2 s. it ended: crashed',
			hint: 'Call it again in 2 s.',
		});
		expect(starts()).toBe(2);
		await supervisor.close();
	});

	it('restarts after several failed health checks, and tolerates one', async () => {
		const { supervisor, starts, stops, unhealthy } = supervised();
		await supervisor.up();
		unhealthy('no disk');
		await vi.advanceTimersByTimeAsync(HEALTH_INTERVAL_MS);
		expect(supervisor.state).toBe('running, unhealthy: no disk');
		unhealthy(undefined);
		await vi.advanceTimersByTimeAsync(HEALTH_INTERVAL_MS);
		expect(supervisor.state).toBe('running');
		unhealthy('no disk');
		await vi.advanceTimersByTimeAsync(HEALTH_INTERVAL_MS * FAILED_CHECKS_LIMIT);
		expect([stops(), supervisor.state]).toEqual([1, 'down: it was unhealthy: no disk']);
		unhealthy(undefined);
		await vi.advanceTimersByTimeAsync(RESTART_FIRST_MS);
		expect([starts(), supervisor.state]).toEqual([2, 'running']);
		await supervisor.close();
	});

	it('does not treat a busy process as unhealthy when a health check times out, but does when it reports so', async () => {
		const { supervisor, starts, unhealthy, busy } = supervised();
		await supervisor.up();
		busy(true);
		unhealthy(new OrchestraError('timeout', 'no answer'));
		await vi.advanceTimersByTimeAsync(HEALTH_INTERVAL_MS * (FAILED_CHECKS_LIMIT + 1));
		expect([starts(), supervisor.state]).toEqual([1, 'running']);
		unhealthy('no disk');
		await vi.advanceTimersByTimeAsync(HEALTH_INTERVAL_MS * FAILED_CHECKS_LIMIT);
		expect(supervisor.isDown).toBe(true);
		await supervisor.close();
	});

	it('stops an idle process, and starts it at once for the next call', async () => {
		const { supervisor, starts, stops, idle } = supervised();
		await supervisor.up();
		await vi.advanceTimersByTimeAsync(HEALTH_INTERVAL_MS);
		expect(supervisor.state).toBe('running');
		idle(true);
		await vi.advanceTimersByTimeAsync(HEALTH_INTERVAL_MS);
		expect([stops(), supervisor.state, supervisor.isDown]).toEqual([1, 'configured', false]);
		await supervisor.up();
		expect(starts()).toBe(2);
		await supervisor.close();
	});

	it('cancels a start in progress and the callers that wait for a restart when it is closed', async () => {
		const { supervisor, crash, hangNext } = supervised();
		hangNext();
		const starting = supervisor.up();
		await Promise.all([expect(starting).rejects.toMatchObject({ code: 'closed' }), supervisor.close()]);
		const other = supervised();
		await other.supervisor.up();
		await other.crash();
		const waiting = other.supervisor.up();
		await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'closed' }), other.supervisor.close()]);
		await crash();
	});

	it('does not start again once it is closed', async () => {
		const { supervisor, starts, stops, crash } = supervised();
		await supervisor.up();
		await crash();
		await supervisor.close();
		await vi.advanceTimersByTimeAsync(RESTART_MAX_MS);
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
	hangNext: () => void;
	unhealthy: (reason: string | Error | undefined) => void;
	busy: (isBusy: boolean) => void;
	idle: (isIdle: boolean) => void;
} {
	let failedCheck: Error | undefined;
	let [isIdle, isBusy, hangs] = [false, false, false];
	let [starts, stops, changes] = [0, 0, 0];
	let failure: string | undefined;
	let end: (reason: string) => void = () => {};
	const what = {
		name: 'it',
		start: (signal: AbortSignal) => {
			starts++;
			if (hangs)
				return new Promise<number>((_, reject) =>
					signal.addEventListener('abort', () => reject(signal.reason as Error)),
				);
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
		check: () => (failedCheck === undefined ? Promise.resolve() : Promise.reject(failedCheck)),
		isIdle: () => isIdle,
		isBusy: () => isBusy,
	};
	return {
		supervisor: new Supervisor(what, Log.silent),
		starts: () => starts,
		stops: () => stops,
		changes: () => changes,
		failNext: (reason) => (failure = reason),
		hangNext: () => (hangs = true),
		unhealthy: (reason) => (failedCheck = typeof reason === 'string' ? new Error(reason) : reason),
		busy: (value) => (isBusy = value),
		idle: (value) => (isIdle = value),
		crash: async () => {
			end('crashed');
			await vi.advanceTimersByTimeAsync(0);
		},
	};
}
