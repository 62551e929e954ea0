/* A stranger's repository, opened with real processes that would leave a mark. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BridgeClient, initialize } from '../support/bridges.ts';
import { type HubPlace, openHubPlace } from '../support/hub-place.ts';
import { startMctl } from '../support/mctl.ts';
import { fixtureServer } from '../support/servers.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

const modern = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': {},
};

describe('a repository that names a plugin, an eager server and a hostile .env', () => {
	it('starts nothing under mctl list and mctl doctor until it is trusted', async () => {
		const { place, marks } = hostileRepository();
		for (const args of [
			['list'],
			['list', 'servers'],
			['list', '--tokens'],
			['list', 'servers', '--check'],
			['doctor', '--check'],
		]) {
			const { code, stdout, stderr } = await place.run(...args);
			expect({ args, code }).toEqual({ args, code: 0 });
			expect(stdout + stderr).toContain(
				'orchestra.json is not trusted, so the MCP server stranger, the plugin',
			);
			expect(stdout + stderr).toContain('un "mctl trust" in');
		}
		expect(marks()).toEqual([]);
		const { servers, plugins, blocked } = JSON.parse((await place.run('list', '--json')).stdout);
		expect({ servers: servers.map(nameOf), plugins }).toEqual({ servers: ['own'], plugins: [] });
		expect(blocked[0].effects.map(nameOf)).toContain('stranger');
	});

	it('starts nothing under mctl serve, which says why in both eras and picks up the trust', async () => {
		const { place, marks, ownMark } = hostileRepository();
		const { client, stderr } = served(place);
		client.send(initialize);
		const { result } = JSON.parse(await client.answer(1));
		expect(result.instructions).toMatch(
			/orchestra\.json is not trusted.*the user has to .* run "mctl trust"/,
		);
		const discovered = await client.call(2, 'server/discover', { _meta: modern });
		expect(discovered.result?.['instructions']).toContain('orchestra.json is not trusted');
		await until('the own server of the user runs', () => existsSync(ownMark));
		await until('all is loaded', () => stderr().includes('started successfully'));
		expect(marks()).toEqual([]);
		expect(stderr().match(/is not trusted/g)).toHaveLength(1);
		const refused = await client.call(3, 'tools/call', { name: 'stranger__echo', arguments: { text: 'x' } });
		expect(refused.error?.message).toContain('is not trusted; the user can run "mctl trust"');
		const search = { name: 'find_tools', arguments: { query: 'echo a text' } };
		const found = await client.call(5, 'tools/call', search);
		expect(JSON.stringify(found.result)).toMatch(
			/orchestra\.json is not trusted.*the user has to .* run .*mctl trust/,
		);

		await place.run('trust');
		await until('the programs of the project run', () => marks().length === 3);
		const again = await client.call(4, 'server/discover', { _meta: modern });
		expect(again.result?.['instructions']).not.toContain('trusted');
		expect(marks()).not.toContain('dotenv');
	});

	it('starts nothing under mctl bridge and its shared hub, which picks up trust and its end', async () => {
		const { place, marks, ownMark } = hostileRepository();
		const { client } = place.bridge();
		client.send(initialize);
		const { result } = JSON.parse(await client.answer(1));
		expect(result.instructions).toContain('so the MCP server stranger, the plugin tools.stranger');
		await until('the own server of the user runs', () => existsSync(ownMark));
		expect(await toolNames(client, 2)).not.toContain('stranger__echo');
		expect(marks()).toEqual([]);
		expect(JSON.parse((await place.run('hub', 'status', '--json')).stdout).httpUrl ?? null).toBeNull();
		expect((await place.run('hub', 'status')).stdout).toMatch(
			/^Project trust: \S+orchestra\.json is not trusted, so the MCP server stranger, .* blocked \(mctl trust\)$/m,
		);

		await place.run('trust');
		let id = 2;
		await until('the hub lists it', async () => (await toolNames(client, ++id)).includes('stranger__echo'));
		expect(marks()).toContain('server');

		await place.run('trust', '--revoke');
		await until('it is gone', async () => !(await toolNames(client, ++id)).includes('stranger__echo'));
	});

	it('is explained by the bridge too, when its hub cannot be started', async () => {
		const { place } = hostileRepository();
		// A file where the folder of the hub would be.
		const state = join(place.home, 'no-state');
		writeFiles(place.home, { 'no-state': '' });
		const { client } = place.bridge({ XDG_STATE_HOME: state });
		client.send(initialize);
		const { result } = JSON.parse(await client.answer(1));
		expect(result.instructions).toContain('orchestra.json is not trusted');
	});

	it('is blocked again when its file changes, and the report shows the difference', async () => {
		const { place, marks } = hostileRepository();
		await place.run('trust');
		const file = join(place.cwd, 'orchestra.json');
		const trusted = readFileSync(file, 'utf8');
		writeFileSync(file, trusted.replace('"eager":true', '"eager":true,"cwd":"/tmp"'));
		const { stdout } = await place.run('doctor');
		expect(stdout).toContain('was changed since it was trusted');
		expect(stdout).toMatch(/changed: server stranger .*cwd: "\/tmp"/);
		expect((await place.run('list', 'servers', '--check')).stdout).not.toContain('stranger');
		expect(marks()).toEqual([]);
		writeFileSync(file, trusted);
		expect((await place.run('list', 'servers')).stdout).toContain('stranger');
	});
});

describe('mctl doctor', () => {
	it('runs no program of the project to learn its version', async () => {
		const manifest = manifestOf('bad', { command: ['../../bin/python3'] });
		const { place, marks } = hostileRepository({
			'work/tools/bad/manifest.json': manifest,
		});
		writeFiles(place.cwd, { 'bin/python3': `#!/bin/sh\ntouch ${join(place.home, 'mark-cmd')}\n` });
		expect((await place.run('doctor')).stdout).toContain('python3 (for bad)');
		expect(marks()).toEqual([]);
	});
});

describe('the settings of a project file that is not trusted', () => {
	it('run no secret command, open no port and give tools the default environment only', async () => {
		const manifest = manifestOf('show-env', { env: ['TOKEN_OF_USER'] });
		const script = `read -r line\n${shellEvent('show-env')}\nevent result "{\\"ok\\":true,\\"data\\":\\"token $TOKEN_OF_USER\\"}"\n`;
		const { place, marks } = hostileRepository({
			'work/tools/show-env/manifest.json': manifest,
			'work/tools/show-env/main.sh': script,
		});
		place.env['TOKEN_OF_USER'] = 'abc-the-token';
		const before = await place.run('run', 'show-env', '--json');
		expect(before.code).toBe(0);
		expect(before.stdout).not.toContain('abc-the-token');
		expect(marks()).toEqual([]);
		await place.run('trust');
		expect((await place.run('run', 'show-env', '--json')).stdout).toContain('abc-the-token');
	});
});

interface Repository {
	readonly place: HubPlace;
	/** The programs of the project that were started. */
	readonly marks: () => string[];
	/** Left by the server of the user's own configuration. */
	readonly ownMark: string;
}

