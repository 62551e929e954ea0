import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { Log } from '../../src/log.ts';
import { deferred } from '../../src/rpc/deferred.ts';
import { RestartPolicy } from '../../src/rpc/restart-policy.ts';
import {
	FAILED_CHECKS_LIMIT,
	HEALTH_INTERVAL_MS,
	RESTART_FIRST_MS,
	RESTART_MAX_MS,
} from '../../src/rpc/rpc-limits.ts';
import {
	type Ending,
	type Supervised,
	Supervisor,
	type SupervisorOptions,
} from '../../src/rpc/supervisor.ts';
import { FakeClock } from '../support/fake-channel.ts';
import { nextTurn, until } from '../support/waiting.ts';

/** What a test does with the supervised program. */
interface Program extends Pick<Supervised<unknown>, 'start' | 'stop'> {
	/** How often it was started, and is alive. */
	readonly starts: () => number;
	readonly alive: () => number;
	/** It ends by itself. */
	readonly crash: () => void;
	/** The next start fails with this reason. */
	failNext: string | undefined;
}

contract('of an object', objectProgram);
contract('of a process', processProgram);

function contract(name: string, make: () => Program): void {
	describe(`a supervisor ${name}`, () => {
		it('starts once for many callers, and not before the first', async () => {
			const { supervisor, program } = supervised(make());
			expect([program.starts(), supervisor.running]).toEqual([0, undefined]);
			const [one, other] = await Promise.all([supervisor.up(), supervisor.up()]);
			expect([one === other, program.starts()]).toEqual([true, 1]);
			await supervisor.close();
			await until('it is gone', () => program.alive() === 0);
		});

		it('starts again after a crash, with the delays of its policy, while it is needed', async () => {
			const { supervisor, program, clock, downs } = supervised(make(), { isNeeded: () => true });
			await supervisor.up();
			for (const [delayMs, starts] of [
				[RESTART_FIRST_MS, 2],
				[2 * RESTART_FIRST_MS, 3],
			] as const) {
				program.crash();
				await until('it is down', () => supervisor.isDown);
				clock.advance(delayMs - 1);
				expect(program.starts()).toBe(starts - 1);
				clock.advance(1);
				await until('it runs', () => supervisor.running !== undefined);
				expect(program.starts()).toBe(starts);
			}
			expect(downs).toEqual(['it ended', 'it ended']);
			expect(supervisor.counts).toEqual({ starts: 3, restarts: 2, failedStarts: 0 });
			await supervisor.close();
		});

		it('is not started again without a call when it is not needed', async () => {
			const { supervisor, program, clock } = supervised(make());
			await supervisor.up();
			program.crash();
			await until('it is down', () => supervisor.isDown);
			clock.advance(RESTART_MAX_MS);
			await nextTurn();
			expect(program.starts()).toBe(1);
			await supervisor.up();
			expect(program.starts()).toBe(2);
			await supervisor.close();
		});

		it('stopped by the user stays stopped until the next call', async () => {
			const { supervisor, program, clock, stops } = supervised(make(), { isNeeded: () => true });
			await supervisor.up();
			await supervisor.stop();
			await until('it is gone', () => program.alive() === 0);
			supervisor.keepUp();
			clock.advance(RESTART_MAX_MS);
			await nextTurn();
			expect([program.starts(), supervisor.isStopped, stops]).toEqual([1, true, ['by the user']]);
			await supervisor.up();
			expect([program.starts(), supervisor.isStopped]).toEqual([2, false]);
			await supervisor.close();
		});

		it('is stopped when idle, never while it is used, and started by the next call', async () => {
			let isUsed = true;
			const { supervisor, program, clock, stops } = supervised(make(), {
				idleMs: () => 500,
				isUsed: () => isUsed,
			});
			await supervisor.up();
			clock.advance(2000);
			expect(supervisor.running).toBeDefined();
			isUsed = false;
			supervisor.answered(true);
			clock.advance(499);
			expect(supervisor.running).toBeDefined();
			clock.advance(501);
			await until('it is gone', () => program.alive() === 0);
			expect([stops, supervisor.isDown, supervisor.isStopped]).toEqual([['idle'], false, false]);
			await supervisor.up();
			expect(program.starts()).toBe(2);
			await supervisor.close();
		});

		it('rejects with the reason when a start fails, and tries again later while it is needed', async () => {
			const { supervisor, program, clock } = supervised(make(), { isNeeded: () => true });
			program.failNext = 'no such binary';
			await expect(supervisor.up()).rejects.toThrow('no such binary');
			await expect(supervisor.up()).rejects.toThrow('it is down and is started again in 1 s. no such binary');
			expect(program.starts()).toBe(1);
			clock.advance(RESTART_FIRST_MS);
			await until('it runs', () => supervisor.running !== undefined);
			expect(supervisor.counts).toEqual({ starts: 1, restarts: 1, failedStarts: 1 });
			await supervisor.close();
		});

		it('closed leaves nothing behind and does not start again', async () => {
			const { supervisor, program, clock } = supervised(make(), { isNeeded: () => true });
			await supervisor.up();
			await supervisor.close();
			await until('it is gone', () => program.alive() === 0);
			clock.advance(RESTART_MAX_MS);
			await expect(supervisor.up()).rejects.toMatchObject({ code: 'closed' });
			expect([program.starts(), clock.timerCount]).toEqual([1, 0]);
		});
	});
}

