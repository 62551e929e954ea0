/* Which worker a rule about labels chooses. */
import { describe, expect, it } from 'vitest';
import { chooseWorker, type WorkerCandidate } from '../../src/fabric/calls/choose-worker.ts';

const NOW = 100_000;

describe('chooseWorker', () => {
	it('leaves the choice to the server when no worker is preferred or required', () => {
		expect(chosen([one, two], {})).toBe('any');
		expect(chosen([one, two], { prefer: ['zone=c'] })).toBe('any');
	});

	it('chooses a worker with the required labels', () => {
		expect(chosen([one, two], { require: ['gpu'] })).toEqual({ worker: 'two' });
	});

	it('chooses a preferred worker of those that have what is required, or any of those', () => {
		expect(chosen([one, two, three], { require: ['gpu'], prefer: ['zone=a'] })).toEqual({ worker: 'three' });
		expect(chosen([two], { require: ['gpu'], prefer: ['zone=a'] })).toEqual({ worker: 'two' });
	});

	it('chooses the one with the fewest calls in flight', () => {
		expect(chosen([{ ...two, inFlight: 3 }, three], { require: ['gpu'] })).toEqual({ worker: 'three' });
	});

	it('avoids a worker whose presence is late, while there is another', () => {
		const late = { ...two, heardAt: 0 };
		expect(chosen([late, { ...three, inFlight: 9 }], { require: ['gpu'] })).toEqual({ worker: 'three' });
		expect(chosen([late], { require: ['gpu'] })).toEqual({ worker: 'two' });
	});

	it('chooses by load when a worker has announced a limit, also without labels', () => {
		const [small, large] = [
			{ ...one, limit: 2 },
			{ ...two, limit: 4, running: 1 },
		];
		expect(chosen([small, large], {})).toEqual({ worker: 'one' });
		expect(
			chosen(
				[
					{ ...small, inFlight: 2 },
					{ ...large, running: 3 },
				],
				{},
			),
		).toEqual({ worker: 'two' });
		expect(
			chosen(
				[
					{ ...small, running: 2 },
					{ ...large, running: 3 },
				],
				{},
			),
		).toEqual({ worker: 'two' });
		expect(
			chosen(
				[
					{ ...one, hubLimit: 1, inFlight: 1 },
					{ ...two, inFlight: 5 },
				],
				{},
			),
		).toEqual({
			worker: 'two',
		});
	});

	it('prefers a worker that is not full to one with the preferred labels, and a full one to none', () => {
		const full = { ...one, limit: 1, running: 1 };
		expect(chosen([full, two], { prefer: ['zone=a'] })).toEqual({ worker: 'two' });
		expect(chosen([{ ...one, hasRefused: true }, two], { prefer: ['zone=a'] })).toEqual({ worker: 'two' });
		expect(chosen([full], { prefer: ['zone=a'] })).toEqual({ worker: 'one' });
		expect(chosen([{ ...full, limit: 2, running: 2 }, full], { prefer: ['zone=a'] })).toEqual({
			worker: 'one',
		});
	});

	it('does not choose a worker of a version that the server must choose', () => {
		const old = { ...one, version: null };
		expect(chosen([old, { ...two, limit: 1, running: 1 }], {})).toEqual({ worker: 'two' });
		expect(chosen([{ ...old, limit: 1 }], {})).toBe('any');
	});

	it('says which label is missing, and does not count a draining worker', () => {
		const reason = 'its one worker does not have the label gpu';
		expect(chosen([one, { ...two, isDraining: true }], { require: ['gpu'] })).toEqual({ reason });
		expect(chosen([], { require: ['gpu'] })).toEqual({ reason: 'no worker offers it now' });
	});
});

const one: WorkerCandidate = {
	name: 'one',
	labels: ['zone=a'],
	version: '1.0.0',
	running: 0,
	limit: null,
	hubLimit: null,
	isDraining: false,
	heardAt: NOW,
	inFlight: 0,
	isAbsent: false,
	hasRefused: false,
};
const two: WorkerCandidate = { ...one, name: 'two', labels: ['gpu', 'zone=b'] };
const three: WorkerCandidate = { ...one, name: 'three', labels: ['gpu', 'zone=a'] };

function chosen(
	candidates: readonly WorkerCandidate[],
	{ require = [], prefer = [] }: { require?: string[]; prefer?: string[] },
): ReturnType<typeof chooseWorker> {
	return chooseWorker(candidates, { require, prefer }, NOW);
}
