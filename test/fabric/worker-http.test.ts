/* Health, readiness and metrics of `mctl worker`, and settings that it does not use. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../support/at-end.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { startMctl } from '../support/mctl.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';

const trusted = { ORCHESTRA_TRUST: 'all' };

describe.skipIf(natsServer === undefined)('mctl worker', () => {
	it('says whether it is healthy and ready, and has metrics, without a token on loopback', async () => {
		const server = await startNats();
		const fabric = { servers: [server.url], name: 'nas', httpAddr: '127.0.0.1:0' };
		const place = openHubPlace({ fabric, tools: { examples: true } });
		const worker = startMctl(['worker', '--json'], { cwd: place.cwd, env: { ...place.env, ...trusted } });
		atEnd(() => worker.kill('SIGKILL'));
		const [line] = await once(worker.stdout, 'data');
		const { http } = JSON.parse(String(line)) as { http: string };
		const get = async (path: string): Promise<[number, string]> => {
			const answer = await fetch(new URL(path, http));
			return [answer.status, await answer.text()];
		};
		expect(await get('/healthz')).toEqual([200, 'ok\n']);
		expect(await get('/readyz')).toEqual([200, 'ok\n']);
		const [, metrics] = await get('/metrics');
		expect(metrics).toContain('orchestra_fabric_link_up{orchestra_role="offer"} 1');
		expect(metrics).toContain('orchestra_fabric_ready 1');
		// There is no MCP here.
		expect((await get('/mcp'))[0]).toBe(401);
		await server.kill();
		await until('it is not ready', async () => (await get('/readyz'))[0] === 503);
		expect(await get('/healthz')).toEqual([200, 'ok\n']);
	}, 30_000);

	it('refuses a setting that it would ignore, and says what to use', async () => {
		const fabric = { servers: ['nats://127.0.0.1:4222'], name: 'nas' };
		const refusal = async (configuration: object): Promise<string> => {
			const place = openHubPlace(configuration);
			Object.assign(place.env, trusted);
			return (await place.run('worker')).stderr;
		};
		expect(await refusal({ fabric, hub: { httpAddr: '127.0.0.1:8460' } })).toMatch(
			/does not use hub\.httpAddr\nhint: .*fabric\.httpAddr/,
		);
		expect(await refusal({ fabric: { ...fabric, use: ['gpu__*'] } })).toContain('so fabric.use does nothing');
	});

	it('has an address that a hub which offers tools refuses, and says what to use', async () => {
		const fabric = { servers: ['nats://127.0.0.1:4222'], name: 'nas', offer: ['*'], httpAddr: '127.0.0.1:0' };
		const place = openHubPlace({ fabric });
		Object.assign(place.env, trusted);
		expect((await place.run('hub', 'run')).stderr).toMatch(/hub would ignore it\nhint: .*hub\.httpAddr/);
	}, 30_000);

	it('refuses an address that other machines reach, without TLS', async () => {
		const { url } = await startNats();
		const place = openHubPlace({ fabric: { servers: [url], name: 'nas', httpAddr: '0.0.0.0:0' } });
		Object.assign(place.env, trusted);
		expect((await place.run('worker')).stderr).toContain('could be reached by other machines');
	});
});
