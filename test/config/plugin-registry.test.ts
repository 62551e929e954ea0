import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

/** As the `install` command of another Orchestra writes it. */
const registry = {
	plugins: {
		'github.com/a/needs': {
			id: 'tools.needs',
			version: 'v1.2.0',
			binary: '/home/me/.orchestra/plugins/bin/needs',
			repo: 'github.com/a/needs',
			installed_at: '2026-01-01T00:00:00Z',
			provides_tools: ['x'],
			provides_storage: null,
			needs_storage: ['markdown'],
			enabled: true,
		},
		'github.com/a/ai': {
			id: 'ai.x',
			binary: '/bin/ai',
			provides_ai: ['claude'],
			needs_storage: null,
			enabled: true,
		},
		'github.com/a/off': { id: 'tools.off', binary: '/bin/off', enabled: false },
		'github.com/a/old': { id: 'tools.old', binary: '/bin/old', provides_tools: null },
		'github.com/a/damaged': null,
	},
};

describe('the registry of plugins that another Orchestra installed', () => {
	it('is read last, dependencies first, and its plugins run in the project folder', () => {
		const { configuration, problems, cwd, file } = load(JSON.stringify(registry));
		expect(problems).toEqual([]);
		expect(configuration.plugins.map(({ id, isEnabled }) => [id, isEnabled])).toEqual([
			['tools.own', true],
			['ai.x', true],
			['tools.off', false],
			['tools.old', true],
			['tools.needs', true],
		]);
		expect(configuration.plugins[4]).toMatchObject({
			cwd,
			file,
			binary: '/home/me/.orchestra/plugins/bin/needs',
		});
	});

	it('is overridden by the entry of the project with the same id', () => {
		const { configuration } = load(
			JSON.stringify({ plugins: { r: { id: 'tools.own', binary: '/bin/other' } } }),
		);
		expect(configuration.plugins).toMatchObject([{ id: 'tools.own', binary: '/bin/own' }]);
	});

	it('is reported when it is damaged, and hides no other entry', () => {
		const { configuration, problems, file } = load('{"plugins": [');
		expect(configuration.plugins).toHaveLength(1);
		expect(problems[0]?.message).toContain(file);
	});
});

function load(text: string): ReturnType<typeof loadConfiguration> & { cwd: string; file: string } {
	const home = writeFiles(temporaryFolder(), { '.orchestra/plugins/registry.json': text });
	const cwd = writeFiles(temporaryFolder(), {
		'plugins.yaml': 'plugins:\n  - id: tools.own\n    binary: /bin/own\n',
	});
	const file = join(home, '.orchestra/plugins/registry.json');
	return { ...loadConfiguration({ cwd, environment: { HOME: home, ORCHESTRA_TRUST: 'all' } }), cwd, file };
}