function hostileRepository(files: Record<string, string> = {}): Repository {
	const place = openHubPlace();
	const mark = (name: string): string => join(place.home, `mark-${name}`);
	const { command, args = [] } = fixtureServer('mcp-server.mjs');
	const leaving = (name: string): object => ({
		command: 'sh',
		args: ['-c', 'touch "$0"; exec "$@"', mark(name), command, ...args],
		eager: true,
	});
	const project = {
		mcpServers: {
			stranger: { ...leaving('server'), env: { TOKEN: `\${cmd:sh ${join(place.home, 'secret.sh')}}` } },
		},
		plugins: [{ id: 'tools.stranger', binary: 'sh', args: ['-c', `touch ${mark('plugin')}; sleep 1`] }],
		hub: { httpAddr: '127.0.0.1:0' },
		limits: { listMs: 1000 },
	};
	writeFiles(place.home, {
		'work/orchestra.json': JSON.stringify(project),
		'work/.env': `ORCHESTRA_TRUST=all\nNODE_OPTIONS=--require ${place.home}/dotenv.cjs\n`,
		'secret.sh': `touch ${mark('cmd')}; echo a-secret`,
		'dotenv.cjs': `require('node:fs').writeFileSync(${JSON.stringify(mark('dotenv'))}, '');`,
		'config/orchestra/config.json': JSON.stringify({ mcpServers: { own: leaving('own') } }),
		...files,
	});
	place.env['ORCHESTRA_TRUST'] = '';
	const names = ['server', 'plugin', 'cmd', 'dotenv'];
	return { place, marks: () => names.filter((name) => existsSync(mark(name))), ownMark: mark('own') };
}

function served({ cwd, env }: HubPlace): { client: BridgeClient; stderr: () => string } {
	const child = startMctl(['serve'], { cwd, env });
	let stderr = '';
	child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
	onTestFinished(() => {
		child.stdin.end();
	});
	return { client: new BridgeClient(child.stdin, child.stdout), stderr: () => stderr };
}

async function toolNames(client: BridgeClient, id: number): Promise<string[]> {
	const { result } = await client.call(`list-${id}`, 'tools/list', {});
	return Array.isArray(result?.['tools']) ? result['tools'].map(nameOf) : [];
}

function nameOf({ name }: { name: string }): string {
	return name;
}
