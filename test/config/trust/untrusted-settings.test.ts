import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadedConfiguration, loadConfiguration } from '../../../src/config/load.ts';
import { TrustRecord } from '../../../src/config/trust/trust-record.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('a project file that is not trusted', () => {
	it('names no server, no plugin, no address, no tool setting and no limit of the hub', () => {
		const { configuration, blocked } = load({
			mcpServers: { a: { command: 'x' }, b: { url: 'https://example.com' }, c: 'stdio:cat' },
			plugins: [{ id: 'p', binary: 'p' }],
			hub: { listenAddr: ':1', tcpAddr: ':2', httpAddr: ':3', httpPublic: true, certsDir: './c', idleMs: 0 },
			tools: { config: { token: '${SECRET}' }, timeoutMs: 9, timeouts: { t: 9 } },
			limits: { messageBytes: 1e9, toolsAtOnce: 1000, memoryBytes: 5e8 },
		});
		expect(configuration).toMatchObject({ mcpServers: [], plugins: [], limits: { memoryBytes: 5e8 } });
		expect(Object.values(configuration.hub).every((value) => value === undefined)).toBe(true);
		expect(configuration.tools).toMatchObject({ config: {}, timeouts: {} });
		expect(configuration.tools.timeoutMs).toBeUndefined();
		expect(Object.keys(configuration.limits)).toEqual(['memoryBytes']);
		const held = blocked[0]?.effects.filter(({ isBlocked }) => isBlocked).map(({ name }) => name);
		expect(held).toEqual(
			expect.arrayContaining(['a', 'b', 'c', 'p', 'hub.certsDir', 'tools.config', 'limits.messageBytes']),
		);
		expect(held).not.toContain('limits.memoryBytes');
	});

	it('keeps rules that ask or deny, and none that allows', () => {
		const rules = [
			{ tools: 'a', action: 'allow' },
			{ tools: 'b', action: 'ask' },
			{ tools: 'c', action: 'deny', reason: '${SECRET}' },
		];
		const { configuration, problems } = load({ policy: rules });
		expect(configuration.policy.map((list) => list.map(({ action }) => action))).toEqual([['ask', 'deny']]);
		expect(JSON.stringify([configuration, problems])).not.toContain('the-secret');
		expect(problems[0]?.message).toContain(
			'is ${SECRET}, not set in the environment of a file that is not trusted, which has only HOME',
		);
	});

	it('expands no variable and asks no bridge for one', () => {
		const { configuration, unset, problems } = load({
			mcpServers: { a: { command: '${PROGRAM}', env: { A: '${SECRET}', B: '${NOT_SET}' } } },
			toolList: { always: ['${SECRET}'] },
		});
		expect(unset).toEqual([]);
		expect(JSON.stringify(configuration)).not.toContain('the-secret');
		expect(problems.map(({ key }) => key)).toEqual(['toolList.always.0']);
	});

	it('looks for tools and fragments inside the project only', () => {
		const { configuration, blocked } = load({
			mcpServers: { a: { command: 'x' } },
			tools: { roots: ['./tools', '../other', '/etc', '~/x', 'deep/../../out'] },
			library: { prompts: './prompts', resources: '~/notes' },
		});
		const { root, tools, library } = configuration;
		expect(tools.roots).toEqual([join(root, 'tools')]);
		expect(library).toEqual({ prompts: join(root, 'prompts'), resources: undefined });
		const settings = blocked[0]?.effects.filter(({ kind }) => kind === 'setting').map(({ name }) => name);
		expect(settings).toEqual(['tools.roots', 'library.resources']);
	});

	it('has a sandbox for its tools, but none that replaces that of the user', () => {
		const project = {
			mcpServers: { a: { command: 'x' } },
			tools: {
				sandbox: { network: true },
				sandboxes: { t: { network: true } },
				limits: { memoryBytes: 9e9 },
			},
		};
		const alone = load(project).configuration.tools;
		expect(alone.sandbox?.network).toBe(true);
		expect(alone.sandboxes?.['t']?.network).toBe(true);
		const user = { tools: { sandbox: true }, limits: { memoryBytes: 5e8 } };
		const both = load(project, user).configuration.tools;
		expect(both.sandbox?.network).toBe(false);
		expect(both.sandboxes).toBeUndefined();
		expect(both.limits?.memoryBytes).toBe(5e8);
	});

	it('does not replace views, clients, servers or limits of the user', () => {
		const project = {
			mcpServers: { mine: { command: 'theirs' } },
			views: { small: { allow: ['*'] }, own: { allow: ['a'] } },
			clients: { agent: { view: 'own' } },
			limits: { openFiles: 1e6 },
			toolList: { expose: 'all' },
		};
		const user = {
			mcpServers: { mine: { command: 'prog' } },
			views: { small: { allow: ['read'] } },
			clients: { agent: { view: 'small' } },
			limits: { openFiles: 64 },
			toolList: { expose: 'search' },
		};
		const { configuration } = load(project, user);
		expect(configuration.mcpServers).toMatchObject([{ record: { command: 'prog' } }]);
		expect(configuration.views).toMatchObject({ small: { allow: ['read'] }, own: { allow: ['a'] } });
		expect(configuration.clients['agent']?.view).toBe('small');
		expect(configuration.limits.openFiles).toBe(64);
		expect(configuration.toolList.expose).toBe('search');
	});

	it('counts fully once it is trusted, and with ORCHESTRA_TRUST=all', async () => {
		const project = { mcpServers: { a: { command: '${PROGRAM}' } }, hub: { httpAddr: ':1' } };
		const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': JSON.stringify(project) });
		const environment = { HOME: cwd, XDG_STATE_HOME: join(cwd, 'state'), PROGRAM: 'prog' };
		const count = (more: object = {}): number =>
			loadConfiguration({ cwd, environment: { ...environment, ...more } }).configuration.mcpServers.length;
		expect([count(), count({ ORCHESTRA_TRUST: 'all' }), count({ ORCHESTRA_TRUST: '1' })]).toEqual([0, 1, 0]);
		const bytes = Buffer.from(JSON.stringify(project));
		await TrustRecord.ofUser(environment).trust(join(cwd, 'orchestra.json'), bytes, {});
		expect(count()).toBe(1);
	});

	it('needs no trust when it starts nothing and loosens nothing', () => {
		const project = {
			$schema: 'x',
			tools: { roots: ['./tools'], examples: true },
			library: { prompts: './p' },
		};
		const { blocked, configuration } = load(project);
		expect(blocked).toEqual([]);
		expect(configuration.tools.untrustedFolder).toBeUndefined();
	});

	it('is blocked whatever its values are', () => {
		for (const value of [null, 1, 'x', [], [null], { a: null }, { a: [1] }, [[]]]) {
			for (const key of ['mcpServers', 'plugins', 'hub', 'tools', 'policy', 'library', 'limits']) {
				const { configuration } = load({ [key]: value });
				expect(configuration).toMatchObject({ mcpServers: [], plugins: [] });
			}
		}
	});
});

function load(project: object, user?: object): LoadedConfiguration {
	const home = temporaryFolder();
	writeFiles(home, {
		'work/orchestra.json': JSON.stringify(project),
		...(user && { 'config/orchestra/config.json': JSON.stringify(user) }),
	});
	const environment = {
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		XDG_CONFIG_HOME: join(home, 'config'),
		SECRET: 'the-secret',
		PROGRAM: 'prog',
	};
	return loadConfiguration({ cwd: join(home, 'work'), environment });
}
