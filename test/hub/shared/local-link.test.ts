/* The link between a bridge and the shared hub of its user: a Unix socket, and no port unless one is needed. */

import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHubPlace } from '../../support/hub-place.ts';
import { mctl } from '../../support/mctl.ts';
import { isAlive } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';
import { writeFiles } from '../../support/workspace.ts';

describe('the link to the shared hub', () => {
	it('is a socket that only the user can open, and the hub opens no port', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		const { address } = JSON.parse((await place.run('hub', 'status', '--json')).stdout);
		expect(address).toBe(`unix:${join(place.folder.path, 'hub.sock')}`);
		const modes = [place.folder.path, join(place.folder.path, 'hub.sock')].map(
			(path) => statSync(path).mode & 0o777,
		);
		expect([modes, networkSocketsOf(pid)]).toEqual([[0o700, 0o600], []]);
	});

	it.each([
		['listenAddr', { hub: { listenAddr: '127.0.0.1:0' } }],
		['a plugin', { plugins: [{ id: 'tools.none', binary: '/bin/false' }] }],
	])(
		'gets a port beside it when %s is configured',
		async (_what, configuration) => {
			const place = openHubPlace(configuration);
			const pid = await place.start();
			expect(networkSocketsOf(pid).length).toBeGreaterThan(0);
		},
		60_000,
	);

	it('gets a port beside it when a plugin is configured while the hub runs', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		expect(networkSocketsOf(pid)).toEqual([]);
		const plugin = { id: 'tools.none', binary: '/bin/false' };
		writeFiles(place.cwd, { 'orchestra.json': JSON.stringify({ plugins: [plugin] }) });
		await until('a port is open', () => networkSocketsOf(pid).length > 0);
		await until('it is recorded', () => place.folder.running()?.networkAddress !== undefined);
	});

	it('works when the home folder cannot be written', async () => {
		const place = openHubPlace();
		const env = { ...place.env, HOME: '/dev/null' };
		const run = (...args: string[]): ReturnType<typeof mctl> => mctl(args, { cwd: place.cwd, env });
		const certs = join(place.home, 'certs');
		const { pid } = JSON.parse((await run('hub', 'start', '--json', '--certs-dir', certs)).stdout);
		expect(JSON.parse((await run('hub', 'status', '--json')).stdout)).toMatchObject({ pid });
		expect((await run('hub', 'stop')).stdout).toBe('The hub is stopped.\n');
	});

	it('works when the path of the state folder is too long for a socket', async () => {
		const place = openHubPlace();
		const env = { ...place.env, XDG_STATE_HOME: join(place.home, 'long'.repeat(30)) };
		const started = await mctl(['hub', 'start', '--json'], { cwd: place.cwd, env });
		const { address, pid } = JSON.parse(started.stdout);
		expect(address).toMatch(/^unix:.{1,100}$/);
		const status = await mctl(['hub', 'status', '--json'], { cwd: place.cwd, env });
		expect(JSON.parse(status.stdout)).toMatchObject({ pid, address });
	});

	it('is restored when the socket file is deleted', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		const bridge = place.bridge();
		await bridge.ready();

		rmSync(join(place.folder.path, 'hub.sock'));
		await until(
			'it is back',
			() => statSync(join(place.folder.path, 'hub.sock'), { throwIfNoEntry: false }) !== undefined,
		);
		await place.bridge().ready();
		expect((await bridge.client.call(2, 'tools/list')).result).toBeDefined();
		expect(place.hubs()).toEqual([pid]);
	});

	it('notifies the hub at once that a bridge was killed, and the tool that it called is stopped', async () => {
		const place = openHubPlace();
		writeFiles(place.cwd, {
			'tools/slow/manifest.json': slowTool,
			'tools/slow/main.sh': 'echo $$ >../../../pid; exec sleep 600',
		});
		const bridge = place.bridge();
		await bridge.ready();
		bridge.client.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'slow' } });
		const toolPid = (): number => Number(readIfThere(join(place.home, 'pid')));
		await until('the tool runs', () => toolPid() > 0);
		bridge.kill('SIGKILL');
		// The stop ladder takes two seconds at most; a link that waits for silence takes ten.
		await until('the tool is gone', () => !isAlive(toolPid()));
		await until(
			'the hub has no client',
			async () => JSON.parse((await place.run('hub', 'status', '--json')).stdout).clients === 0,
		);
	});
});

const slowTool = JSON.stringify({
	manifestVersion: 1,
	id: 'slow',
	version: '1.0.0',
	name: 'slow',
	description: 'Takes its time',
	command: ['sh', 'main.sh'],
});

/** Local addresses of the UDP and TCP sockets that a process holds. */
function networkSocketsOf(pid: number): string[] {
	const held = new Set(
		readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
			try {
				return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
			} catch {
				return ''; // closed while we looked
			}
		}),
	);
	return ['udp', 'udp6', 'tcp', 'tcp6'].flatMap((kind) =>
		readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
			.trim()
			.split('\n')
			.slice(1)
			.map((line) => line.trim().split(/\s+/))
			.filter((fields) => held.has(`socket:[${fields[9]}]`))
			.map((fields) => `${kind} ${fields[1]}`),
	);
}

function readIfThere(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}
