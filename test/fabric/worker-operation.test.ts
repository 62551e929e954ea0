/* What an operator does with workers: labels and rules, limits, draining, and what is seen of them. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fabricReply } from '../../src/dashboard/views/fabric-view.ts';
import { orderWorker } from '../../src/fabric/administration/order-worker.ts';
import { ADMINISTRATOR } from '../../src/fabric/administration/server-config.ts';
import { FabricLink } from '../../src/fabric/link/fabric-link.ts';
import { HubMetrics } from '../../src/hub/metrics/hub-metrics.ts';
import { Log } from '../../src/log.ts';
import { atEnd } from '../support/at-end.ts';
import { offerFabric, runsIn, startWorker, useFabric } from '../support/fabric-place.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

let servers: string[] = [];

describe.skipIf(natsServer === undefined)('workers', () => {
	beforeAll(async () => {
		servers = [(await startNats()).url];
	});

	it('with the required label get all calls of a tool', async () => {
		await offerFabric(servers, { name: 'plain', group: 'labels' });
		await offerFabric(servers, { name: 'fast', group: 'labels', labels: ['gpu', 'zone=a'] });
		const rules = [{ tools: ['labels__who'], require: ['gpu'], prefer: [] }];
		const hub = await useFabric(servers, { rules });
		await hub.seesWorkers('labels', 2);
		await hub.sees('labels__who');
		const answers = await Promise.all(Array.from({ length: 12 }, () => hub.call('labels__who')));
		expect(new Set(answers)).toEqual(new Set(['fast']));
	});

	it('without the required label get none, and the caller reads which one is missing', async () => {
		const { file } = await offerFabric(servers, { name: 'bare', labels: ['zone=b'] });
		const rules = [{ tools: ['bare__*'], require: ['gpu'], prefer: [] }];
		const hub = await useFabric(servers, { rules });
		await hub.sees('bare__record');
		expect(await hub.call('bare__record', { id: 'x' })).toContain(
			'not run: record of bare: its one worker does not have the label gpu',
		);
		expect(runsIn(file)).toEqual([]);
	});

	it('run a call of a rule once when two processes have one name', async () => {
		const files: string[] = [];
		for (let process = 0; process < 2; process++) {
			const { file } = await offerFabric(servers, { name: 'double', labels: ['gpu'] });
			files.push(file);
		}
		const rules = [{ tools: ['double__*'], require: ['gpu'], prefer: [] }];
		const hub = await useFabric(servers, { rules });
		await hub.sees('double__record');
		const ids = Array.from({ length: 10 }, (_none, at) => `id${at}`);
		for (const id of ids) expect(await hub.call('double__record', { id })).toBe(id);
		const ran = files.flatMap((file) => runsIn(file).map((line) => line.split(' ')[1]));
		expect(ran.toSorted()).toEqual(ids);
	});

	it('refuse calls above the limit of a hub and of a tool, and say which', async () => {
		const limits = { perHub: 2, perTool: { slow: 1 } };
		const { worker } = await offerFabric(servers, { name: 'limited', limits });
		const [first, second] = [
			await useFabric(servers, { name: 'first' }),
			await useFabric(servers, { name: 'second' }),
		];
		for (const hub of [first, second]) await hub.sees('limited__slow');
		const ends = new AbortController();
		const slow = first.call('limited__slow', { ms: 60_000 }, { signal: ends.signal });
		await until('it runs', () => worker.running === 1);
		expect(await second.call('limited__slow', { ms: 1 })).toContain(
			'refused it: the worker runs slow 1 times already',
		);
		const record = first.call('limited__record', { id: 'a', ms: 60_000 }, { signal: ends.signal });
		await until('both run', () => worker.running === 2);
		expect(await first.call('limited__echo')).toContain(
			'refused it: the worker runs 2 calls of first already',
		);
		expect(await second.call('limited__echo', { text: 'mine' })).toBe('mine');
		expect(worker.overview().refused).toMatchObject({ tool_limit: 1, hub_limit: 1, full: 0 });
		ends.abort();
		await Promise.all([slow, record]);
	});

	it('that are full are not chosen while another is idle, with a rule and without one', async () => {
		const full = await offerFabric(servers, {
			name: 'near',
			group: 'load',
			labels: ['zone=a'],
			limits: { calls: 1 },
		});
		const idle = await offerFabric(servers, { name: 'far', group: 'load', limits: { calls: 1 } });
		const rules = [{ tools: ['load__slow', 'load__record'], require: [], prefer: ['zone=a'] }];
		const [first, second] = [
			await useFabric(servers, { name: 'load-1', rules }),
			await useFabric(servers, { name: 'load-2', rules }),
		];
		for (const hub of [first, second]) {
			await hub.seesWorkers('load', 2);
			await hub.sees('load__slow');
		}
		const ends = new AbortController();
		const slow = first.call('load__slow', { ms: 60_000 }, { signal: ends.signal });
		await until('the preferred worker runs it', () => full.worker.running === 1);
		// Its own call is in flight, so this hub knows at once.
		expect(await first.call('load__record', { id: 'mine' })).toBe('mine');
		// Another hub knows when the worker has said so.
		const load = (): number | undefined =>
			second.source.overview().groups[0]?.workers.find(({ name }) => name === 'near')?.running;
		await until('the other hub knows', () => load() === 1);
		expect(await second.call('load__record', { id: 'other' })).toBe('other');
		for (const id of ['a', 'b', 'c', 'd']) {
			expect(await second.call('load__who')).toBe('far');
			expect(await second.call('load__record', { id })).toBe(id);
		}
		expect(runsIn(idle.file)).toHaveLength(6);
		const refusals = [full, idle].flatMap(({ worker }) => Object.values(worker.overview().refused));
		expect(refusals.filter((count) => count > 0)).toEqual([]);
		ends.abort();
		await slow;
		await until('the other hub knows', () => load() === 0);
		expect(await second.call('load__record', { id: 'e' })).toBe('e');
		expect(runsIn(full.file).at(-1)).toBe('near e');
	});

	it('that were killed are chosen once at most, before their presence ends', async () => {
		const { worker } = await offerFabric(servers, { name: 'alive', group: 'death', limits: { calls: 50 } });
		const killed = await startWorker(servers, join(temporaryFolder(), 'runs'), {
			name: 'killed',
			group: 'death',
		});
		const hub = await useFabric(servers);
		await hub.seesWorkers('death', 2);
		await hub.sees('death__who');
		const answers = await Promise.all(Array.from({ length: 10 }, () => hub.call('death__who')));
		expect(new Set(answers)).toEqual(new Set(['alive', 'killed']));
		killed.kill();
		await killed.exited;
		const after: string[] = [];
		while (after.length < 10) after.push(await hub.call('death__who'));
		const failed = after.filter((text) => text !== 'alive');
		// The first of them while the server still closes the connection.
		expect(failed.length).toBeLessThanOrEqual(2);
		expect(failed.at(-1) ?? 'gone').toContain('gone');
		expect(worker.overview().refused).toMatchObject({ full: 0 });
	});

	it('that refused a call of a tool get no other one a moment later, and the call is not sent again', async () => {
		const limits = { perTool: { slow: 1 } };
		const full = await offerFabric(servers, { name: 'busy', group: 'memory', labels: ['zone=a'], limits });
		const idle = await offerFabric(servers, { name: 'calm', group: 'memory' });
		const rules = [{ tools: ['memory__*'], require: [], prefer: ['zone=a'] }];
		const [first, second] = [
			await useFabric(servers, { name: 'memory-1', rules }),
			await useFabric(servers, { name: 'memory-2', rules }),
		];
		for (const hub of [first, second]) await hub.seesWorkers('memory', 2);
		for (const hub of [first, second]) await hub.sees('memory__slow');
		const ends = new AbortController();
		const slow = first.call('memory__slow', { ms: 60_000 }, { signal: ends.signal });
		await until('it runs', () => full.worker.running === 1);
		expect(await second.call('memory__slow', { ms: 1 })).toContain(
			'not run: slow of memory: the worker busy refused',
		);
		expect(runsIn(idle.file)).toEqual([]);
		expect(await second.call('memory__slow', { ms: 1 })).toBe('slept at calm');
		// Also before it was announced as accepted.
		ends.abort();
		await slow;
		await until('it is canceled', () => full.worker.running === 0);
	});

	it('finish their calls and get no more when they are drained, until they are resumed', async () => {
		const { worker } = await offerFabric(servers, { name: 'drained' });
		const hub = await useFabric(servers);
		await hub.sees('drained__slow');
		const call = hub.call('drained__slow', { ms: 500 });
		await until('it runs', () => worker.running === 1);
		const link = await administrator();
		const accepted: number[] = [];
		const drained = order(link, 'drained', 'drain', (running) => accepted.push(running));
		await until('it left', async () => !(await hub.tools()).includes('drained__slow'));
		expect(worker.overview()).toMatchObject({ isReady: false, isDraining: true });
		const seen = (): unknown =>
			hub.source.overview().groups.find(({ name }) => name === 'drained')?.workers[0];
		expect(seen()).toMatchObject({ name: 'drained', isDraining: true });
		expect(await hub.call('drained__echo')).toContain('not run');
		expect(await call).toBe('slept at drained');
		expect(await drained).toBe('it runs no calls');
		// Said before the order is answered, not with the next presence.
		await link.flush();
		expect(seen()).toMatchObject({ running: 0, isDraining: true });
		expect(accepted).toEqual([1]);
		expect(await order(link, 'drained', 'resume')).toBe('it accepts calls again');
		await hub.sees('drained__echo');
		expect(await hub.call('drained__echo', { text: 'back' })).toBe('back');
	});

	it('that are not there cannot be drained, which is said at once', async () => {
		const link = await administrator();
		await expect(order(link, 'nobody', 'drain')).rejects.toThrow('no worker called nobody is connected');
	});

	it('take no orders from another hub', async () => {
		const { worker } = await offerFabric(servers, { name: 'loyal' });
		const link = await connected('agent-hub');
		link.publish('orc.ctl.loyal.agent-hub.PPPPPPPP.AAAAAAAAAAAAAAAA', { kind: 'drain' });
		await link.flush();
		const hub = await useFabric(servers);
		await hub.sees('loyal__echo');
		// After the order, in the order of one connection at the worker.
		expect(await hub.call('loyal__echo', { text: 'still' })).toBe('still');
		expect(worker.overview().isDraining).toBe(false);
	});

	it('are seen with their version, labels and calls, in the overview and in metrics', async () => {
		const { worker } = await offerFabric(servers, { name: 'seen', labels: ['zone=a'] });
		const hub = await useFabric(servers, { use: ['seen__*'] });
		await hub.sees('seen__echo');
		await hub.call('seen__echo', { text: 'x' });
		const { link, groups } = hub.source.overview();
		expect(link).toMatchObject({ state: 'up', connects: 1, losses: 0, server: expect.any(String) });
		const version = hub.hub.info.version;
		expect(groups).toMatchObject([
			{ name: 'seen', workers: [{ name: 'seen', version, labels: ['zone=a'], calls: 1, inFlight: 0 }] },
		]);
		const environment = { HOME: temporaryFolder() };
		const page = await fabricReply({ hub: hub.hub, worker: () => worker.overview(), environment });
		expect(page).toMatchObject({
			use: { groups: [{ name: 'seen' }], failed: { not_run: 0, unknown: 0, ran: 0 } },
			offer: { accepted: { 'agent-hub': 1 } },
		});
		expect(JSON.parse(JSON.stringify(page))).toEqual(page);
		const metrics = new HubMetrics(hub.hub, { worker: () => worker.overview() });
		atEnd(() => metrics.close());
		const text = metrics.text();
		expect(text).toContain('orchestra_fabric_link_up{orchestra_role="use"} 1');
		expect(text).toContain('orchestra_fabric_link_up{orchestra_role="offer"} 1');
		expect(text).toContain(
			`orchestra_fabric_workers{orchestra_group="seen",orchestra_draining="false",orchestra_version="${version}"} 1`,
		);
		expect(text).toContain('orchestra_fabric_failed_calls_total{orchestra_outcome="not_run"} 0');
		expect(text).toContain('orchestra_fabric_accepted_calls_total{orchestra_hub="agent-hub"} 1');
		expect(text).toContain('orchestra_fabric_ready 1');
	});
});

function order(
	link: FabricLink,
	worker: string,
	what: 'drain' | 'resume',
	onAccepted: (running: number) => void = () => {},
): Promise<string> {
	return orderWorker(link, { worker, order: what, onAccepted, signal: AbortSignal.timeout(20_000) });
}

function administrator(): Promise<FabricLink> {
	return connected(ADMINISTRATOR);
}

async function connected(name: string): Promise<FabricLink> {
	const link = new FabricLink({ servers, name }, Log.silent);
	atEnd(() => link.close());
	link.open();
	await until('the link is up', () => link.isUp);
	return link;
}
