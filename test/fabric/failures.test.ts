/*
 * What a caller sees when a worker or a server fails. The scenarios take seconds each, so
 * they run at the same time, each with a server and processes of its own.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
	EXPIRY_MARGIN_MS,
	EXPIRY_MS,
	GRACE_MS,
	QUERY_AFTER_MS,
	QUERY_EVERY_MS,
} from '../../src/fabric/fabric-limits.ts';
import {
	runsIn,
	startWorker,
	type UsingHub,
	useFabric,
	type WorkerProcess,
} from '../support/fabric-place.ts';
import { type NatsServer, natsServer, startCluster, startGate, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

interface Place {
	readonly server: NatsServer;
	readonly hub: UsingHub;
	readonly worker: WorkerProcess;
	readonly file: string;
}

interface Ending {
	readonly text: string;
}

describe.skipIf(natsServer === undefined)(
	'when something fails during a call',
	() => {
		const scenarios: Record<string, Promise<Ending & { runs: string[] }>> = {};
		// The tests begin when all have ended: a test ends what is started while it runs.
		beforeAll(async () => {
			for (const [name, scenario] of Object.entries({
				killed,
				hung,
				hungBefore,
				blocked,
				restarted,
				nodeLost,
				serverHung,
				drained,
			}))
				scenarios[name] = scenario();
			await Promise.allSettled(Object.values(scenarios));
		});

		it('says "outcome unknown" when the worker is killed', async () => {
			const { text } = await ended('killed');
			expect(text).toMatch(
				/outcome unknown: slow of gpu was called, and its worker one has been silent for \d+ s/,
			);
		});

		it('says "outcome unknown" when the worker hangs', async () => {
			const { text } = await ended('hung');
			expect(text).toContain('outcome unknown');
		});

		it('has timers that end both within 10 s', () => {
			expect(QUERY_AFTER_MS + GRACE_MS + QUERY_EVERY_MS).toBeLessThan(10_000);
			expect(EXPIRY_MS + EXPIRY_MARGIN_MS + QUERY_EVERY_MS).toBeLessThan(10_000);
		});

		it('never runs a call that a hung worker receives too late', async () => {
			const { text, runs } = await ended('hungBefore');
			expect(text).toContain('outcome unknown: record of gpu was called, and no worker accepted it');
			expect(runs).toEqual(['one after']);
		});

		it('waits for a worker whose event loop is blocked for 5 s', async () => {
			expect(await ended('blocked')).toMatchObject({ text: 'awake' });
		});

		it('resumes a running call after a restart of the server', async () => {
			const { text, runs } = await ended('restarted');
			expect(text).toBe('slept at one');
			expect(runs).toEqual(['one slow', 'one new']);
		});

		it('resumes running calls and takes new ones when a node of a cluster is killed', async () => {
			const { text, runs } = await ended('nodeLost');
			expect(text).toBe('slept at one');
			expect(runs).toEqual(['one slow', 'one new']);
		});

		it('says that the link is suspect when a server hangs, and uses another one', async () => {
			const { text, runs } = await ended('serverHung');
			// The call that was handed to the link that hung is never sent again.
			expect(text).toMatch(
				/^error: .*outcome unknown: record of gpu was called, and the link to the NATS server was lost/,
			);
			expect(runs).toEqual(['one new']);
		});

		it('finishes running calls and loses none when the worker is drained', async () => {
			const { text, runs } = await ended('drained');
			expect(text).toBe('slept at one');
			expect(runs.filter((line) => line.endsWith('slow'))).toEqual(['one slow']);
		});

		function ended(name: string): Promise<Ending & { runs: string[] }> {
			return scenarios[name] ?? Promise.reject(new Error(`there is no scenario ${name}`));
		}
	},
	60_000,
);

async function place(servers?: NatsServer[]): Promise<Place> {
	const file = join(temporaryFolder(), 'runs');
	const all = servers ?? [await startNats()];
	const [server] = all;
	if (server === undefined) throw new Error('no server');
	const urls = all.map(({ url }) => url);
	const worker = await startWorker(urls, file, { name: 'one' });
	const hub = await useFabric(urls);
	await hub.sees('gpu__slow');
	return { server, hub, worker, file };
}

/** Call `slow` and do something while it runs. */
async function during({ hub, file }: Place, ms: number, disturb: () => unknown): Promise<Ending> {
	const called = hub.call('gpu__slow', { ms });
	await until('it runs', () => runsIn(file).length > 0);
	// Which is what these scenarios are about: the hub knows the worker that has the call.
	await until('the hub knows that a worker accepted it', () =>
		hub.source
			.overview()
			.groups.flatMap(({ workers }) => workers)
			.some(({ inFlight }) => inFlight > 0),
	);
	await disturb();
	return { text: await called };
}

