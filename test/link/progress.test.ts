/* Whatever a peer does to its streams, each datagram takes a bounded amount of work. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LinkStream } from '../../src/link/link.ts';
import { encodeFrame } from '../../src/wire/frame.ts';
import { type EnginePair, openEnginePair } from '../support/engine-pair.ts';
import { type Identities, identities } from '../support/links.ts';

const STREAMS = 6;
/** Generous: an honest datagram with all streams at work takes about a hundred. */
const MOST_CALLS = 1_000;
const NOTHING = Buffer.alloc(0);
const READ = 0;
const WRITE = 1;

const clientActions = ['touch', 'part', 'frame', 'rest', 'fin', 'fin with frame', 'reset', 'stop'] as const;
const networkActions = ['deliver', 'deliver last', 'lose', 'settle'] as const;
const serverActions = ['pause', 'resume', 'answer', 'end', 'abort'] as const;
type Action =
	| (typeof clientActions)[number]
	| (typeof networkActions)[number]
	| (typeof serverActions)[number];

interface Step {
	action: Action;
	stream: number;
}

describe('a connection', () => {
	it('continues after a stream that ended before its first byte', async () => {
		await expectProgress(await identities(), [
			{ action: 'fin', stream: 0 },
			{ action: 'settle', stream: 0 },
		]);
	});

	it('continues after a stream that was reset before its first byte', async () => {
		await expectProgress(await identities(), [
			{ action: 'touch', stream: 0 },
			{ action: 'reset', stream: 0 },
			{ action: 'settle', stream: 0 },
		]);
	});

	it('makes progress with every datagram, for any events on any streams in any order', async () => {
		const who = await identities();
		const step = fc.record({
			action: fc.constantFrom<Action>(...clientActions, ...networkActions, ...serverActions),
			stream: fc.nat(STREAMS - 1),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) =>
				expectProgress(who, steps),
			),
			{ numRuns: 150 },
		);
	});
});

/** Play the steps, then see that the connection still serves and holds nothing that is over. */
async function expectProgress(who: Identities, steps: readonly Step[]): Promise<void> {
	const served: LinkStream[] = [];
	const events: string[][] = [];
	const pair = await openEnginePair(who, MOST_CALLS, (stream) => {
		const calls: string[] = [];
		served.push(stream);
		events.push(calls);
		stream.receive({
			frame: (payload) => attempt(() => stream.send(payload)),
			end: () => {
				calls.push('end');
				stream.end();
			},
			fail: () => void calls.push('fail'),
		});
	});
	for (const { action, stream } of steps) play(pair, served, action, stream);
	pair.settle();
	expect(echoed(pair)).toBe('still here');
	for (const stream of served) stream.resume();
	for (let index = 0; index < STREAMS; index++) {
		attempt(() => pair.client.streamShutdown(index * 4, WRITE, 9));
		attempt(() => pair.client.streamShutdown(index * 4, READ, 9));
	}
	pair.settle();
	expect(pair.server.isClosed).toBe(false);
	expect(pair.mostCalls()).toBeLessThan(MOST_CALLS);
	for (const calls of events) expect(['', 'end', 'fail', 'end fail']).toContain(calls.join(' '));
	expect(served.length).toBeLessThanOrEqual(STREAMS + 1);
}

function play(pair: EnginePair, served: readonly LinkStream[], action: Action, index: number): void {
	const { client, toServer } = pair;
	const id = index * 4;
	const frame = encodeFrame(Buffer.from('frame'));
	const stream = served[index];
	const send = (bytes: Uint8Array, isLast: boolean) => () => client.streamSend(id, bytes, isLast);
	const actions: Record<Action, () => unknown> = {
		touch: send(Buffer.alloc(0), false),
		part: send(frame.subarray(0, 3), false),
		frame: send(frame, false),
		rest: send(frame.subarray(3), false),
		fin: send(Buffer.alloc(0), true),
		'fin with frame': send(frame, true),
		reset: () => client.streamShutdown(id, WRITE, 5),
		stop: () => client.streamShutdown(id, READ, 5),
		deliver: () => pair.deliver(toServer.shift() ?? NOTHING),
		'deliver last': () => pair.deliver(toServer.pop() ?? NOTHING),
		lose: () => toServer.shift(),
		settle: () => pair.settle(),
		pause: () => stream?.pause(),
		resume: () => stream?.resume(),
		answer: () => stream?.send(Buffer.from('answer')),
		end: () => stream?.end(),
		abort: () => stream?.reset(),
	};
	// The engine of the client refuses what its stream no longer allows; that is no concern of the server.
	attempt(actions[action]);
	pair.collect();
}

/** What comes back on a stream of its own. */
function echoed(pair: EnginePair): string {
	const { client } = pair;
	const id = STREAMS * 4;
	client.streamSend(id, encodeFrame(Buffer.from('still here')), true);
	pair.settle();
	const buffer = Buffer.alloc(100);
	const [size] = client.streamRecv(id, buffer) ?? [0];
	return buffer.subarray(4, size).toString();
}

function attempt(action: () => unknown): void {
	try {
		action();
	} catch {
		// What the stream no longer allows is refused.
	}
}
