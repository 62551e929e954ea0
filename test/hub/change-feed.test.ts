/* How the clients of a hub learn of changed lists while servers start. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChangeFeed } from '../../src/hub/catalogue/change-feed.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reports servers that start one after the other with few notifications, the last one at once', () => {
	let left = 11;
	const reported: number[] = [];
	const { feed, seen } = feedOf(() => left > 0);
	feed.listen(() => reported.push(11 - left));
	for (; left > 0; ) {
		vi.advanceTimersByTime(2000);
		left--;
		feed.mayHaveChanged({ kind: 'tools' });
	}
	expect(seen).toHaveLength(11);
	expect(reported.length).toBeLessThanOrEqual(5);
	expect(reported.at(-1)).toBe(11);
	vi.runAllTimers();
	expect(reported.at(-1)).toBe(11);
});

it('reports every change at once when no server starts', () => {
	const { feed } = feedOf(() => false);
	const listener = vi.fn();
	feed.listen(listener);
	for (let times = 0; times < 3; times++) feed.mayHaveChanged({ kind: 'prompts' });
	expect(listener).toHaveBeenCalledTimes(3);
});

it('reports a change although a server hangs, and nothing after it is closed', () => {
	const { feed } = feedOf(() => true);
	const listener = vi.fn();
	feed.listen(listener);
	feed.mayHaveChanged({ kind: 'tools' });
	expect(listener).not.toHaveBeenCalled();
	vi.runAllTimers();
	expect(listener).toHaveBeenCalledTimes(1);
	feed.mayHaveChanged({ kind: 'tools' });
	feed.close();
	vi.runAllTimers();
	expect(listener).toHaveBeenCalledTimes(1);
});

function feedOf(isStarting: () => boolean): { feed: ChangeFeed; seen: string[] } {
	const seen: string[] = [];
	const onDifferent = ({ kind }: { kind: string }): void => void seen.push(kind);
	return { feed: new ChangeFeed({ isDifferent: () => true, isStarting, onDifferent }), seen };
}
