/*
 * What is answered at once: no worker, not permitted, no link. The contract says 10 ms; a
 * busy machine has no clock for that, so the tests count what an answer may wait for: nothing
 * when the link is down, and otherwise two round trips to the server, and no timer.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { offerFabric, type UsingHub, useFabric } from '../support/fabric-place.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';

describe.skipIf(natsServer === undefined)('a call that cannot run is answered at once', () => {
	it('when its only worker was killed by the server', async () => {
		const { url } = await startNats();
		const { worker } = await offerFabric([url]);
		const hub = await useFabric([url]);
		await hub.sees('gpu-box__echo');
		// Without a goodbye: the hub still lists the tool, and the server knows better.
		await worker.link.close();
		expect(hub.source.workersOf('gpu-box')).toEqual(['gpu-box']);
		expect(await answerWithin(hub, 'gpu-box__echo', roundTrips(hub, 2))).toContain(
			'not run: echo of gpu-box: no worker offers it now',
		);
	});

	it('when the server does not permit it', async () => {
		const { url } = await startNats({
			configuration: `authorization { users: [
				{ user: member, password: x, permissions: { publish: { deny: "orc.call.>" } } }
			] }
			no_auth_user: member`,
		});
		await offerFabric([url]);
		const hub = await useFabric([url]);
		await hub.sees('gpu-box__echo');
		expect(await answerWithin(hub, 'gpu-box__echo', roundTrips(hub, 2))).toContain(
			'not run: echo of gpu-box: the NATS server does not permit this hub to call it',
		);
	});

	it('when the link is down', async () => {
		const server = await startNats();
		await offerFabric([server.url]);
		const hub = await useFabric([server.url]);
		await hub.sees('gpu-box__echo');
		await server.kill();
		await until('the link is down', () => !hub.source.link.isUp);
		expect(await answerWithin(hub, 'gpu-box__echo', turns(10))).toContain(
			'not run: echo of gpu-box: the link to the fabric is down',
		);
	});
});

/** The answer, when it arrives before something else has happened. */
function answerWithin(hub: UsingHub, tool: string, limit: () => Promise<void>): Promise<string> {
	const called = hub.call(tool);
	return Promise.race([called, limit().then(() => 'no answer in time')]);
}

/** Round trips to the server, and what the event loop needs to pass an answer on. */
function roundTrips(hub: UsingHub, count: number): () => Promise<void> {
	return async () => {
		for (let trip = 0; trip < count; trip++) {
			await nextTurn();
			await hub.source.link.flush();
		}
		await turns(10)();
	};
}

function turns(count: number): () => Promise<void> {
	return async () => {
		for (let turn = 0; turn < count; turn++) await nextTurn();
	};
}
