import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LoadedConfiguration, loadConfiguration } from '../../src/config/load.ts';
import { parseConfigText } from '../../src/config/plugins-yaml.ts';
import { OrchestraError } from '../../src/errors.ts';
import { bundle } from '../support/bundle.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const existing = `# Address of the orchestrator
listen_addr: "localhost:50100"
tcp_addr: "127.0.0.1:50101"
certs_dir: "~/.orchestra/certs"

plugins:
  - id: storage.markdown
    binary: ./bin/storage-markdown
    enabled: true
    provides_storage:
      - markdown
    args:
      - --workspace=.
    config:
      workspace: "."
  - id: ai.openai
    binary: my-plugin
    enabled: no
    provides_ai: [openai, grok]
    depends_on: [storage.markdown]
    env:
      PORT: 8080
      RELEASE: 1.10
      EMPTY:
    args:
`;

describe('a plugins.yaml of an existing Orchestra', () => {
	it('is read unchanged', () => {
		const { configuration, problems, root } = load({ 'plugins.yaml': existing });
		expect(problems).toEqual([]);
		expect(configuration.hub).toEqual({
			listenAddr: 'localhost:50100',
			tcpAddr: '127.0.0.1:50101',
			certsDir: join(root, 'home/.orchestra/certs'),
		});
		const file = join(root, 'plugins.yaml');
		expect(configuration.plugins).toEqual([
			{
				id: 'storage.markdown',
				binary: join(root, 'bin/storage-markdown'),
				args: ['--workspace=.'],
				env: {},
				config: { workspace: '.' },
				isEnabled: true,
				providesStorage: ['markdown'],
				providesAi: [],
				dependsOn: [],
				file,
			},
			{
				id: 'ai.openai',
				binary: 'my-plugin',
				args: [],
				env: { PORT: '8080', RELEASE: '1.10', EMPTY: '' },
				config: {},
				isEnabled: false,
				providesStorage: [],
				providesAi: ['openai', 'grok'],
				dependsOn: ['storage.markdown'],
				file,
			},
		]);
		expect(configuration.files).toEqual([file]);
	});

	it('is found next to an orchestra.json without a plugins key, and adds to it', () => {
		const { configuration, root } = load({
			'orchestra.json': '{"mcpServers": {"a": {"command": "a"}}, "hub": {"listenAddr": ":9100"}}',
			'plugins.yaml': existing,
		});
		expect(configuration.files).toEqual([join(root, 'orchestra.json'), join(root, 'plugins.yaml')]);
		expect(configuration.mcpServers).toHaveLength(1);
		expect(configuration.plugins).toHaveLength(2);
		expect(configuration.hub).toMatchObject({ listenAddr: ':9100', tcpAddr: '127.0.0.1:50101' });
	});

	it.each(['[]', '[{"id": "x", "binary": "x"}]'])(
		'is left alone when orchestra.json says plugins: %s',
		(plugins) => {
			const { configuration, root } = load({
				'orchestra.json': `{"plugins": ${plugins}}`,
				'plugins.yaml': existing,
			});
			expect(configuration.files).toEqual([join(root, 'orchestra.json')]);
			expect(configuration.plugins).toHaveLength(JSON.parse(plugins).length);
		},
	);

	it('resolves a program without a slash next to the file, else on PATH', () => {
		const text = 'plugins:\n  - { id: a.here, binary: mine }\n  - { id: a.path, binary: node }\n';
		const { configuration, root } = load({ 'plugins.yaml': text, mine: '#!/bin/sh\n' });
		expect(configuration.plugins.map(({ binary }) => binary)).toEqual([join(root, 'mine'), 'node']);
	});

	it('makes its folder the project, from any folder below', () => {
		const { configuration, root } = load({ 'plugins.yaml': existing, 'deep/er/x': '' }, { cwd: 'deep/er' });
		expect(configuration.root).toBe(root);
		expect(configuration.plugins).toHaveLength(2);
	});

	it('can be named outright, and then nothing else is read', () => {
		const files = { 'other/mine.yml': existing, 'orchestra.json': '{"mcpServers": {"a": {"command": "a"}}}' };
		const { configuration, root } = load(files, { file: 'other/mine.yml' });
		expect(configuration.plugins[0]?.binary).toBe(join(root, 'other/bin/storage-markdown'));
		expect(configuration.mcpServers).toEqual([]);
	});

	it('may be empty, or hold only keys without values', () => {
		for (const text of ['', '# nothing\n', 'plugins:\n', 'listen_addr: ""\nplugins: []\n']) {
			const { configuration, problems } = load({ 'plugins.yaml': text });
			expect([problems, configuration.plugins, configuration.hub.listenAddr]).toEqual([[], [], undefined]);
		}
	});

	it('may share values through anchors and merge keys', () => {
		const { configuration, problems } = load({
			'plugins.yaml':
				'plugins:\n  - &base\n    id: a\n    binary: a\n    args: [x]\n  - <<: *base\n    id: b\n',
		});
		expect(problems).toEqual([]);
		expect(configuration.plugins.map(({ id, binary, args }) => [id, binary, args])).toEqual([
			['a', 'a', ['x']],
			['b', 'a', ['x']],
		]);
	});

	it('may confine a plugin', () => {
		const sandbox = '{ write: [data], network: yes }';
		const { configuration, problems, root } = load({
			'plugins.yaml': `plugins:\n  - id: a\n    binary: a\n    sandbox: ${sandbox}\n    limits: { processes: 9 }\n`,
		});
		expect(problems).toEqual([]);
		expect(configuration.plugins).toMatchObject([
			{ sandbox: { write: [join(root, 'data')], network: true }, limits: { processes: 9 } },
		]);
	});

	it('expands variables', () => {
		const text =
			'plugins:\n  - id: a\n    binary: a\n    env:\n      TOKEN: ${TOKEN}\n      OTHER: ${NONE:-x}\n';
		const { configuration } = load({ 'plugins.yaml': text }, { environment: { TOKEN: 't' } });
		expect(configuration.plugins[0]?.env).toEqual({ TOKEN: 't', OTHER: 'x' });
	});
});

describe('an error in a plugins.yaml', () => {
	it.each([
		['plugins:\n  - binary: x\n', 2, 'plugins.0.id', 'missing'],
		[
			'plugins:\n  - id: x\n\n    binary: x\n    enabled: maybe\n',
			5,
			'plugins.0.enabled',
			'"maybe" (a string)',
		],
		['plugins:\n  - id: x\n    binary: x\n    args: one\n', 4, 'plugins.0.args', 'a string'],
		['plugins:\n  - id: x\n    binary: x\n    env: [a]\n', 4, 'plugins.0.env', 'an array'],
		['plugins:\n  - just text\n', 2, 'plugins.0', '"just text" (a string)'],
		['plugins: text\n', 1, 'plugins', '"text" (a string)'],
		['\nlisten_addr: nowhere\n', 2, 'listen_addr', '"nowhere" (a string)'],
		['\nlisten_addr: a:99999\n', 2, 'listen_addr', '"a:99999" (a string)'],
		['\n\nlisten: x:1\n', 3, 'listen', 'an unknown key'],
		['plugins:\n  - id: x\n    binary: ${NONE}\n', 3, 'plugins.0.binary', '${NONE}, not set'],
	])('in %j is reported with its location', (...row) => {
		const [text, line, key, found] = row;
		const { problems, root } = load({ 'plugins.yaml': text });
		expect(problems).toHaveLength(1);
		expect(problems[0]).toMatchObject({ file: join(root, 'plugins.yaml'), line, key, found });
		expect(problems[0]?.allowed).not.toBe('');
	});

	it('skips that entry and no other', () => {
		const text =
			'listen_addr: bad\nplugins:\n  - id: a\n    binary: a\n    enabled: maybe\n  - id: b\n    binary: b\n';
		const { configuration, problems } = load({ 'plugins.yaml': text });
		expect(problems.map(({ line }) => line)).toEqual([1, 5]);
		expect(configuration.plugins.map(({ id }) => id)).toEqual(['b']);
	});

	it('for an unknown key is reported and the plugin remains', () => {
		const { configuration, problems } = load({
			'plugins.yaml': 'plugins:\n  - id: a\n    binary: a\n    depend_on: [b]\n',
		});
		expect(problems).toMatchObject([{ line: 4, key: 'plugins.0.depend_on', found: 'an unknown key' }]);
		expect(configuration.plugins).toHaveLength(1);
	});

	it('in its syntax is reported with the line, and the other files are still used', () => {
		const { configuration, problems } = load({
			'orchestra.json': '{"mcpServers": {"a": {"command": "a"}}}',
			'plugins.yaml': 'plugins:\n  - id: "a\n',
		});
		expect(problems).toHaveLength(1);
		expect(problems[0]?.message).toMatch(/plugins\.yaml:\d: the file is not valid YAML/);
		expect(configuration.mcpServers).toHaveLength(1);
	});

	it('never shows the value of a variable or of a setting', () => {
		const text =
			'plugins:\n  - id: a\n    binary: a\n    env:\n      TOKEN: [hunter2]\n    config:\n      key: {a: hunter2}\n';
		const { problems } = load({ 'plugins.yaml': text });
		expect(problems).toHaveLength(2);
		expect(JSON.stringify(problems)).not.toContain('hunter2');
	});

	it('is the worst outcome of any text', () => {
		const opening = [
			'plugins:',
			'  - id: a',
			'    binary: ./a',
			'    env:',
			'      A: 1',
			'    args: [',
			'&a',
			'*a',
		];
		const noise = [
			'- ',
			'? x',
			'---',
			'...',
			'\t',
			'"',
			"'",
			'{',
			']',
			'plugins: &p [*p]',
			'x: !!binary ==',
			'<<: *a',
		];
		const line = fc.constantFrom(...opening, ...noise);
		const text = fc.oneof(
			fc.array(line).map((lines) => lines.join('\n')),
			fc.string(),
		);
		fc.assert(
			fc.property(text, (garbage) => {
				try {
					const document = parseConfigText(garbage, 'plugins.yaml');
					expect(document.lineOf(['plugins', '0', 'id'])).toBeGreaterThan(0);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
			{ numRuns: 500 },
		);
	});
});

describe('the hub section of orchestra.json', () => {
	it('sets the addresses of the hub and its certificate folder', () => {
		const { configuration, problems, root } = load({
			'orchestra.json': '{"hub": {"listenAddr": "localhost:1", "tcpAddr": "[::1]:2", "certsDir": "./certs"}}',
		});
		expect(problems).toEqual([]);
		expect(configuration.hub).toEqual({
			listenAddr: 'localhost:1',
			tcpAddr: '[::1]:2',
			certsDir: join(root, 'certs'),
		});
	});

	it('may be absent', () => {
		const { configuration } = load({});
		expect(configuration.hub).toEqual({
			listenAddr: undefined,
			tcpAddr: undefined,
			certsDir: undefined,
		});
	});

	it('reports its problems', () => {
		const { problems } = load({ 'orchestra.json': '{"hub": {\n"listenAddr": 9100,\n"port": 1}}' });
		expect(problems.map(({ line, key }) => `${line} ${key}`)).toEqual(['3 hub.port', '2 hub.listenAddr']);
	});

	it('can be completed by the user’s own file', () => {
		const { configuration } = load({
			'orchestra.json': '{"hub": {"listenAddr": "localhost:1"}}',
			'home/.config/orchestra/config.json':
				'{"hub": {"listenAddr": "localhost:2", "tcpAddr": "localhost:3"}}',
		});
		expect(configuration.hub).toMatchObject({ listenAddr: 'localhost:1', tcpAddr: 'localhost:3' });
	});
});

describe('a project without a plugins.yaml', () => {
	it('does not load the YAML parser', async () => {
		const program = await bundle(resolve(import.meta.dirname, '../fixtures/loads-yaml.mjs'));
		const env = { NODE_PATH: resolve(import.meta.dirname, '../../node_modules') };
		const count = (cwd: string): string =>
			spawnSync(process.execPath, [program], { cwd, env, encoding: 'utf8' }).stdout.trim();
		expect(count(temporaryFolder())).toBe('0');
		expect(Number(count(writeFiles(temporaryFolder(), { 'plugins.yaml': '' })))).toBeGreaterThan(0);
	});
});

interface Loaded extends LoadedConfiguration {
	root: string;
}

function load(
	files: Record<string, string>,
	more: { cwd?: string; file?: string; environment?: Record<string, string> } = {},
): Loaded {
	const root = writeFiles(temporaryFolder(), { '.git/HEAD': '', ...files });
	const { cwd = '.', file, environment = {} } = more;
	const loaded = loadConfiguration({
		cwd: resolve(root, cwd),
		environment: { HOME: join(root, 'home'), ORCHESTRA_TRUST: 'all', ...environment },
		file: file === undefined ? undefined : join(root, file),
	});
	return { ...loaded, root };
}
