/* Clients whose roots change, and the servers that have them. */

import { describe, expect, it } from 'vitest';
import { able } from '../../../src/hub/source.ts';
import { gateway, type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

describe('the changed roots of a client', () => {
	it.each(['shared', 'session'])(
		'reach a server of scope %s that has them, which may ask again',
		async (scope) => {
			const served = await serveServers({ gate: gateway({ scope }) });
			const { client, move } = await clientWithRoots(served, 'one');
			expect(await client.call('gate__roots')).toContain('file:///one');
			move('two');
			await until('the server has the new roots', () => rootsOf(served).length > 0);
			expect(rootsOf(served)).toEqual(['{"roots":[{"uri":"file:///two"}]}']);
		},
	);

	it('reach no server that has the roots of another client, or none', async () => {
		const served = await serveServers({ gate: gateway(), other: gateway() });
		const [one, two] = [await clientWithRoots(served, 'one'), await clientWithRoots(served, 'two')];
		await one.client.call('gate__roots');
		await two.client.call('gate__roots');
		await one.client.call('other__echo', { text: 'x' });
		one.move('three');
		two.move('four');
		await until('the server has the new roots', () => rootsOf(served).length > 0);
		expect(rootsOf(served)).toEqual(['{"roots":[{"uri":"file:///four"}]}']);
	});

	it('reach a server that asked for them when it started in the background, if there is one client', async () => {
		const served = await serveServers({ gate: gateway({}, 'normal', { ASKS_ROOTS: '1' }) });
		const { client, move } = await clientWithRoots(served, 'one');
		await client.request('tools/list');
		await until('the server has the roots', () => rootsOf(served).length === 1);
		move('two');
		await until('the server has the new roots', () => rootsOf(served).length === 2);
		expect(rootsOf(served)).toEqual([
			'{"roots":[{"uri":"file:///one"}]}',
			'{"roots":[{"uri":"file:///two"}]}',
		]);
	});

	it('are replaced by those of the client that is left when their client has gone', async () => {
		const served = await serveServers({ gate: gateway() });
		const { client: one } = await clientWithRoots(served, 'one');
		await clientWithRoots(served, 'two');
		expect(await one.call('gate__roots')).toContain('file:///one');
		const [gone] = served.opened.hub.clients.list();
		one.close();
		for (const source of served.opened.hub.sources)
			able(source, 'endSession')?.endSession(gone?.sessionId ?? '');
		await until('the server has other roots', () => rootsOf(served).length > 0);
		expect(rootsOf(served)).toEqual(['{"roots":[{"uri":"file:///two"}]}']);
	});

	it('are none for a server that starts in the background with several clients', async () => {
		const served = await serveServers({ gate: gateway({}, 'normal', { ASKS_ROOTS: '1' }) });
		const { client } = await clientWithRoots(served, 'one');
		await clientWithRoots(served, 'two');
		await client.request('tools/list');
		await until('the server is answered', () => rootsOf(served).length === 1);
		expect(rootsOf(served)).toEqual(['{"roots":[]}']);
	});

	it('in quick succession are one notification', async () => {
		const served = await serveServers({ gate: gateway() });
		const { client, move } = await clientWithRoots(served, 'one');
		await client.call('gate__roots');
		for (let at = 0; at < 100; at++) move(`at-${at}`);
		await until('the server has the new roots', () => rootsOf(served).length > 0);
		await client.call('gate__echo', { text: 'x' });
		expect(rootsOf(served)).toEqual(['{"roots":[{"uri":"file:///at-99"}]}']);
	});
});

async function clientWithRoots(
	served: ServedHub,
	first: string,
): Promise<{ client: HubClient; move: (name: string) => void }> {
	let current = first;
	const client = await served.client({
		capabilities: { roots: { listChanged: true } },
		onClientRequest: () => ({ roots: [{ uri: `file:///${current}` }] }),
	});
	const move = (name: string): void => {
		current = name;
		client.peer.notify('notifications/roots/list_changed');
	};
	return { client, move };
}

/** The roots that servers got outside a call. */
function rootsOf(served: ServedHub): string[] {
	return served
		.events()
		.filter(({ event }) => event.startsWith('roots:'))
		.map(({ event }) => event.slice('roots:'.length));
}