describe('a call while it is down', () => {
	it('waits for a restart that is near, and fails with the reason when it is far', async () => {
		const { supervisor, program, clock } = supervised(objectProgram());
		await supervisor.up();
		program.crash();
		const soon = supervisor.up();
		clock.advance(RESTART_FIRST_MS);
		await soon;
		for (let crash = 0; crash < 3; crash++) {
			program.crash();
			if (supervisor.delayMs <= 5000) {
				const next = supervisor.up();
				clock.advance(supervisor.delayMs);
				await next;
			}
		}
		await expect(supervisor.up()).rejects.toMatchObject({
			message: 'it is down and is started again in 8 s. it ended',
			hint: 'Call it again in 8 s.',
			data: { outcome: 'not_run' },
		});
	});

	it('that waits fails when it is stopped or closed, and goes on when the user starts it', async () => {
		for (const [act, isOver] of [
			['stop', true],
			['close', true],
			['startNow', false],
		] as const) {
			const { supervisor, program } = supervised(objectProgram());
			await supervisor.up();
			program.crash();
			const waiting = supervisor.up();
			const ended = waiting.then(
				() => false,
				() => true,
			);
			await supervisor[act]();
			expect([act, await ended]).toEqual([act, isOver]);
		}
	});

	it('is refused for good when it must not restart, until the user starts it', async () => {
		const { supervisor, program, clock } = supervised(objectProgram(), {}, { restart: false });
		await supervisor.up();
		program.crash();
		clock.advance(RESTART_MAX_MS);
		await expect(supervisor.up()).rejects.toThrow('it is down');
		await supervisor.startNow();
		expect(program.starts()).toBe(2);
	});
});

describe('an end or a failure during the start', () => {
	it('fails the call with its reason, and counts as a crash', async () => {
		const program = objectProgram();
		const { supervisor, downs } = supervised(program, {
			start: async (signal, onEnd) => {
				const running = await program.start(signal, onEnd);
				program.crash();
				return running;
			},
		});
		await expect(supervisor.up()).rejects.toThrow('it ended');
		expect([supervisor.isDown, downs]).toEqual([true, ['it ended']]);
	});

	it('counts as the supervised one says', async () => {
		const program = objectProgram();
		program.failNext = 'no such program';
		const error = new OrchestraError('not_found', 'install it');
		const { supervisor } = supervised(program, { failedStart: () => ({ error }) });
		await expect(supervisor.up()).rejects.toBe(error);
		expect(supervisor.counts.failedStarts).toBe(1);
	});

	it('does not matter once it is closed: what started is stopped, and the call learns why', async () => {
		for (const fails of [false, true]) {
			const gate = deferred();
			const program = objectProgram();
			const { supervisor } = supervised(program, {
				start: async (signal, onEnd) => {
					await gate.promise;
					if (fails) throw new Error('too late');
					return program.start(signal, onEnd);
				},
			});
			const call = supervisor.up();
			await nextTurn();
			const closed = supervisor.close();
			gate.resolve();
			await expect(call).rejects.toMatchObject({ code: 'closed' });
			await closed;
			expect(program.alive()).toBe(0);
		}
	});
});

describe('a supervised one that is to run without a call', () => {
	it('is started at once, after a crash with its delay, and not after the user stopped it', async () => {
		const { supervisor, program, clock } = supervised(objectProgram(), { isNeeded: () => true });
		supervisor.keepUp();
		await nextTurn();
		expect(program.starts()).toBe(1);
		program.crash();
		supervisor.keepUp();
		await pass(clock, RESTART_FIRST_MS);
		expect(program.starts()).toBe(2);
		await supervisor.stop();
		supervisor.keepUp();
		await nextTurn();
		expect([program.starts(), supervisor.isStopped]).toEqual([2, true]);
	});

	it('is stopped on request only while nobody uses it', async () => {
		let isUsed = true;
		const { supervisor, program } = supervised(objectProgram(), { isUsed: () => isUsed });
		await supervisor.stopUnused();
		await supervisor.up();
		await supervisor.stopUnused();
		expect(program.alive()).toBe(1);
		isUsed = false;
		await supervisor.stopUnused();
		expect(program.alive()).toBe(0);
	});
});

