/* The nodes of a cluster are restarted one after the other, as for an upgrade: no call fails. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { runsIn, startWorker, useFabric } from '../support/fabric-place.ts';
import { natsServer, startCluster } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const EVERY_MS = 10;

describe.skipIf(natsServer === undefined || !runsAllTests)('a cluster that is restarted node by node', () => {
	it('runs every call once, because members move before their server stops', async () => {
		const servers = await startCluster(3, 'lame_duck_grace_period: "2s"\nlame_duck_duration: "30s"');
		const urls = servers.map(({ url }) => url);
		const file = join(temporaryFolder(), 'runs');
		for (const name of ['one', 'two']) await startWorker(urls, file, { name });
		const hub = await useFabric(urls);
		await hub.seesWorkers('gpu', 2);
		await hub.sees('gpu__record');
		const calls: Promise<string>[] = [];
		const load = setInterval(
			() => calls.push(hub.call('gpu__record', { id: `id${calls.length}`, ms: 20 })),
			EVERY_MS,
		);
		for (const server of servers) {
			await server.kill('SIGUSR2');
			await server.start();
			await until('the node has its part of the cluster', server.isHealthy);
		}
		clearInterval(load);
		const ids = calls.map((_call, at) => `id${at}`);
		expect(await Promise.all(calls)).toEqual(ids);
		expect(
			runsIn(file)
				.map((line) => line.split(' ')[1])
				.toSorted(),
		).toEqual(ids.toSorted());
		expect(hub.source.link.facts).toMatchObject({ state: 'up', losses: 0 });
		// Of three restarts at least one was that of its server.
		expect(hub.source.link.facts.connects).toBeGreaterThan(1);
		expect(hub.log.join('\n')).not.toContain('the link to the fabric is down');
	}, 180_000);
});
