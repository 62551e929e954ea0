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
		expect(lonely(10_000)).toBeLessThan(60);
	});

	it('tries again now and then, and one success makes it eager', () => {
		lonely(10_000);
		let passed = 0;
		for (; !loop.isAwake; passed++) stayAwake();
		expect(passed).toBeLessThanOrEqual(257);
		stayAwake();
		loop.turnAfter(10);
		expect(lonely(3)).toBe(1);
	});
});
