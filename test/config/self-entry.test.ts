import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import {
	HubChain,
	isSelfCommand,
	isStartedBy,
	markedEnvironment,
	refuseSelf,
} from '../../src/config/self-entry.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');

describe('an entry that starts this program itself', () => {
	it.each([
		['mctl', ['serve'], true],
		['/usr/local/bin/mctl', ['bridge'], true],
		['node', [main, 'serve'], true],
		['npx', ['-y', '-p', 'orchestra', 'mctl', 'serve'], true],
		['mctl', ['pipe', 'stdio:cat'], false],
		['mctl', ['bridge', '--orchestrator-addr', 'other:9100'], false],
		['mctl', ['serve', '--config=/elsewhere/orchestra.json'], false],
		['npx', ['-y', 'some-server', 'serve'], false],
		['serve', [], false],
	])('%s %j: %s', (command, args, isOwn) => {
		expect(isSelfCommand({ command, args })).toBe(isOwn);
	});

	it('is skipped with a sentence, and others remain', () => {
		const cwd = writeFiles(temporaryFolder(), {
			'.mcp.json': JSON.stringify({
				mcpServers: {
					orchestra: { command: 'mctl', args: ['serve'] },
					files: { command: 'npx', args: ['-y', 'files'] },
				},
			}),
		});
		const { configuration, skipped, problems } = loadConfiguration({
			cwd,
			environment: { ORCHESTRA_TRUST: 'all' },
		});
		expect(configuration.mcpServers.map(({ name }) => name)).toEqual(['files']);
		expect(skipped).toEqual([
			`"orchestra" in ${join(cwd, '.mcp.json')} is this program itself, so it is not started from here`,
		]);
		expect(problems).toEqual([]);
	});

	it('in the folder of another project is another hub, and remains', () => {
		const other = writeFiles(temporaryFolder(), { 'orchestra.json': '{}' });
		const cwd = writeFiles(temporaryFolder(), {
			'.mcp.json': JSON.stringify({
				mcpServers: { other: { command: 'mctl', args: ['serve'], cwd: other } },
			}),
		});
		expect(
			loadConfiguration({ cwd, environment: { ORCHESTRA_TRUST: 'all' } }).configuration.mcpServers,
		).toHaveLength(1);
	});

	it('behind a wrapper script is recognized by the chain in the environment', () => {
		const cwd = writeFiles(temporaryFolder(), {
			'orchestra.json': JSON.stringify({
				plugins: [
					{ id: 'tools.loop', binary: './loop.sh' },
					{ id: 'tools.other', binary: './other.sh' },
				],
			}),
		});
		const place = { file: join(cwd, 'orchestra.json'), name: 'tools.loop' };
		const environment = {
			...markedEnvironment(markedEnvironment({}, { file: 'x', name: 'y' }), place),
			ORCHESTRA_TRUST: 'all',
		};
		const { configuration, skipped } = loadConfiguration({ cwd, environment });
		expect(configuration.plugins.map(({ id }) => id)).toEqual(['tools.other']);
		expect(skipped).toEqual([
			`"tools.loop" in ${place.file} started this process, so it is not started from here`,
		]);
		expect(isStartedBy(environment, { file: 'x', name: 'y' })).toBe(true);
	});

	it('is refused when the hub of its folder is in the chain, however many hubs are between', () => {
		const first = new HubChain({}, '/one').within({});
		const second = new HubChain(markedEnvironment(first, { file: '/one/x', name: 'e' }), '/two').within({});
		const bridge = markedEnvironment(second, { file: '/two/y', name: 'f' });
		expect(() => refuseSelf(bridge, '/one')).toThrow('was started by the hub of /one, as "/two/y#f"');
		expect(() => refuseSelf(bridge, '/two')).toThrow('was started by the hub of /two');
		expect(() => refuseSelf(bridge, '/three')).not.toThrow();
	});

	it('is refused behind more hubs than a chain has links, also when none of them repeats', () => {
		let environment: NodeJS.ProcessEnv = {};
		const open = (at: number): void => {
			refuseSelf(environment, `/hub-${at}`);
			const children = new HubChain(environment, `/hub-${at}`).within({});
			environment = markedEnvironment(children, { file: `/hub-${at}/x`, name: 'e' });
		};
		for (let at = 0; at < 32; at++) open(at);
		expect(() => open(32)).toThrow('hubs and entries that start each other: 64');
	});

	it('is refused by a hub that a client of this hub was started by, while that client is connected', () => {
		const chain = new HubChain({}, '/one');
		const children = chain.within({ PATH: '/bin' });
		const leave = chain.join(new HubChain({}, '/two').text);
		expect(() => refuseSelf(children, '/two')).toThrow('was started by the hub of /two');
		leave?.();
		expect(() => refuseSelf(children, '/two')).not.toThrow();
		expect(chain.join(chain.text)).toBeUndefined();
	});

	it('is not confused by another program’s variable of the same name', () => {
		const environment = { ORCHESTRA_STARTED_BY: '{not json' };
		expect(isStartedBy(environment, { file: 'x', name: 'y' })).toBe(false);
	});
});