describe('a health check', () => {
	it('that fails several times ends it as a crash, and one that fails once does not', async () => {
		let failure: Error | undefined = new Error('no disk');
		const check = (): Promise<void> => (failure ? Promise.reject(failure) : Promise.resolve());
		const { supervisor, program, clock } = supervised(objectProgram(), { check, isNeeded: () => true });
		await supervisor.up();
		await pass(clock, HEALTH_INTERVAL_MS);
		expect([supervisor.lastError?.message, supervisor.isDown]).toEqual(['no disk', false]);
		failure = undefined;
		await pass(clock, HEALTH_INTERVAL_MS);
		expect(supervisor.lastError).toBeUndefined();
		failure = new Error('no disk');
		for (let checks = 0; checks < FAILED_CHECKS_LIMIT; checks++) await pass(clock, HEALTH_INTERVAL_MS);
		expect([supervisor.isDown, program.alive()]).toEqual([true, 0]);
		failure = undefined;
		await pass(clock, RESTART_FIRST_MS);
		expect(program.starts()).toBe(2);
	});

	it('that times out does not count while it is used', async () => {
		const check = (): Promise<void> => Promise.reject(new OrchestraError('timeout', 'no answer'));
		const { supervisor, clock } = supervised(objectProgram(), { check, isUsed: () => true });
		await supervisor.up();
		for (let checks = 0; checks <= FAILED_CHECKS_LIMIT; checks++) await pass(clock, HEALTH_INTERVAL_MS);
		expect([supervisor.isDown, supervisor.lastError]).toEqual([false, undefined]);
	});
});

describe('an end that is no crash', () => {
	it('has no delay', async () => {
		const program = objectProgram({ isCrash: false });
		const { supervisor, clock } = supervised(program, { isNeeded: () => true });
		await supervisor.up();
		program.crash();
		await pass(clock, 0);
		expect([program.starts(), supervisor.isDown]).toEqual([2, false]);
	});
});

async function pass(clock: FakeClock, ms: number): Promise<void> {
	clock.advance(ms);
	await nextTurn();
}

function supervised(
	program: Program,
	more: Partial<Supervised<unknown>> = {},
	options: Partial<SupervisorOptions> = {},
): {
	supervisor: Supervisor<unknown>;
	program: Program;
	clock: FakeClock;
	downs: string[];
	stops: string[];
} {
	const clock = new FakeClock();
	const downs: string[] = [];
	const stops: string[] = [];
	const policy = new RestartPolicy({ clock, random: () => 0.5 });
	const supervisor = new Supervisor<unknown>(
		{
			name: 'it',
			start: (signal, onEnd) => program.start(signal, onEnd),
			stop: (running) => program.stop(running),
			onDown: ({ error }) => downs.push(error.message),
			onStopped: (reason) => stops.push(reason),
			...more,
		},
		{ policy, log: Log.silent, clock, ...options },
	);
	return { supervisor, program, clock, downs, stops };
}

/** In this process: for everything that is about time. */
function objectProgram(how: Partial<Ending> = {}): Program {
	const running = new Set<object>();
	let starts = 0;
	let end: (ending: Ending) => void = () => {};
	return {
		failNext: undefined,
		starts: () => starts,
		alive: () => running.size,
		crash: () => end({ error: new OrchestraError('closed', 'it ended'), ...how }),
		start(_signal, onEnd) {
			starts++;
			end = onEnd;
			const reason = this.failNext;
			this.failNext = undefined;
			if (reason !== undefined) return Promise.reject(new Error(reason));
			const one = {};
			running.add(one);
			return Promise.resolve(one);
		},
		async stop(one) {
			running.delete(one as object);
		},
	};
}

/** A real one, which is killed. */
function processProgram(): Program {
	const children: ChildProcess[] = [];
	let starts = 0;
	const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean =>
		exitCode === null && signalCode === null;
	return {
		failNext: undefined,
		starts: () => starts,
		alive: () => children.filter(isAlive).length,
		crash: () => void children.at(-1)?.kill('SIGKILL'),
		async start(_signal, onEnd) {
			starts++;
			const reason = this.failNext;
			this.failNext = undefined;
			if (reason !== undefined) throw new Error(reason);
			const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
			children.push(child);
			child.once('exit', () => onEnd({ error: new OrchestraError('closed', 'it ended') }));
			await once(child, 'spawn');
			return child;
		},
		async stop(child) {
			(child as ChildProcess).kill('SIGKILL');
		},
	};
}
