import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MctlResult, mctl } from '../../support/mctl.ts';
import { mctlOnScreen } from '../../support/terminal.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const COMMENTED = `{
	// servers
	"mcpServers": {
		"files": { "command": "npx", "args": ["a"] }, // mine
		"off": { "command": "x", "disabled": true },
		"uri": "stdio:cat -u",
	},
	"limits": { "requestMs": 30000 } // half a minute
}
`;

/** What a new file begins with. */
const $schema = 'https://unpkg.com/orchestra-hub/orchestra.schema.json';

describe('mctl add', () => {
	it('adds a command behind the other entries, and keeps comments', async () => {
		const place = openPlace({ 'orchestra.json': COMMENTED });
		const { code, stdout } = await place.run(
			'add',
			'git',
			'-e',
			'A=1',
			'--env',
			'B=x=y',
			'--',
			'uvx',
			'mcp-git',
			'-v',
		);
		expect([code, stdout]).toEqual([0, expect.stringContaining(`+ git in ${place.file('orchestra.json')}`)]);
		expect(place.text('orchestra.json')).toBe(
			COMMENTED.replace(
				'"uri": "stdio:cat -u",\n',
				`"uri": "stdio:cat -u",\n\t\t"git": {\n\t\t\t"command": "uvx",\n\t\t\t"args": [\n\t\t\t\t"mcp-git",\n\t\t\t\t"-v"\n\t\t\t],\n\t\t\t"env": {\n\t\t\t\t"A": "1",\n\t\t\t\t"B": "x=y"\n\t\t\t}\n\t\t},\n`,
			),
		);
		expect((await place.run('list', 'servers')).stdout).toContain('git');
	});

	it('adds a URL with headers', async () => {
		const place = openPlace({});
		await place.run('add', '--transport', 'sse', 'docs', 'https://example.com/sse', '-H', 'X-Team: a: b');
		expect(JSON.parse(place.text('orchestra.json'))).toEqual({
			$schema,
			mcpServers: { docs: { type: 'sse', url: 'https://example.com/sse', headers: { 'X-Team': 'a: b' } } },
		});
	});

	it('adds a WebSocket and a Unix socket', async () => {
		const place = openPlace({});
		await place.run('add', 'live', 'wss://example.com/mcp', '--transport', 'ws');
		await place.run('add', 'local', 'unix:///nowhere/mcp.sock#/mcp');
		expect(JSON.parse(place.text('orchestra.json'))).toEqual({
			$schema,
			mcpServers: {
				live: { type: 'ws', url: 'wss://example.com/mcp' },
				local: { type: 'http', url: 'unix:///nowhere/mcp.sock#/mcp' },
			},
		});
	});

	it('adds to an .mcp.json that is in use, and to the file of the user with --scope user', async () => {
		const place = openPlace({ '.mcp.json': '{"mcpServers":{}}' });
		await place.run('add', 'a', '--', 'cat');
		await place.run('add', 'b', '-s', 'user', '--', './run.sh');
		expect(place.text('.mcp.json')).toBe('{"mcpServers":{"a":{"command":"cat"}}}');
		expect(existsSync(place.file('orchestra.json'))).toBe(false);
		const user = join(place.home, '.config/orchestra/config.json');
		expect(JSON.parse(readFileSync(user, 'utf8'))).toEqual({
			$schema,
			mcpServers: { b: { command: place.file('run.sh') } },
		});
		expect(statSync(user).mode & 0o777).toBe(0o600);
	});

	it('writes a relative program as seen from the file', async () => {
		const place = openPlace({ 'orchestra.json': '{}' });
		mkdirSync(place.file('sub'));
		await mctl(['add', 'a', '--', './run.sh'], { cwd: place.file('sub'), env: place.env });
		expect(JSON.parse(place.text('orchestra.json'))).toEqual({
			mcpServers: { a: { command: './sub/run.sh' } },
		});
	});

	it('points out a secret in plain text without printing it', async () => {
		const place = openPlace({});
		const { stderr, stdout } = await place.run(
			'add',
			'a',
			'-e',
			'TOKEN=ghp_0123456789abcdefghij',
			'--',
			'cat',
		);
		expect(stderr).toContain('TOKEN is in the file in plain text');
		expect(stderr + stdout).not.toContain('ghp_');
	});
});

describe('mctl remove, enable and disable', () => {
	it('remove an entry and keep comments', async () => {
		const place = openPlace({ 'orchestra.json': COMMENTED });
		expect((await place.run('remove', 'off')).code).toBe(0);
		expect(place.text('orchestra.json')).toBe(
			COMMENTED.replace('\t\t"off": { "command": "x", "disabled": true },\n', ''),
		);
	});

	it('disable and enable an entry: the text is the same again', async () => {
		const place = openPlace({ 'orchestra.json': COMMENTED });
		await place.run('disable', 'files');
		expect(place.text('orchestra.json')).toContain('"args": ["a"], "disabled": true }, // mine');
		await place.run('enable', 'files');
		expect(place.text('orchestra.json')).toBe(COMMENTED);
		await place.run('enable', 'off');
		expect(place.text('orchestra.json')).toContain('"off": { "command": "x" },');
		expect((await place.run('enable', 'off')).stdout).toContain('off is enabled already');
	});

	it('disable an entry that is a stdio: URI', async () => {
		const place = openPlace({ 'orchestra.json': '{"mcpServers":{"uri":"stdio:cat -u"}}' });
		await place.run('disable', 'uri');
		expect(place.text('orchestra.json')).toBe(
			'{"mcpServers":{"uri":{"command":"cat","args":["-u"],"disabled":true}}}',
		);
	});

	it('disable and enable a plugin of any file, and say when that file is not read', async () => {
		const yaml = 'plugins:\n  - id: a.b # mine\n    binary: ./x\n';
		const place = openPlace({ 'orchestra.json': COMMENTED, 'plugins.yaml': yaml });
		const { stdout, stderr } = await place.run('disable', 'a.b');
		expect([stdout, stderr]).toEqual([`~ a.b is disabled in ${place.file('plugins.yaml')}\n`, '']);
		expect(place.text('plugins.yaml')).toContain('- id: a.b # mine\n    enabled: false\n');
		expect((await place.run('list', 'plugins')).stdout).toMatch(/a\.b +disabled/);
		expect((await place.run('enable', 'a.c')).stderr).toContain('did you mean: a.b');
		writeFiles(place.cwd, { 'orchestra.json': '{"plugins":[]}' });
		expect((await place.run('enable', 'a.b')).stderr).toContain('plugins.yaml is not read, because');
	});

	it('edit the file that has the entry, and say when that file is not read', async () => {
		const place = openPlace({ 'orchestra.json': '{}', '.mcp.json': '{"mcpServers":{"a":{"command":"x"}}}' });
		const { stderr } = await place.run('disable', 'a');
		expect(stderr).toContain(
			`${place.file('.mcp.json')} is not read, because ${place.file('orchestra.json')} is`,
		);
		expect(place.text('.mcp.json')).toBe('{"mcpServers":{"a":{"command":"x","disabled":true}}}');
	});

	it('find an entry of the user when the project has none', async () => {
		const place = openPlace({ 'orchestra.json': '{}' });
		await place.run('add', 'mine', '-s', 'user', '--', 'cat');
		expect((await place.run('remove', 'mine')).stdout).toContain('.config/orchestra/config.json');
	});
});

const wrong: [string[], string][] = [
	[['add'], 'mctl add needs a name, and a command or a URL'],
	[['add', 'x'], 'mctl add x needs a command after --, or a URL'],
	[['add', 'a b', '--', 'cat'], '"a b" is not a name'],
	[['add', 'files', '--', 'cat'], 'has a server "files" already'],
	[['add', 'x', 'cat', '-u'], 'there is no flag -u'],
	[['add', 'x', '--transport', 'smoke', '--', 'cat'], '--transport takes stdio, http, sse, ws, not "smoke"'],
	[['add', 'x', '-t', 'http', 'cat'], '"cat" is not an http://, https://, ws://, wss:// or unix:/// address'],
	[['add', 'x', '-t', 'ws', 'https://a.b'], '--transport ws is not for https://a.b'],
	[['add', 'x', '-t', 'sse', 'wss://a.b'], '--transport sse is not for wss://a.b'],
	[['add', 'x', 'unix://a.sock'], '"unix://a.sock" is not'],
	[['add', 'x', '-t', 'stdio', 'https://a.b'], 'https://a.b is a URL'],
	[['add', 'x', 'https://a.b', 'more'], 'unexpected argument "more" after the URL'],
	[['add', 'x', 'https://a.b', '-e', 'A=1'], '--env is for a command'],
	[['add', 'x', '-H', 'A: 1', '--', 'cat'], '--header is for a URL'],
	[['add', 'x', '-e', 'A', '--', 'cat'], '--env takes KEY=VALUE'],
	[['add', 'x', 'https://a.b', '-H', 'nothing'], "--header takes 'Name: value'"],
	[['add', 'x', '-s', 'world', '--', 'cat'], '--scope takes project or user, not "world"'],
	[['add', 'x', '--', 'mctl', 'serve'], '"mctl serve" is this program itself'],
	[['remove'], 'mctl remove needs the name of a server'],
	[['remove', 'a', 'b'], 'unexpected argument "b": mctl remove takes the name of a server'],
	[['remove', 'fils'], 'there is no server "fils"'],
	[['enable', 'constructor'], 'there is no server or plugin "constructor"'],
	[['disable', 'files', '-s', 'user'], 'there is no server or plugin "files"'],
];

describe('wrong usage', () => {
	it.each(wrong)('of %j: %s', async (args, message) => {
		const place = openPlace({ 'orchestra.json': COMMENTED });
		const { code, stderr, stdout } = await place.run(...args);
		expect([code, stdout, stderr]).toEqual([64, '', expect.stringMatching(/^mctl: .*\nhint: .*\n$/)]);
		expect(stderr).toContain(message);
		expect(place.text('orchestra.json')).toBe(COMMENTED);
	});

	it('names the nearest server', async () => {
		const place = openPlace({ 'orchestra.json': COMMENTED });
		expect((await place.run('remove', 'fils')).stderr).toContain('hint: did you mean: files');
	});

	it('names the line of a broken file and leaves it alone', async () => {
		const place = openPlace({ 'orchestra.json': '{\n  oops\n}' });
		const { code, stderr } = await place.run('add', 'x', '--', 'cat');
		expect([code, stderr]).toEqual([64, expect.stringContaining('orchestra.json:2: expected a key')]);
		expect(place.text('orchestra.json')).toBe('{\n  oops\n}');
	});
});

describe.each([60, 120])('on a terminal of %i columns', (columns) => {
	it.each([
		[['add', 'x', '--', 'cat'], 0, '+'],
		[['remove', 'files'], 0, '-'],
		[['disable', 'files'], 0, '~'],
		[['enable', 'off'], 0, '~'],
		[['remove', 'fils'], 64, 'did you mean: files'],
		[['add', 'files', '--', 'cat'], 64, 'already'],
		[['enable', 'of'], 64, 'did you mean: off'],
		[['disable', 'ur'], 64, 'did you mean: uri'],
	] as const)('%j ends with %i', async (args, expected, shown) => {
		const { cwd, env } = openPlace({ 'orchestra.json': COMMENTED });
		const { code, screen } = await mctlOnScreen([...args], { cwd, env, columns });
		expect([code, screen]).toEqual([expected, expect.stringContaining(shown)]);
	});
});

interface Place {
	readonly home: string;
	readonly cwd: string;
	readonly env: Record<string, string>;
	file(name: string): string;
	text(name: string): string;
	run(...words: string[]): Promise<MctlResult>;
}

function openPlace(files: Record<string, string>): Place {
	const home = temporaryFolder();
	const cwd = join(home, 'work');
	mkdirSync(cwd);
	writeFiles(cwd, files);
	const env = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' };
	const file = (name: string): string => join(cwd, name);
	return {
		home,
		cwd,
		env,
		file,
		text: (name) => readFileSync(file(name), 'utf8'),
		run: (...words) => mctl(words, { cwd, env }),
	};
}
