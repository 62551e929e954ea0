/* How long a process waits awake, and when it stops betting on the next message. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** A loop whose time and turns the test decides on. */
class Loop {
	now = 1000;
	turns: (() => void)[] = [];

	get isAwake(): boolean {
		return this.turns.length > 0;
	}

	/** Let `ms` pass, then run what was to run in the next turn. */
	turnAfter(ms: number): void {
		this.now += ms;
		for (const turn of this.turns.splice(0)) turn();
	}
}

let loop: Loop;
let stayAwake: () => void;

beforeEach(async () => {
	loop = new Loop();
	vi.spyOn(performance, 'now').mockImplementation(() => loop.now);
	vi.stubGlobal('setImmediate', (turn: () => void) => loop.turns.push(turn));
	vi.resetModules();
	({ stayAwake } = await import('../src/awake.ts'));
});

afterEach(() => {
	vi.unstubAllGlobals();
	vi.restoreAllMocks();
});

/** How many of `count` messages, each alone, the loop stayed awake for. */
function lonely(count: number): number {
	let tries = 0;
	for (let index = 0; index < count; index++) {
		stayAwake();
		if (loop.isAwake) tries++;
		loop.turnAfter(10);
	}
	return tries;
}

/** So many messages, each close behind another. */
function follow(count: number): void {
	stayAwake();
	for (let index = 0; index < count; index++) {
		loop.turnAfter(0.1);
		stayAwake();
	}
}

describe('a process that got a message', () => {
	it('turns for a moment and then sleeps', () => {
		stayAwake();
		loop.turnAfter(0.4);
		expect(loop.isAwake).toBe(true);
		loop.turnAfter(0.2);
		expect(loop.isAwake).toBe(false);
	});

	it('turns on as long as messages follow each other closely', () => {
		stayAwake();
		for (let count = 0; count < 1000; count++) {
			loop.turnAfter(0.3);
			expect(loop.isAwake).toBe(true);
			stayAwake();
		}
		expect(loop.turns).toHaveLength(1);
	});

	it('stops trying when nothing ever follows', () => {
		expect(lonely(10_000)).toBeLessThan(150);
	});

	it('is not put off by the first losses, but by more of them', () => {
		expect(lonely(7)).toBe(7);
		follow(1);
		expect(lonely(100)).toBeLessThan(20);
	});

	it('goes on trying where every other try wins, and hardly where one in ten does', () => {
		const triesOf = (losses: number): number => {
			let tries = 0;
			for (let round = 0; round < 1000; round++) {
				follow(1);
				tries += lonely(losses);
			}
			return tries / (1000 * losses);
		};
		expect(triesOf(1)).toBe(1);
		expect(triesOf(10)).toBeLessThan(0.1);
	});

	it('tries again now and then, and a few successes make it eager', () => {
		lonely(10_000);
		let passed = 0;
		for (; !loop.isAwake; passed++) stayAwake();
		expect(passed).toBeLessThanOrEqual(1025);
		follow(20);
		const [eager, later] = [lonely(16), lonely(16)];
		expect(eager).toBe(16);
		expect(later).toBe(0);
	});
});
