import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StdioServerEntry } from '../../src/config/configuration.ts';
import { expandVariables } from '../../src/config/expand.ts';
import { type LoadedConfiguration, loadConfiguration } from '../../src/config/load.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

describe('loadConfiguration', () => {
	it('is empty and without problems where there is no file', () => {
		const { configuration, problems } = load({});
		expect(configuration).toMatchObject({ files: [], mcpServers: [], plugins: [], limits: {} });
		expect(configuration.tools.roots).toBeUndefined();
		expect(problems).toEqual([]);
	});

	it('gives a server its own pin mode, else the strictest of all files, else "warn"', () => {
		const servers = (entries: object): string => JSON.stringify(entries);
		const modes = (files: Record<string, string>): (string | undefined)[] =>
			load(files).configuration.mcpServers.map(({ settings }) => settings.pin);
		const mcpServers = { own: { command: 'x', pin: 'off' }, other: { command: 'y' } };
		const user = { 'home/.config/orchestra/config.json': servers({ pin: 'quarantine' }) };
		expect(modes({ 'orchestra.json': servers({ mcpServers }) })).toEqual(['off', 'warn']);
		expect(modes({ 'orchestra.json': servers({ mcpServers, pin: 'off' }), ...user })).toEqual([
			'off',
			'quarantine',
		]);
	});

	it('reads a wrong pin mode as the strictest one, and skips a server with a wrong one', () => {
		const mcpServers = { wrong: { command: 'x', pin: 'hodl' }, right: { command: 'y' } };
		const { configuration, problems } = load({ 'orchestra.json': JSON.stringify({ mcpServers, pin: 1 }) });
		expect(configuration.mcpServers.map(({ name, settings }) => [name, settings.pin])).toEqual([
			['right', 'quarantine'],
		]);
		expect(problems.map(({ key }) => key)).toEqual(['mcpServers.wrong.pin', 'pin']);
	});

	it('reads every section, with absolute paths and expanded variables', () => {
		const { configuration, problems, root } = load(
			{
				'orchestra.json': `{
					// servers
					"mcpServers": { "files": { "command": "./bin/server", "args": ["-y", "\${DIR:-.}"],
						"env": { "TOKEN": "\${TOKEN}" }, "cwd": "sub", "timeoutMs": 5000 } },
					"tools": { "roots": ["./tools"], "config": { "azdo": { "token": "\${TOKEN}" } }, "timeouts": { "x": 5 } },
					"library": { "prompts": "./prompts", "resources": "/abs" },
					"plugins": [ { "id": "a.b", "binary": "bin/p", "args": ["x"], "depends_on": ["c"] } ],
					"limits": { "messageBytes": 1024, "requestMs": 5 },
				}`,
			},
			{ TOKEN: 'secret' },
		);
		expect(problems).toEqual([]);
		expect(configuration.mcpServers[0]).toMatchObject({
			name: 'files',
			kind: 'stdio',
			isEnabled: true,
			record: {
				command: join(root, 'bin/server'),
				args: ['-y', '.'],
				env: { TOKEN: 'secret' },
				cwd: join(root, 'sub'),
				timeoutMs: 5000,
			},
		});
		expect(configuration.tools).toMatchObject({
			roots: [join(root, 'tools')],
			config: { azdo: { token: 'secret' } },
			timeouts: { x: 5 },
		});
		expect(configuration.library).toEqual({ prompts: join(root, 'prompts'), resources: '/abs' });
		expect(configuration.plugins[0]).toMatchObject({
			binary: join(root, 'bin/p'),
			isEnabled: true,
			dependsOn: ['c'],
		});
		expect(configuration.limits).toEqual({ messageBytes: 1024, requestMs: 5 });
	});

	it('reads the .mcp.json of any client unchanged, including unknown keys and remote servers', () => {
		const { configuration, problems } = load({
			'.mcp.json': JSON.stringify({
				mcpServers: {
					one: { type: 'stdio', command: 'npx', args: [], autoApprove: ['x'], disabled: true },
					two: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
					three: { type: 'sse', url: 'http://localhost:1/sse' },
				},
				inputs: [],
			}),
		});
		expect(problems).toEqual([]);
		expect(configuration.mcpServers.map(({ name, kind, isEnabled }) => [name, kind, isEnabled])).toEqual([
			['one', 'stdio', false],
			['two', 'http', true],
			['three', 'sse', true],
		]);
	});

	it('gives every server its settings, with defaults, and reads a string as a stdio: URI', () => {
		const { configuration, problems, root } = load({
			'orchestra.json': JSON.stringify({
				mcpServers: {
					plain: { command: 'a', autoApprove: ['x'] },
					uri: 'stdio:npx -y "some server"',
					own: {
						command: 'a',
						scope: 'session',
						idleMs: 0,
						allow: ['read_*'],
						rename: { old: 'new' },
						prefix: false,
					},
				},
			}),
		});
		expect(problems).toEqual([]);
		const [plain, uri, own] = configuration.mcpServers;
		expect(plain?.settings).toEqual({
			scope: 'shared',
			hasOwnScope: false,
			startMs: 60_000,
			timeoutMs: 30_000,
			maxMs: 600_000,
			idleMs: 600_000,
			concurrency: 64,
			queue: 1000,
			restart: true,
			allow: undefined,
			deny: [],
			rename: {},
			learn: true,
			eager: false,
			alwaysLoad: false,
			prefix: true,
			redact: false,
			record: false,
			pin: 'warn',
			overrides: {},
			select: false,
		});
		expect(uri).toMatchObject({
			kind: 'stdio',
			record: { command: 'npx', args: ['-y', 'some server'], cwd: root },
		});
		expect(own?.settings).toMatchObject({
			scope: 'session',
			idleMs: 0,
			allow: ['read_*'],
			rename: { old: 'new' },
			prefix: false,
		});
	});

	it.each([
		['scope', '"all"', '"shared", "session", "call"'],
		['startMs', '"soon"', 'a whole number above 0'],
		['queue', '-1', 'a whole number, 0 or above'],
		['restart', '"yes"', 'true or false'],
		['allow', '"read_*"', 'an array'],
		['eager', '1', 'true or false'],
		['rename', '{ "a": "x", "b": "x" }', 'a new name of its own for each tool'],
	])('reports a wrong %s of a server with file, line, found and allowed', (key, value, allowed) => {
		const text = `{ "mcpServers": {\n "bad": { "command": "a",\n "${key}": ${value} },\n "good": { "command": "b" } } }`;
		const { configuration, problems } = load({ 'orchestra.json': text });
		expect(problems).toMatchObject([
			{ line: 3, key: expect.stringMatching(`^mcpServers.bad.${key}`), allowed },
		]);
		expect(configuration.mcpServers.map(({ name }) => name)).toEqual(['good']);
	});

	it('reports a string that is no stdio: URI', () => {
		const { problems } = load({ 'orchestra.json': '{ "mcpServers": { "bad": "npx server" } }' });
		expect(problems[0]?.message).toContain(
			'mcpServers.bad is "npx server" (a string); allowed: an object, or a URI',
		);
	});

	it('prefers orchestra.json, finds it from a folder below, and stops at the repository', () => {
		const files = {
			'orchestra.json': '{"limits":{"requestMs":1}}',
			'.mcp.json': '{"mcpServers":{"x":{"command":"x"}}}',
			'deep/er/file': '',
			'repo/.git/HEAD': '',
		};
		const below = load(files, {}, 'deep/er');
		expect(below.configuration.limits).toEqual({ requestMs: 1 });
		expect(below.configuration.mcpServers).toEqual([]);
		expect(below.configuration.root).toBe(below.root);
		expect(load(files, {}, 'repo').configuration.files).toEqual([]);
	});

	it("adds the user's entries, and lets the project win per entry", () => {
		const server = (command: string) => ({ command });
		const { configuration } = load({
			'orchestra.json': JSON.stringify({
				mcpServers: { both: server('project'), mine: server('p') },
				tools: { roots: ['a'], config: { k: 1 } },
				limits: { requestMs: 1 },
				library: { prompts: 'p' },
				plugins: [{ id: 'x', binary: 'project' }],
			}),
			'home/.config/orchestra/config.json': JSON.stringify({
				mcpServers: { both: server('user'), theirs: server('u') },
				tools: { roots: ['b'], config: { k: 2, l: 3 }, timeoutMs: 7 },
				limits: { requestMs: 2, messageBytes: 3 },
				library: { prompts: 'q', resources: 'r' },
				plugins: [
					{ id: 'x', binary: 'user' },
					{ id: 'y', binary: 'user' },
				],
			}),
		});
		const commands = configuration.mcpServers.map((entry) => [
			entry.name,
			(entry as StdioServerEntry).record.command,
		]);
		expect(commands).toEqual([
			['both', 'project'],
			['mine', 'p'],
			['theirs', 'u'],
		]);
		expect(configuration.tools).toMatchObject({ config: { k: 1, l: 3 }, timeoutMs: 7 });
		expect(configuration.tools.roots?.length).toBe(2);
		expect(configuration.limits).toEqual({ requestMs: 1, messageBytes: 3 });
		expect(configuration.library.prompts?.endsWith('/p')).toBe(true);
		expect(configuration.library.resources?.endsWith('/r')).toBe(true);
		expect(configuration.plugins.map(({ id, binary }) => `${id}:${binary}`)).toEqual(['x:project', 'y:user']);
	});

	it.each([
		[
			'{"mcpServers":{"bad":\n{"command":3},"good":{"command":"x"}}}',
			2,
			'mcpServers.bad.command',
			'3 (a number)',
		],
		['{"mcpServers":{"bad":{"args":[]},"good":{"command":"x"}}}', 1, 'mcpServers.bad.command', 'missing'],
		[
			'{"mcpServers":{"bad":{"command":"${NOPE}"},"good":{"command":"x"}}}',
			1,
			'mcpServers.bad.command',
			'${NOPE}, not set',
		],
		[
			'{"mcpServers":{"bad":{"url":"ftp://x"},"good":{"command":"x"}}}',
			1,
			'mcpServers.bad.url',
			'"ftp://x" (a string)',
		],
		[
			'{"mcpServers":{"bad":{"type":"pigeon","command":"y"},"good":{"command":"x"}}}',
			1,
			'mcpServers.bad.type',
			'"pigeon" (a string)',
		],
		[
			'{"mcpServers":{"bad":{"command":"y","timeoutMs":-1},"good":{"command":"x"}}}',
			1,
			'mcpServers.bad.timeoutMs',
			'-1 (a number)',
		],
		[
			'{"mcpServers":{"bad":{"command":"y","env":{"A":{"secret":1}}},"good":{"command":"x"}}}',
			1,
			'mcpServers.bad.env.A',
			'an object',
		],
		[
			'{"mcpServers":{"bad":{"command":"y","args":"z"},"good":{"command":"x"}}}',
			1,
			'mcpServers.bad.args',
			'a string',
		],
		[
			'{"mcpServers":{"bad":{"command":"y","args":["${file:k.txt}"]},"good":{"command":"x"}}}',
			1,
			'mcpServers.bad.args.0',
			'a text with a secret reference',
		],
		[
			'{"tools":{"config":{"a":{"key":"x ${keychain:k}"}}},"mcpServers":{"good":{"command":"x"}}}',
			1,
			'tools.config.a.key',
			'a text with a secret reference',
		],
		['{"tool":{},"mcpServers":{"good":{"command":"x"}}}', 1, 'tool', 'an unknown key'],
		[
			'{"limits":{"requestMs":-1},"mcpServers":{"good":{"command":"x"}}}',
			1,
			'limits.requestMs',
			'-1 (a number)',
		],
		['{"plugins":[{"id":"x"}],"mcpServers":{"good":{"command":"x"}}}', 1, 'plugins.0.binary', 'missing'],
		[
			'{"plugins":[{"id":"x","binary":"y","enabled":1}],"mcpServers":{"good":{"command":"x"}}}',
			1,
			'plugins.0.enabled',
			'1 (a number)',
		],
		['{"tools":{"roots":"x"},"mcpServers":{"good":{"command":"x"}}}', 1, 'tools.roots', '"x" (a string)'],
	])('reports file, line, key and value, and keeps the rest: %s', (text, line, key, found) => {
		const { configuration, problems } = load({ 'orchestra.json': text });
		expect(problems).toHaveLength(1);
		expect(problems[0]).toMatchObject({ line, key, found });
		expect(problems[0]?.message).toContain(`orchestra.json:${line}: ${key} is ${found}; allowed: `);
		expect(configuration.mcpServers.map(({ name }) => name)).toEqual(['good']);
	});

	it('reports a broken file and still reads the other one', () => {
		const { configuration, problems } = load({
			'orchestra.json': '{ "limits": { "requestMs": 1 }\n "x": 1 }',
			'home/.config/orchestra/config.json': '{"limits":{"requestMs":2}}',
		});
		expect(problems[0]).toMatchObject({ line: 2, allowed: ', or }' });
		expect(configuration.limits).toEqual({ requestMs: 2 });
	});

	it.each([
		['orchestra.json', '', true],
		['orchestra.json', '{"plugins":[{"id"', true],
		['orchestra.json', '[]', true],
		['orchestra.json', '{"plugins":[{"id":1}],"unknown":1}', false],
		['plugins.yaml', ' \n', true],
		['plugins.yaml', 'plug', true],
		['plugins.yaml', 'plugins: [', true],
		['plugins.yaml', '# none\n', false],
		['plugins.yaml', 'plugins:\n  - id: [1]\n', false],
	])('says whether a file is broken as a whole: %s with %j, %j', (name, text, isBroken) => {
		const { brokenFiles, root } = load({ [name]: text });
		expect(brokenFiles).toEqual(isBroken ? [join(root, name)] : []);
	});

	it('reports a requested file that is missing, which does not count as broken', () => {
		const cwd = temporaryFolder();
		const { problems, brokenFiles } = loadConfiguration({ cwd, environment: {}, file: join(cwd, 'no.json') });
		expect(problems[0]).toMatchObject({ found: 'missing' });
		expect(brokenFiles).toEqual([]);
	});

	it.each(['orchestra.json', '.mcp.json', 'plugins.yaml'])('never blocks on a pipe named %s', (name) => {
		const cwd = temporaryFolder();
		execFileSync('mkfifo', [join(cwd, name)]);
		const { brokenFiles, problems } = loadConfiguration({ cwd, environment: {} });
		expect(brokenFiles).toEqual([join(cwd, name)]);
		expect(problems[0]?.message).toBe(`${join(cwd, name)} is a named pipe, not a regular file`);
	});

	it.each<[string, (file: string) => void, string]>([
		['a folder', (file) => mkdirSync(file), 'is a folder, not a regular file'],
		['a symlink to itself', (file) => symlinkSync(file, file), 'cannot be read (ELOOP)'],
		['too large', (file) => writeFileSync(file, Buffer.alloc(2 * 1024 ** 2)), 'is larger than 1048576 bytes'],
	])('reports in one sentence that a file is %s', (_, create, sentence) => {
		const cwd = temporaryFolder();
		const file = join(cwd, 'orchestra.json');
		create(file);
		const { brokenFiles, problems } = loadConfiguration({ cwd, environment: {}, file });
		expect(brokenFiles).toEqual([file]);
		expect(problems).toMatchObject([{ message: `${file} ${sentence}`, hint: expect.any(String) }]);
	});

	it.each([
		['plugins.yaml', `plugins: ${'['.repeat(3_000)}`, 'nested deeper than 64 levels'],
		['orchestra.json', '['.repeat(3_000), 'at most 64 levels'],
	])('reports that %s nests too deep', (name, text, why) => {
		const { problems } = load({ [name]: text });
		expect(problems[0]?.message).toContain(why);
	});

	it('reports an unreadable file as broken', () => {
		const cwd = temporaryFolder();
		const { brokenFiles } = loadConfiguration({ cwd, environment: {}, file: cwd });
		expect(brokenFiles).toEqual([cwd]);
	});
});

describe('expandVariables', () => {
	it('takes the names of properties of every object for variables that are not set', () => {
		const text = '${constructor}${toString:-x}';
		expect(expandVariables(text, process.env)).toMatchObject({ text: 'x', unset: ['constructor'] });
	});

	it.each([
		['${A}-${B}', '1-', []],
		['${B:-x}${C:-y}${A:-z}', 'xy1', []],
		['${C} and ${D}', ' and ', ['C', 'D']],
		['$A ${} ${1x} $${A}', '$A ${} ${1x} $1', []],
	])('%s', (text, expanded, unset) => {
		expect(expandVariables(text, { A: '1', B: '' })).toMatchObject({ text: expanded, unset });
	});
});

function load(
	files: Record<string, string>,
	environment: Record<string, string> = {},
	below = '.',
): LoadedConfiguration & { root: string } {
	const root = writeFiles(temporaryFolder(), files);
	mkdirSync(join(root, 'home'), { recursive: true });
	const cwd = join(root, below);
	return {
		...loadConfiguration({
			cwd,
			environment: { HOME: join(root, 'home'), ORCHESTRA_TRUST: 'all', ...environment },
		}),
		root,
	};
}
