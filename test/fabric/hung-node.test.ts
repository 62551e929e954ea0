/*
 * The node of a cluster that the hub uses hangs for 20 s under load: no call runs twice,
 * the outcome of few is unknown, and calls work again while it still hangs.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { runsIn, startWorker, type UsingHub, useFabric } from '../support/fabric-place.ts';
import { natsServer, startCluster } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const EVERY_MS = 50;
/** Longer than nodes and hubs take to notice it, so that calls are seen while they have not and after they have. */
const HUNG_MS = 15_000;

describe.skipIf(natsServer === undefined || !runsAllTests)('a node of a cluster that hangs', () => {
	it('leaves the outcome of few calls unknown, and runs none twice', async () => {
		const servers = await startCluster();
		const urls = servers.map(({ url }) => url);
		const file = join(temporaryFolder(), 'runs');
		for (const name of ['one', 'two']) await startWorker(urls, file, { name });
		const hub = await useFabric(urls);
		await hub.seesWorkers('gpu', 2);
		await hub.sees('gpu__record');
		const used = servers.find(({ port }) => hub.source.link.server?.endsWith(`:${port}`));
		const load = startLoad(hub);
		await until('calls are answered', () => load.answered >= 20);
		await used?.kill('SIGSTOP');
		await until('the hub has moved', () => hub.source.link.server?.endsWith(`:${used?.port}`) === false);
		await sleep(HUNG_MS); // a deliberate pause: it is the fault itself
		await used?.kill('SIGCONT');
		const answers = await load.stop();
		const count = (part: string): number => answers.filter((text) => text.includes(part)).length;
		const counts = {
			all: answers.length,
			done: count('call-'),
			notRun: count('not run'),
			unknown: count('outcome unknown'),
		};
		// A sign is missed after 3 s, and other nodes drop the routes of the one that hangs after 6 s, of a load of 20 s
		// and more; without both, all calls of the 20 s to a worker behind it are unknown.
		expect(counts.done + counts.notRun + counts.unknown).toBe(counts.all);
		expect(counts.unknown).toBeLessThan(counts.all / 3);
		expect(repeated(runsIn(file))).toEqual([]);
		// The control: a call that is made twice is seen.
		for (let time = 0; time < 2; time++)
			await until(
				'the control runs',
				async () => (await hub.call('gpu__record', { id: 'control' })) === 'control',
			);
		expect(repeated(runsIn(file))).toEqual(['control']);
	}, 180_000);
});

/** Calls at a fixed pace, whatever becomes of them. */
function startLoad(hub: UsingHub): { readonly answered: number; stop(): Promise<string[]> } {
	const calls: Promise<string>[] = [];
	let answered = 0;
	const timer = setInterval(() => {
		const call = hub.call('gpu__record', { id: `call-${calls.length}` });
		calls.push(call);
		void call.then(() => answered++);
	}, EVERY_MS);
	return {
		get answered() {
			return answered;
		},
		stop: () => {
			clearInterval(timer);
			return Promise.all(calls);
		},
	};
}

/** Ids that more than one run has. */
function repeated(runs: readonly string[]): string[] {
	const ids = runs.map((line) => line.split(' ')[1] ?? '');
	return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
}
