/* `mctl dashboard` and `mctl server`, with a real shared hub. */
import { describe, expect, it } from 'vitest';
import { Browser, fetchRaw } from '../support/dashboard.ts';
import { openHubPlace } from '../support/hub-place.ts';
import { pythonServer } from '../support/mcp-folder.ts';
import { isAlive } from '../support/programs.ts';

const TEST_MS = 60_000;
const servers = { mcpServers: { py: pythonServer } };

describe('mctl dashboard', { timeout: TEST_MS }, () => {
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
	});

	it('opens the browser that BROWSER names', async () => {
		const place = openHubPlace(servers);
		place.env['BROWSER'] = 'true';
		expect((await place.run('dashboard')).stderr).toContain('A browser opens this page');
		place.env['BROWSER'] = 'no-such-browser-here';
		expect((await place.run('dashboard')).stderr).toContain('Open this page in a browser');
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

describe('mctl server', { timeout: TEST_MS }, () => {
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
		const place = openHubPlace({ mcpServers: { bad: { command: 'node', args: ['-e', 'process.exit(3)'] } } });
		expect((await place.run('server', 'start', 'bad')).stderr).toContain('no shared hub runs');
		await place.start();
		const { code, stderr } = await place.run('server', 'start', 'bad');
		expect(code).not.toBe(0);
		expect(stderr).toContain('bad');
		expect(stderr).toContain('exit code 3');
	});
});
