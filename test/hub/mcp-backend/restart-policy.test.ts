import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { FAILED_MS, RestartPolicy } from '../../../src/hub/backends/mcp/restart-policy.ts';

const down = { error: new OrchestraError('closed', 'it ended'), isStart: true };

describe('RestartPolicy', () => {
	it('doubles the delay with each crash, up to 30 s', () => {
		const { policy, pass } = at();
		const delays: number[] = [];
		for (let crash = 0; crash < 7; crash++) {
			policy.started();
			policy.answered();
			policy.crashed(down);
			delays.push(policy.delayMs);
			pass(policy.delayMs);
		}
		expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
	});

	it('starts with the first delay again after a minute of health', () => {
		const { policy, pass } = at();
		for (const upMs of [0, 60_000]) {
			policy.started();
			policy.answered();
			pass(upMs);
			policy.crashed(down);
			pass(policy.delayMs);
		}
		policy.crashed(down);
		expect(policy.delayMs).toBe(2000);
	});

	it('leaves a server alone for 5 minutes after five crashes without an answer', () => {
		const { policy, pass } = at();
		for (let crash = 0; crash < 5; crash++) {
			pass(policy.delayMs);
			policy.crashed(down);
		}
		expect(policy.delayMs).toBe(FAILED_MS);
		expect(policy.down).toBe(down);
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

	it('does not count crashes of a server that answered', () => {
		const { policy, pass } = at();
		for (let crash = 0; crash < 6; crash++) {
			policy.started();
			policy.answered();
			policy.crashed(down);
			expect(policy.delayMs).toBeLessThanOrEqual(30_000);
			pass(100);
		}
	});

	it('spreads the delay by a fifth in both directions', () => {
		for (const [random, delayMs] of [
			[0, 800],
			[1, 1200],
		] as const) {
			const policy = new RestartPolicy(
				() => 0,
				() => random,
			);
			policy.crashed(down);
			expect(policy.delayMs).toBeCloseTo(delayMs);
		}
	});
});

function at(): { policy: RestartPolicy; pass: (ms: number) => void } {
	let now = 0;
	const policy = new RestartPolicy(
		() => now,
		() => 0.5,
	);
	return { policy, pass: (ms) => void (now += ms) };
}