async function killed(): Promise<Ending & { runs: string[] }> {
	const at = await place();
	return { ...(await during(at, 60_000, () => at.worker.kill())), runs: runsIn(at.file) };
}

async function hung(): Promise<Ending & { runs: string[] }> {
	const at = await place();
	return { ...(await during(at, 1000, () => at.worker.kill('SIGSTOP'))), runs: runsIn(at.file) };
}

async function hungBefore(): Promise<Ending & { runs: string[] }> {
	const at = await place();
	at.worker.kill('SIGSTOP');
	const text = await at.hub.call('gpu__record', { id: 'late' });
	at.worker.kill('SIGCONT');
	// The worker reads in order: when this one has run, the late one was refused.
	await until(
		'the worker is back',
		async () => (await at.hub.call('gpu__record', { id: 'after' })) === 'after',
	);
	return { text, runs: runsIn(at.file) };
}

async function blocked(): Promise<Ending & { runs: string[] }> {
	const at = await place();
	const text = await at.hub.call('gpu__block', { ms: 5000 });
	return { text, runs: runsIn(at.file) };
}

async function restarted(): Promise<Ending & { runs: string[] }> {
	const at = await place();
	const ending = await during(at, 2500, async () => {
		await at.server.kill();
		await at.server.start();
	});
	await newCallsWork(at.hub);
	return { ...ending, runs: runsIn(at.file) };
}

async function nodeLost(): Promise<Ending & { runs: string[] }> {
	const servers = await startCluster();
	const at = await place(servers);
	const used = servers.find(({ url }) => url.endsWith(`:${at.hub.source.link.server?.split(':').at(-1)}`));
	const ending = await during(at, 3000, () => used?.kill());
	await newCallsWork(at.hub);
	return { ...ending, runs: runsIn(at.file) };
}

/** One server, which the hub reaches on two ways. */
async function serverHung(): Promise<Ending & { runs: string[] }> {
	const server = await startNats();
	const gates = [await startGate(server.port), await startGate(server.port)];
	const file = join(temporaryFolder(), 'runs');
	await startWorker([server.url], file, { name: 'one' });
	const hub = await useFabric(gates.map(({ port }) => `nats://127.0.0.1:${port}`));
	await hub.sees('gpu__record');
	gates.find(({ port }) => hub.source.link.server?.endsWith(`:${port}`))?.hang();
	const called = hub.call('gpu__record', { id: 'handed over' });
	await until('the link is suspect', () => hub.source.link.suspicion !== undefined);
	const refused = await hub.call('gpu__record', { id: 'refused' });
	expect(refused).toMatch(
		/not run: record of gpu: the link to the fabric is (?:suspect|down): the NATS server/,
	);
	await newCallsWork(hub);
	return { text: await called, runs: runsIn(file) };
}

/** They need no leader of the bucket: only the links of the hub and the worker. */
async function newCallsWork(hub: UsingHub): Promise<void> {
	let answer = '';
	const works = async (): Promise<boolean> => {
		answer = await hub.call('gpu__record', { id: 'new' });
		return answer === 'new';
	};
	await until('new calls work', works).catch((error: unknown) => {
		throw new Error(`the last answer: ${answer}\n${hub.log.join('')}`, { cause: error });
	});
}

async function drained(): Promise<Ending & { runs: string[] }> {
	const at = await place();
	const ending = await during(at, 1500, () => at.worker.kill('SIGTERM'));
	await at.worker.exited;
	return { ...ending, runs: runsIn(at.file) };
}
