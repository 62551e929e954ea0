/* MCP over HTTP of a shared hub, after the hub was killed and a bridge started it again. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpCaller } from '../../support/http-caller.ts';
import { type HubPlace, openHubPlace } from '../../support/hub-place.ts';
import { isAlive } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';

describe('a hub that was started with --http', () => {
	it('has HTTP at the same address with the same token when a bridge restarts it', async () => {
		const place = openHubPlace({});
		const { httpUrl } = await startWithHttp(place);
		const token = (await place.run('hub', 'token')).stdout.trim();
		await restartByBridge(place);
		expect(place.folder.running()?.httpUrl).toBe(httpUrl);
		const caller = await HttpCaller.connect(new URL(httpUrl).origin, token, 'test');
		expect(await caller.listTools()).toContain('"tools":');
	});

	it('runs without it, and says so, when another program has its port', async () => {
		const place = openHubPlace({});
		const { httpUrl, pid } = await startWithHttp(place);
		process.kill(pid, 'SIGKILL');
		await until('it is gone', () => !isAlive(pid));
		const other = createServer();
		onTestFinished(() => void other.close());
		// A connection of another test may have the port for a moment.
		await until('another program has the port', () => listens(other, Number(new URL(httpUrl).port)));
		await place.bridge().ready();
		await place.runningPid();
		expect(place.folder.running()).toMatchObject({ httpUrl: undefined });
		expect((await place.run('hub', 'logs')).stdout).toContain(`MCP over HTTP is not at ${httpUrl} any more`);
	});

	it('has none after mctl hub stop', async () => {
		const place = openHubPlace({});
		await startWithHttp(place);
		await place.run('hub', 'stop');
		await place.bridge().ready();
		await place.runningPid();
		expect(place.folder.running()).toMatchObject({ httpUrl: undefined });
	});
});

async function listens(server: Server, port: number): Promise<boolean> {
	try {
		await once(server.listen(port, '127.0.0.1'), 'listening');
		return true;
	} catch {
		return false;
	}
}

async function startWithHttp(place: HubPlace): Promise<{ httpUrl: string; pid: number }> {
	return JSON.parse((await place.run('hub', 'start', '--http', '--json')).stdout);
}

/** A bridge is connected, the hub is killed, and the bridge starts another. */
async function restartByBridge(place: HubPlace): Promise<void> {
	const { client, ready } = place.bridge();
	await ready();
	const pid = await place.runningPid();
	process.kill(pid, 'SIGKILL');
	await until('it is gone', () => !isAlive(pid));
	await client.call(9, 'tools/list', {});
	expect(await place.runningPid()).not.toBe(pid);
}
