import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { RestartPolicy, type RestartPolicyOptions } from '../../src/rpc/restart-policy.ts';

const FAILED_MS = 300_000;
const down = { error: new OrchestraError('closed', 'it ended'), isStart: true };

describe('RestartPolicy', () => {
	it('doubles the delay with each crash, up to 30 s', () => {
		const { policy, pass } = at({});
		const delays = Array.from({ length: 7 }, () => {
			policy.started();
			policy.crashed(down);
			const { delayMs } = policy;
			pass(delayMs);
			return delayMs;
		});
		expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
	});

	it.each([
		['calls', true, [1000, 1000, 1000, 1000]],
		['lists only', false, [1000, 2000, 4000, 8000]],
	])('of a server that answers %s between its crashes has the delays of this row', (_, isCall, delays) => {
		const { policy } = at();
		const found = delays.map(() => {
			policy.started();
			policy.answered(isCall);
			policy.crashed(down);
			return policy.delayMs;
		});
		expect(found).toEqual(delays);
	});

	it.each([
		[9 * 60_000, [1000, 2000, 4000, 8000]],
		[10 * 60_000, [1000, 1000, 1000, 1000]],
	])('of a server that runs for %i ms without a call before each crash has the delays %j', (upMs, delays) => {
		const { policy, pass } = at();
		const found = delays.map(() => {
			policy.started();
			pass(upMs);
			policy.crashed(down);
			return policy.delayMs;
		});
		expect(found).toEqual(delays);
	});

	it('counts five crashes without an answer in a row, and a call that was answered begins anew', () => {
		const { policy } = at();
		const crashes = [false, false, true, false, false, false, false];
		for (const answers of crashes) {
			policy.started();
			if (answers) policy.answered(true);
			policy.crashed(down);
			expect(policy.delayMs).toBeLessThan(FAILED_MS);
		}
		policy.crashed(down);
		expect(policy.delayMs).toBe(FAILED_MS);
	});

	it('leaves a server alone for 5 minutes after five crashes without an answer', () => {
		const { policy, pass } = at();
		for (let crash = 0; crash < 5; crash++) {
			pass(policy.delayMs);
			policy.crashed(down);
		}
		expect([policy.delayMs, policy.down]).toEqual([FAILED_MS, down]);
		pass(FAILED_MS);
		expect(policy.delayMs).toBe(0);
	});

	it('obeys the delay of a server that is overloaded, up to an hour, and never takes it for broken', () => {
		const { policy, pass } = at();
		for (const [retryAfterMs, delayMs] of [
			[7000, 7000],
			[0, 2000],
			[10 ** 12, 3_600_000],
			[20_000, 20_000],
			[0, 16_000],
			[0, 30_000],
		] as const) {
			policy.crashed({ ...down, retryAfterMs });
			expect(policy.delayMs).toBe(delayMs);
			pass(100);
		}
	});

	it('may be started at once after a reset', () => {
		const { policy } = at();
		for (let crash = 0; crash < 5; crash++) policy.crashed(down);
		policy.reset();
		expect([policy.delayMs, policy.down, policy.isFresh]).toEqual([0, undefined, true]);
	});

	it.each([
		[0, 800],
		[1, 1200],
	])('spreads the delay by a fifth in both directions (%i)', (random, delayMs) => {
		const policy = new RestartPolicy({ clock: { now: () => 0 }, random: () => random });
		policy.crashed(down);
		expect(policy.delayMs).toBeCloseTo(delayMs);
	});
});

function at(options: RestartPolicyOptions = { failedMs: FAILED_MS }): {
	policy: RestartPolicy;
	pass: (ms: number) => void;
} {
	let now = 0;
	const policy = new RestartPolicy({ ...options, clock: { now: () => now }, random: () => 0.5 });
	return { policy, pass: (ms) => void (now += ms) };
}
