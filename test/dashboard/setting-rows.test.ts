/* The rows of the settings, over files that the configuration really merges. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { settingRows } from '../../src/dashboard/views/setting-rows.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const user = {
	mcpServers: { both: { command: 'user' }, own: { command: 'own' } },
	tools: { roots: ['/user'], timeouts: { one: 1, two: 2 }, timeoutMs: 5 },
	hub: { idleMs: 7 },
	pin: 'quarantine',
	policy: [{ tools: 'u', action: 'deny' }],
	toolList: { always: ['u'] },
};
const project = {
	$schema: 'x',
	mcpServers: { both: { command: 'project' }, bad: { command: 5 } },
	tools: { roots: ['tools'], timeouts: { one: 11 }, config: { a: { list: ['hidden'] } } },
	hub: { idleMs: 9, listenAddr: ':1' },
	pin: 'warn',
	policy: [
		{ tools: 'p', action: 'deny' },
		{ tools: 'q', action: 'allow' },
	],
	toolList: { always: ['p'] },
};

describe('settingRows', () => {
	it('has what counts of two files: entries, keys, joined lists, all rules and the stricter pin', () => {
		expect(rowsOf({ ORCHESTRA_TRUST: 'all' })).toEqual([
			'mcpServers.both.command="project" orchestra.json:5',
			'tools.roots=["tools"] orchestra.json:12',
			'tools.timeouts.one=11 orchestra.json:16',
			'tools.config.a.list="•••" orchestra.json:20',
			'hub.idleMs=9 orchestra.json:27',
			'hub.listenAddr=":1" orchestra.json:28',
			'policy.0.tools="p" orchestra.json:33',
			'policy.0.action="deny" orchestra.json:34',
			'policy.1.tools="q" orchestra.json:37',
			'policy.1.action="allow" orchestra.json:38',
			'toolList.always=["p"] orchestra.json:42',
			'mcpServers.own.command="own" config.json:7',
			'tools.roots=["/user"] config.json:11',
			'tools.timeouts.two=2 config.json:16',
			'tools.timeoutMs=5 config.json:18',
			'pin="quarantine" config.json:23',
			'policy.2.tools="u" config.json:26',
			'policy.2.action="deny" config.json:27',
			'toolList.always=["u"] config.json:31',
		]);
	});

	it('has the values of a file that is not trusted last, and marks those that are blocked', () => {
		const rows = rowsOf({});
		const held = rows.filter((row) => row.endsWith('(blocked until mctl trust)'));
		expect(held.map((row) => row.split('=')[0])).toEqual([
			'mcpServers.both.command',
			'mcpServers.bad.command',
			'tools.timeouts.one',
			'tools.config.a.list',
			'hub.idleMs',
			'hub.listenAddr',
			'pin',
			'policy.1.tools',
			'policy.1.action',
		]);
		expect(rows.slice(0, 2).map((row) => row.split(' ')[0])).toEqual([
			'mcpServers.both.command="user"',
			'mcpServers.own.command="own"',
		]);
		expect(rows).toContain('policy.1.tools="p" orchestra.json:33');
		expect(rows).toContain('tools.roots=["tools"] orchestra.json:12');
	});

	it('masks the fixed values of overrides, and names their references', () => {
		const parameters = {
			a: { hidden: true, value: 'masked' },
			b: { hidden: true, value: ['masked'] },
			c: { hidden: true, value: `\${TENANT}` },
			d: { default: 'shown' },
		};
		const mcpServers = { s: { overrides: { read: { parameters } } } };
		const rows = rowsOf({}, { 'orchestra.json': JSON.stringify({ mcpServers }) });
		expect(rows.map((row) => row.split('.').slice(5).join('.').split(' ')[0])).toEqual([
			'a.hidden=true',
			'a.value="•••"',
			'b.hidden=true',
			'b.value="•••"',
			'c.hidden=true',
			`c.value="\${TENANT}"`,
			'd.default="shown"',
		]);
	});

	it('has the plugins of a plugins.yaml and its addresses', () => {
		const yaml = 'listen_addr: ":2"\nplugins:\n  - id: one\n    binary: ./one\n    env:\n      KEY: hidden\n';
		expect(rowsOf({ ORCHESTRA_TRUST: 'all' }, { 'plugins.yaml': yaml })).toEqual([
			'hub.listenAddr=":2" plugins.yaml:1',
			'plugins.one.id="one" plugins.yaml:3',
			'plugins.one.binary="./one" plugins.yaml:4',
			'plugins.one.env.KEY="•••" plugins.yaml:6',
		]);
	});
});

function rowsOf(more: Record<string, string>, files?: Record<string, string>): string[] {
	const home = temporaryFolder();
	const text = (value: object): string => JSON.stringify(value, null, 2);
	const own = { 'work/orchestra.json': text(project), '.config/orchestra/config.json': text(user) };
	const named = Object.entries(files ?? {}).map(([name, content]) => [`work/${name}`, content]);
	writeFiles(home, files ? Object.fromEntries(named) : own);
	const environment = { HOME: home, ...more };
	const rows = settingRows(loadConfiguration({ cwd: join(home, 'work'), environment }));
	return rows.map(({ key, value, source }) => `${key}=${value} ${source.replace(/^.*[/\\]/, '')}`);
}
