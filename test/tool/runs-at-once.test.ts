import { describe, expect, it } from 'vitest';
import { defaultRunsAtOnce, runSemaphore, waitedTooLong } from '../../src/tool/runs-at-once.ts';
import { thrownBy } from '../support/programs.ts';

describe('runs of tools', () => {
	it('are refused when the queue is full, with the numbers', async () => {
		const runs = runSemaphore(1, 1);
		runs.tryEnter(undefined);
		const waiting = runs.enter(undefined, () => ({}));
		const error = await thrownBy(async () => runs.enter(undefined, () => ({})));
		expect(error).toMatchObject({
			code: 'tool_failed',
			message: 'not started: 1 tools run and 1 calls wait',
		});
		runs.leave();
		await waiting;
	});

	it('that waited too long say how long', () => {
		expect(waitedTooLong(2, 20)).toMatchObject({
			code: 'timeout',
			message: 'not started: 2 tools ran for all of the 20 ms that the call waited',
		});
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
