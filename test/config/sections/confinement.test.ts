import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LoadedConfiguration, loadConfiguration } from '../../../src/config/load.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('sandbox and limits', () => {
	test('true is the whole system to read and the project to write, without a network', () => {
		const { configuration } = load({ mcpServers: { one: { command: 'cat', sandbox: true } } });
		const { root } = configuration;
		const [server] = configuration.mcpServers;
		expect(server).toMatchObject({
			record: { sandbox: { write: [root], read: ['/'], network: false } },
		});
	});

	test('relative paths are below the project and ~ is the home folder', () => {
		const sandbox = { read: ['/usr', 'data', '~/.nvm'], write: [], network: true };
		const { configuration } = load({ mcpServers: { one: { command: 'cat', sandbox } } });
		const read = ['/usr', join(configuration.root, 'data'), '/home/me/.nvm'];
		expect(configuration.mcpServers[0]).toMatchObject({ record: { sandbox: { ...sandbox, read } } });
	});

	test('an entry without either has neither', () => {
		const { configuration } = load({ mcpServers: { one: { command: 'cat' } }, plugins: [plugin] });
		const [server] = configuration.mcpServers;
		expect(server?.kind === 'stdio' && Object.keys(server.record)).not.toContain('sandbox');
		expect(configuration.plugins[0]).toMatchObject({ sandbox: undefined, limits: undefined });
		expect(configuration.tools).not.toHaveProperty('sandbox');
	});

	test('an unknown or wrong key is a problem, and the entry does not start without its sandbox', () => {
		for (const sandbox of [{ writes: ['.'] }, { network: 'no' }, 'yes', { read: '/' }]) {
			const { configuration, problems } = load({ mcpServers: { one: { command: 'cat', sandbox } } });
			expect(problems).toHaveLength(1);
			expect(configuration.mcpServers).toEqual([]);
		}
	});

	test('one tool may have a sandbox of its own', () => {
		const { configuration } = load({ tools: { sandboxes: { one: true, other: { network: true } } } });
		expect(configuration.tools.sandboxes).toMatchObject({
			one: { network: false },
			other: { network: true },
		});
		expect(configuration.tools.sandbox).toBeUndefined();
	});

	test('a plugin cannot be without the network', () => {
		const { configuration, problems } = load({ plugins: [{ ...plugin, sandbox: true }] });
		expect(problems.map(({ key }) => key)).toEqual(['plugins.0.sandbox']);
		expect(configuration.plugins).toEqual([]);
	});

	test('limits for all children apply where an entry has none of its own', () => {
		const { configuration } = load({
			limits: { openFiles: 100, memoryBytes: 1000 },
			mcpServers: { one: { command: 'cat', limits: { openFiles: 5 } } },
			plugins: [plugin],
			tools: { limits: { processes: 7 } },
		});
		expect(configuration.mcpServers[0]).toMatchObject({
			record: { limits: { openFiles: 5, memoryBytes: 1000 } },
		});
		expect(configuration.plugins[0]?.limits).toMatchObject({ openFiles: 100, memoryBytes: 1000 });
		expect(configuration.tools.limits).toMatchObject({ processes: 7, openFiles: 100 });
	});
});

const plugin = { id: 'p', binary: 'cat' };

function load(content: object): LoadedConfiguration {
	const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': JSON.stringify(content) });
	return loadConfiguration({ cwd, environment: { HOME: '/home/me' }, file: join(cwd, 'orchestra.json') });
}
