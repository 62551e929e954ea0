/* `mctl dashboard` and `mctl server`, with a real shared hub. */
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HUB_CONTROL } from '../../src/hub/shared/hub-control.ts';
import { loadIdentity, ORCHESTRATOR_NAME } from '../../src/link/certificates/certificates.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import { Browser, fetchRaw } from '../support/dashboard.ts';
import { HttpCaller } from '../support/http-caller.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { callServer } from '../support/mcp-folder.ts';
import { isAlive } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

const servers = { mcpServers: { py: callServer } };

describe('mctl dashboard', () => {
	it('starts the hub, and prints a link that works once', async () => {
		const place = openHubPlace(servers);
		const { stdout, stderr, code } = await place.run('dashboard', '--no-open');
		expect(code).toBe(0);
		expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/enter\?code=[\w-]{43}\n$/);
		expect(stderr).toContain('The link works once');
		const browser = await Browser.login(stdout.trim());
		expect((await browser.get('/api/state'))['hub'].root).toBe(place.cwd);
		expect((await fetchRaw(stdout.trim())).status).toBe(401);
		expect(place.hubs()).toHaveLength(1);
		writeFiles(place.cwd, {
			browser: '#!/bin/sh\ncd "$(dirname "$0")"; echo "$@" > seen.part; mv seen.part seen\n',
		});
		chmodSync(join(place.cwd, 'browser'), 0o755);
		place.env['BROWSER'] = join(place.cwd, 'browser');
		const opened = await place.run('dashboard');
		expect(opened.stderr).toContain('A browser opens this page');
		await until('the browser ran', () => existsSync(join(place.cwd, 'seen')));
		const page = new URL(readFileSync(join(place.cwd, 'seen'), 'utf8').trim());
		expect([page.protocol, page.search, statSync(page).mode & 0o777]).toEqual(['file:', '', 0o600]);
		expect(readFileSync(page, 'utf8')).toContain(`content="0; url=${opened.stdout.trim()}"`);
		const followed = await fetchRaw(opened.stdout.trim(), { headers: { 'Sec-Fetch-Site': 'cross-site' } });
		expect([followed.status, followed.header('refresh')]).toEqual([200, '0; url=/dashboard/']);
		place.env['BROWSER'] = 'no-such-browser-here';
		expect((await place.run('dashboard')).stderr).toContain('Open this page in a browser');
	});

	it('opens the listener of a hub that runs without one, and there is one hub afterwards', async () => {
		const place = openHubPlace(servers);
		const pid = await place.start();
		const [one, other] = await Promise.all([
			place.run('dashboard', '--json'),
			place.run('dashboard', '--json'),
		]);
		const urls = [one, other].map(({ stdout }) => JSON.parse(stdout));
		expect(urls).toMatchObject([
			{ schema: 'orchestra.dashboard/1', pid },
			{ schema: 'orchestra.dashboard/1', pid },
		]);
		expect(new URL(urls[0].url).host).toBe(new URL(urls[1].url).host);
		expect(urls[0].url).not.toBe(urls[1].url);
		expect(place.hubs()).toEqual([pid]);
		expect((await place.run('hub', 'status')).stdout).toContain(new URL(urls[0].url).host);
		const token = (await place.run('hub', 'token')).stdout.trim();
		await HttpCaller.connect(new URL(urls[0].url).origin, token, 'agent');
		expect(JSON.parse((await place.run('hub', 'status', '--json')).stdout).clients).toBe(1);
	});

	it('ends its event streams when the hub is stopped', async () => {
		const place = openHubPlace(servers);
		const { url, pid } = JSON.parse((await place.run('dashboard', '--json')).stdout);
		const browser = await Browser.login(url);
		const stream = await browser.page('/api/events');
		const read = stream.text().catch(() => '');
		expect((await place.run('hub', 'stop')).code).toBe(0);
		await read;
		expect(isAlive(pid)).toBe(false);
	});
});

describe('a request to control the hub', () => {
	it('is answered to mctl only: not to a plugin, and not through the MCP session of an agent', async () => {
		const place = openHubPlace(servers);
		await place.start();
		const { address, certsDir } = place.folder.running() ?? { address: '', certsDir: '' };
		const identity = await loadIdentity(certsDir, 'some-plugin');
		const client = await PluginClient.connect({ address, identity, peerName: ORCHESTRATOR_NAME });
		const value = { toolName: HUB_CONTROL, arguments: { action: 'dashboard' } };
		const answer = await client.ask({ case: 'toolCall', value }, 'toolCall');
		expect([answer.success, answer.errorCode]).toEqual([false, 'tool_not_found']);
		await client.close();
		const bridge = place.bridge();
		await bridge.ready();
		const answers = [
			await bridge.client.call('a', 'tools/call', { name: HUB_CONTROL, arguments: { action: 'dashboard' } }),
			await bridge.client.call('b', HUB_CONTROL, { action: 'dashboard' }),
		];
		expect(JSON.stringify(answers)).not.toContain('http://');
		expect(JSON.parse((await place.run('hub', 'status', '--json')).stdout).httpUrl).toBeUndefined();
	});
});

describe('mctl server', () => {
	it('starts, restarts and stops one server of the hub', async () => {
		const place = openHubPlace(servers);
		await place.start();
		const pidOf = async (): Promise<number | null> =>
			JSON.parse((await place.run('hub', 'ps', '--json')).stdout).servers[0].pid;
		expect((await place.run('server', 'start', 'py')).stdout).toBe('py is running\n');
		const first = await pidOf();
		expect((await place.run('server', 'restart', 'py')).stdout).toBe('py was restarted\n');
		const second = await pidOf();
		expect([typeof first, typeof second, first === second]).toEqual(['number', 'number', false]);
		expect((await place.run('server', 'stop', 'py')).stdout).toContain('py is stopped');
		expect(await pidOf()).toBeNull();
		const wrong = await place.run('server', 'stop', 'pi');
		expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('There are: py.')]);
	});

	it('says that no hub runs, and why a server does not start', async () => {
		const bad = { command: 'node', args: ['-e', 'process.exit(3)'] };
		const place = openHubPlace({
			mcpServers: { bad },
			plugins: [{ id: 'a.b', binary: 'x', disabled: true }],
		});
		expect((await place.run('server', 'start', 'a.b')).stderr).toContain('Enable it with: mctl enable a.b');
		expect((await place.run('server', 'start', 'bad')).stderr).toContain('no shared hub runs');
		await place.start();
		const { code, stderr } = await place.run('server', 'start', 'bad');
		expect(code).not.toBe(0);
		expect(stderr).toContain('bad');
		expect(stderr).toContain('exited with code 3');
	});
});
