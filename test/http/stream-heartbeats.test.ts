import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StreamHeartbeats } from '../../src/http/stream-heartbeats.ts';

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
	vi.useRealTimers();
});

it('has no timer without an open stream, and one again with the next stream', () => {
	const heartbeats = new StreamHeartbeats();
	let isWaiting = true;
	let beats = 0;
	const listener = (): boolean => {
		beats++;
		return isWaiting;
	};
	heartbeats.add(listener);
	vi.advanceTimersByTime(1000);
	expect([beats > 1, vi.getTimerCount()]).toEqual([true, 1]);
	isWaiting = false;
	vi.advanceTimersByTime(1000);
	expect(vi.getTimerCount()).toBe(0);
	isWaiting = true;
	heartbeats.add(listener);
	beats = 0;
	vi.advanceTimersByTime(1000);
	expect([beats > 1, vi.getTimerCount()]).toEqual([true, 1]);
	heartbeats.close();
	expect(vi.getTimerCount()).toBe(0);
});
