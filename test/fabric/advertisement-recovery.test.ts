/* A hub that was away or is slow, and members that come and go. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, headers } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { readBucket } from '../../src/fabric/advertisements/bucket.ts';
import { createBucket } from '../../src/fabric/advertisements/bucket-setup.ts';
import { FabricLink } from '../../src/fabric/link/fabric-link.ts';
import { Log } from '../../src/log.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { atEnd } from '../support/at-end.ts';
import { changingTools, offerFabric, useFabric } from '../support/fabric-place.ts';
import { natsServer, startGate, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';

describe.skipIf(natsServer === undefined)('the advertisements of the fabric', () => {
	it('are read anew after an absence: who left is gone and who came is there', async () => {
		const server = await startNats();
		const { worker } = await offerFabric([server.url], { name: 'leaves' });
		await offerFabric([server.url], { name: 'stays' });
		const hub = await useFabric([server.url]);
		await hub.sees('leaves__echo');
		await hub.source.link.close();
		await worker.close();
		await offerFabric([server.url], { name: 'comes' });
		const again = await useFabric([server.url]);
		await again.sees('comes__echo');
		const names = await again.tools();
		expect(names.some((name) => name.startsWith('leaves__'))).toBe(false);
		expect(names).toContain('stays__echo');
	});

	it('are waited for by a call that comes while the hub connects', async () => {
		const server = await startNats();
		const gate = await startGate(server.port);
		await offerFabric([server.url], { name: 'gpu' });
		gate.shut();
		const hub = await useFabric([`nats://127.0.0.1:${gate.port}`]);
		expect(await hub.tools()).toEqual([]);
		const waiting = hub.call('gpu__echo', { text: 'at last' });
		const wrong = hub.call('gpu__nothing');
		gate.open();
		expect(await waiting).toBe('at last');
		expect(await wrong).toContain('Unknown tool: gpu__nothing');
	});

	it('are reached through a server that did not answer at first, when the only other one is lost', async () => {
		const server = await startNats();
		const [first, ...others] = await Promise.all([1, 2, 3].map(() => startGate(server.port)));
		for (const gate of others) gate.shut();
		const servers = [first, ...others].map((gate) => `nats://127.0.0.1:${gate?.port}`);
		// Several: each tries the servers in an order of its own.
		const links = Array.from({ length: 8 }, () => new FabricLink({ servers, name: 'hub' }, Log.silent));
		for (const link of links) {
			atEnd(() => link.close());
			link.open();
		}
		await until('all are connected', () => links.every(({ isUp }) => isUp));
		for (const gate of others) gate.open();
		first?.shut();
		const isMoved = ({ server: used }: FabricLink): boolean => used?.endsWith(`:${first?.port}`) === false;
		await until('all have moved', () => links.every(isMoved));
	});

	it('are not called unknown while the hub cannot connect', async () => {
		const server = await startNats();
		const gate = await startGate(server.port);
		gate.shut();
		const hub = await useFabric([`nats://127.0.0.1:${gate.port}`], { use: ['gpu__*'] });
		expect(await hub.call('gpu__echo')).toContain('not run: gpu__echo: the fabric is still connecting');
		expect(await hub.call('disk__echo')).toContain('Unknown tool: disk__echo');
	});

	it('are read anew by a hub that was cut off for so long that the server forgot who left', async () => {
		const server = await startNats();
		const gate = await startGate(server.port);
		const { worker } = await offerFabric([server.url], { name: 'leaves' });
		await offerFabric([server.url], { name: 'stays' });
		const hub = await useFabric([`nats://127.0.0.1:${gate.port}`]);
		await hub.sees('leaves__echo');
		gate.shut();
		await until('the link is down', () => !hub.source.link.isUp);
		await worker.close();
		await offerFabric([server.url], { name: 'comes' });
		await forgetMarker(server.url, 'w.leaves.leaves');
		gate.open();
		await hub.sees('comes__echo');
		const names = await hub.tools();
		expect(names.some((name) => name.startsWith('leaves__'))).toBe(false);
		expect(await hub.call('stays__echo', { text: 'here' })).toBe('here');
		expect(await hub.call('leaves__echo')).toContain('no worker offers it now');
	});

	it('are there again after the server lost all its data', async () => {
		const server = await startNats();
		await offerFabric([server.url]);
		const hub = await useFabric([server.url]);
		await hub.sees('gpu-box__echo');
		await server.kill();
		server.wipe();
		await server.start();
		await until(
			'calls work again',
			async () => (await hub.call('gpu-box__echo', { text: 'back' })) === 'back',
		);
		await hub.sees('gpu-box__echo');
	});

	it('do not contain what this hub advertises itself, or what another only passes on', async () => {
		const server = await startNats();
		const { worker: first } = await offerFabric([server.url], { name: 'first' });
		const second = await useFabric([server.url], { name: 'second' });
		await second.sees('first__echo');
		const { worker } = await offerFabric([server.url], { name: 'second', hub: second.hub });
		expect(worker.tools).toEqual([]);
		const self = await useFabric([server.url], { name: 'first' });
		await self.seesWorkers('first', 1);
		expect(await self.tools()).toEqual([]);
		await first.close();
	});

	it('get the present configuration of the bucket, whatever made it before', async () => {
		const server = await startNats();
		const connection = await connect({ servers: [server.url] });
		const before = {
			name: 'KV_ORC',
			subjects: ['$KV.ORC.>'],
			max_msgs_per_subject: 1,
			allow_rollup_hdrs: true,
			allow_direct: true,
			allow_msg_ttl: true,
			subject_delete_marker_ttl: 60e9,
		};
		await connection.request('$JS.API.STREAM.CREATE.KV_ORC', JSON.stringify(before));
		const link = new FabricLink({ servers: [server.url], name: 'admin' }, Log.silent);
		link.open();
		await until('it is connected', () => link.isUp);
		expect(await createBucket(link)).toBe(1);
		await link.close();
		const { config } = (await connection.request('$JS.API.STREAM.INFO.KV_ORC')).json<{ config: object }>();
		expect(config).toMatchObject({
			allow_rollup_hdrs: false,
			deny_purge: true,
			republish: { src: '$KV.ORC.>' },
		});
		await connection.close();
	});

	it.runIf(runsAllTests)(
		'are all callable when they are more than 20,000, and known by name when they are gone',
		async () => {
			const server = await startNats();
			const names = Array.from({ length: 7000 }, (_none, at) => [`t${at}`, ''] as const);
			const workers = await Promise.all(
				['a', 'b', 'c'].map(async (name) => {
					const { source } = changingTools(Object.fromEntries(names));
					return offerFabric([server.url], { name, sources: [source] });
				}),
			);
			const hub = await useFabric([server.url]);
			for (const group of ['a', 'b', 'c']) {
				await hub.sees(`${group}__t999`);
				expect(await hub.call(`${group}__t999`)).toBe('called t999');
			}
			await workers[2]?.worker.close();
			await until('it is gone', async () => !(await hub.tools()).includes('c__t999'));
			expect(await hub.call('c__t999')).toContain('no worker offers it now');
		},
	);

	it('follow the tools of a worker as they change', async () => {
		const server = await startNats();
		const { source, setTools } = changingTools({ old: 'Old.' });
		const { worker } = await offerFabric([server.url], { sources: [source] });
		const hub = await useFabric([server.url]);
		await hub.sees('gpu-box__old');
		setTools({ new: 'New.' });
		await hub.sees('gpu-box__new');
		expect(await hub.tools()).toEqual(['gpu-box__new']);
		const keys = async (): Promise<string> => {
			const found: string[] = [];
			await readBucket(hub.source.link, ({ key, read }) => void (read && found.push(key.slice(0, 9))));
			return found.sort().join(' ');
		};
		await until('the old body is removed', async () => (await keys()) === 'o.gpu-box w.gpu-box');
		await worker.close();
		expect(await keys()).toBe('');
	});
});

/** What the server does when the TTL of the marker of a removed key ends. */
async function forgetMarker(url: string, key: string): Promise<void> {
	const connection = await connect({ servers: [url] });
	const marker = headers();
	marker.set('KV-Operation', 'DEL');
	marker.set('Nats-TTL', '1s');
	await connection.request(`$KV.ORC.${key}`, '', { headers: marker, timeout: 60_000 });
	const get = JSON.stringify({ last_by_subj: `$KV.ORC.${key}` });
	await until('the marker has expired', async () => {
		const answer = await connection.request('$JS.API.DIRECT.GET.KV_ORC', get);
		return answer.headers?.code === 404;
	});
	await connection.close();
}

describe.skipIf(natsServer === undefined || !runsAllTests)('a server that hangs', () => {
	it('does not keep a worker from leaving', async () => {
		const server = await startNats();
		const { worker } = await offerFabric([server.url]);
		await worker.advertised;
		await server.kill('SIGSTOP');
		await worker.close();
		await server.kill('SIGCONT');
	});
});

describe.skipIf(natsServer === undefined)('a slow hub', () => {
	it('receives large results of many calls and stays connected', async () => {
		const server = await startNats();
		await offerFabric([server.url]);
		const hub = await useFabric([server.url]);
		await hub.sees('gpu-box__big');
		const calls = Array.from({ length: 10 }, () => hub.call('gpu-box__big', { bytes: 7_000_000 }));
		const busy = (async () => {
			for (let round = 0; round < 10; round++) {
				const end = performance.now() + 100;
				while (performance.now() < end);
				await sleep(5); // a deliberate pause: a slow hub reads a little now and then
			}
		})();
		const results = await Promise.all(calls);
		await busy;
		expect(results.every((text) => text.length === 7_000_000)).toBe(true);
		expect(hub.log.join('')).not.toContain('is down');
	});
});
