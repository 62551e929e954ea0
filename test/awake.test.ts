/* How long a process waits awake, and when it stops betting on the next message. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AwakeBet } from '../src/awake.ts';

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
let newBet: () => AwakeBet;
let bet: AwakeBet;

beforeEach(async () => {
	loop = new Loop();
	vi.spyOn(performance, 'now').mockImplementation(() => loop.now);
	vi.stubGlobal('setImmediate', (turn: () => void) => loop.turns.push(turn));
	vi.resetModules();
	const { AwakeBet } = await import('../src/awake.ts');
	newBet = () => new AwakeBet();
	bet = newBet();
});

afterEach(() => {
	vi.unstubAllGlobals();
	vi.restoreAllMocks();
});

/** How many of `count` messages, each alone, the loop stayed awake for. */
function lonely(count: number): number {
	let tries = 0;
	for (let index = 0; index < count; index++) {
		bet.place();
		if (loop.isAwake) tries++;
		loop.turnAfter(10);
	}
	return tries;
}

/** So many messages, each close behind another. */
function follow(count: number): void {
	bet.place();
	for (let index = 0; index < count; index++) {
		loop.turnAfter(0.1);
		bet.place();
	}
}

describe('a process that got a message', () => {
	it('turns for a moment and then sleeps', () => {
		bet.place();
		loop.turnAfter(0.4);
		expect(loop.isAwake).toBe(true);
		loop.turnAfter(0.2);
		expect(loop.isAwake).toBe(false);
	});

	it('turns on as long as messages follow each other closely', () => {
		bet.place();
		for (let count = 0; count < 1000; count++) {
			loop.turnAfter(0.3);
			expect(loop.isAwake).toBe(true);
			bet.place();
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
		for (; !loop.isAwake; passed++) bet.place();
		expect(passed).toBeLessThanOrEqual(1025);
		follow(20);
		const [eager, later] = [lonely(16), lonely(16)];
		expect(eager).toBe(16);
		expect(later).toBe(0);
	});

	it('bets on each source for itself, and any message wins the bet that stands', () => {
		const [request, answer] = [newBet(), newBet()];
		const tries = { request: 0, answer: 0 };
		// What follows a request comes late, what follows an answer at once.
		for (let call = 0; call < 1000; call++) {
			request.place();
			loop.turnAfter(0.1);
			if (loop.isAwake) tries.request++;
			loop.turnAfter(10);
			answer.place();
			loop.turnAfter(0.1);
			if (loop.isAwake) tries.answer++;
		}
		expect(tries.request).toBeLessThan(50);
		expect(tries.answer).toBe(1000);
	});
});
