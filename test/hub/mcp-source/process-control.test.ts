/* What the user does with the process of a server: start, stop, restart. */
import { describe, expect, it } from 'vitest';
import { controlServer } from '../../../src/hub/shared/hub-control.ts';
import type { ProcessAction } from '../../../src/hub/source.ts';
import type { SourceStatus } from '../../../src/hub/source-status.ts';
import { gateway, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

/** Lists do not wait for a server that starts. */
const lists = { limits: { listMs: 50 } };

describe('a server that the user stops while it starts for the first time', () => {
	it('is not started by lists, and a call starts it', async () => {
		const { served, client } = await startedSlowly();
		await control(served, 'stop');
		expect(await client.request('tools/list')).toMatchObject({ tools: [] });
		await client.request('prompts/list');
		expect(statusOf(served)).toMatchObject({ state: 'stopped', pid: undefined });
		expect(served.events('start')).toHaveLength(1);
		expect(await client.call('gate__echo', { text: 'hi' })).toBe('hi');
		expect(statusOf(served)).toMatchObject({ state: 'idle' });
	});

	it('has no failure: its lists are read after a restart', async () => {
		const { served, client } = await startedSlowly();
		await control(served, 'stop');
		await control(served, 'start');
		await until('its tools are listed', async () => {
			const { tools } = await client.request('tools/list');
			return (tools as object[]).length > 0;
		});
		expect(served.events('start')).toHaveLength(2);
		expect(served.log.filter((line) => /shut down|did not start/.test(line))).toEqual([]);
	});

	it('stays stopped when a restart was on its way', async () => {
		const { served } = await startedSlowly();
		const restart = control(served, 'restart');
		const stop = control(served, 'stop');
		await expect(restart).rejects.toMatchObject({ code: 'canceled' });
		await stop;
		expect(statusOf(served)).toMatchObject({ state: 'stopped', pid: undefined });
	});
});

async function startedSlowly(): Promise<{
	served: ServedHub;
	client: Awaited<ReturnType<ServedHub['client']>>;
}> {
	const served = await serveServers({ gate: gateway({}, 'normal', { START_MS: '300' }) }, { more: lists });
	const client = await served.client();
	await client.request('tools/list');
	await until('it starts', () => served.events('start').length === 1);
	return { served, client };
}

function control({ opened }: ServedHub, action: ProcessAction): Promise<void> {
	return controlServer(opened.hub, action, 'gate');
}

function statusOf({ opened }: ServedHub): SourceStatus | undefined {
	return opened.hub.sources.find(({ id }) => id === 'gate')?.status;
}
