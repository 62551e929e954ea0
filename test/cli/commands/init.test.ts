import { once } from 'node:events';
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseJsonc } from '../../../src/config/jsonc.ts';
import { firstOf, runsAllTests } from '../../support/all-tests.ts';
import { type ClientHome, clientHome, SECRET, snapshot } from '../../support/client-home.ts';
import { type MctlResult, mctl, startMctl } from '../../support/mctl.ts';
import { livingWith } from '../../support/programs.ts';
import { hasTerminal, mctlInTerminal } from '../../support/terminal.ts';
import { until } from '../../support/waiting.ts';
import { writeFiles } from '../../support/workspace.ts';

const main = join(import.meta.dirname, '../../../dist/cli/main.js');

/** Each client: its file, the keys to our entry, a server of its own, and the folder it starts us in. */
const written: readonly [file: string, keys: string[], server: string, folder: 'work' | '.'][] = [
	['.claude.json', ['mcpServers', 'orchestra'], 'from-claude-code', 'work'],
	['work/.mcp.json', ['mcpServers', 'orchestra'], 'from-claude-project', 'work'],
	['.config/Claude/claude_desktop_config.json', ['mcpServers', 'orchestra'], 'from-claude-desktop', '.'],
	['.cursor/mcp.json', ['mcpServers', 'orchestra'], 'from-cursor', 'work'],
	['work/.cursor/mcp.json', ['mcpServers', 'orchestra'], 'from-cursor-project', 'work'],
	['.config/Code/User/mcp.json', ['servers', 'orchestra'], 'from-vscode', '.'],
	['work/.vscode/mcp.json', ['servers', 'orchestra'], 'from-vscode-project', 'work'],
	['.codeium/windsurf/mcp_config.json', ['mcpServers', 'orchestra'], 'from-windsurf', '.'],
	['.codex/config.toml', ['mcp_servers', 'orchestra'], 'from-codex', 'work'],
	['work/.codex/config.toml', ['mcp_servers', 'orchestra'], 'from-codex-project', 'work'],
	['.gemini/settings.json', ['mcpServers', 'orchestra'], 'from-gemini', 'work'],
	['.config/zed/settings.json', ['context_servers', 'orchestra'], 'from-zed', 'work'],
	['.continue/mcpServers/orchestra.yaml', ['mcpServers', '0'], 'from-continue', 'work'],
	['.config/opencode/opencode.json', ['mcp', 'orchestra'], 'from-opencode', 'work'],
	['work/opencode.jsonc', ['mcp', 'servers', 'orchestra'], 'from-opencode-project', 'work'],
	[
		'.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
		['mcpServers', 'orchestra'],
		'from-cline',
		'.',
	],
];

describe('mctl init --yes', () => {
	it('moves every client in, calls work through every written entry, and --undo restores every byte', async () => {
		const place = clientHome();
		const before = snapshot(place.home);
		onTestFinished(() => stopHubs(place), 60_000);
		const { code, stdout, stderr } = await init(place, '--yes');
		expect([code, stdout]).toEqual([0, expect.stringContaining('Undo: mctl init --undo')]);
		expect(stdout + stderr).not.toContain(SECRET);
		for (const [file, keys, server, folder] of written.filter((_, at) => runsAllTests || at % 4 === 0)) {
			const text = await callThrough(place, { file, keys, server, folder });
			expect([file, text]).toEqual([file, `${server.replace('from-', '')} hello`]);
		}
		await stopHubs(place);
		const undone = await init(place, '--undo');
		expect([undone.code, undone.stderr]).toEqual([0, '']);
		expect(snapshot(place.home)).toEqual(before);
	});

	it('writes the servers of the user to the user, and those of the project to orchestra.json', async () => {
		const place = clientHome();
		await init(place, '--yes');
		const user = Object.keys(serversIn(place, '.config/orchestra/config.json'));
		const project = Object.keys(serversIn(place, 'work/orchestra.json'));
		expect(user).toEqual(expect.arrayContaining(['files', 'files-cline', 'from-cursor', 'remote']));
		expect(project.toSorted()).toEqual([
			'from-claude-local',
			'from-claude-project',
			'from-codex-project',
			'from-continue-project',
			'from-cursor-project',
			'from-opencode-project',
			'from-vscode-project',
		]);
		expect(serversIn(place, '.config/orchestra/config.json')['remote']).toEqual({
			type: 'http',
			url: 'https://mcp.example.com/mcp',
			headers: { Authorization: 'Bearer ${REMOTE}' },
			disabled: true,
		});
	});

	it('changes nothing but the edit: comments, line endings, marks and unknown keys stay', async () => {
		const place = clientHome();
		await init(place, '--yes');
		expect(textOf(place, '.cursor/mcp.json')).toMatch(
			/^\{\n\t\/\/ my servers\n\t"mcpServers": \{\n\t\t"orchestra": \{[^]*\n\t\t\}\n\t\t\/\/ the same as everywhere\n\t\t\/\* a token, in plain text \*\/\n\t\},\n\}\n$/,
		);
		const desktop = textOf(place, '.config/Claude/claude_desktop_config.json');
		expect(desktop).toMatch(/^\uFEFF\{\r\n {2}"mcpServers": \{\r\n {4}"orchestra": \{\r\n/);
		expect(desktop).toMatch(/\r\n {2}\},\r\n {2}"globalShortcut": ""\r\n\}\r\n$/);
		expect(textOf(place, '.codex/config.toml')).toMatch(
			/^# Codex\nmodel = "o3" # the best\n\n# profiles\n\[profiles\."my \[one\]"\]\nmodel = '''\n\[mcp_servers\.from-codex\]'''\n\n\[mcp_servers\.orchestra\]\ncommand = /,
		);
		expect(textOf(place, '.continue/config.yaml')).toBe(
			'name: Mine\nversion: 1.0.0\nschema: v1\n# servers\nmcpServers: []\nmodels: [] # none\n',
		);
		expect(textOf(place, '.claude.json')).toContain('"/somewhere/else": { "mcpServers": { "elsewhere":');
	});

	it('does nothing the second time', async () => {
		const place = clientHome();
		await init(place, '--yes');
		const before = snapshot(place.home);
		const { code, stdout } = await init(place, '--yes');
		expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing to do')]);
		expect(snapshot(place.home)).toEqual(before);
	});

	it('points out secrets without printing them, and servers that only their client can run', async () => {
		const { stderr } = await init(clientHome(), '--yes');
		expect(stderr).toContain(
			'from-cursor: env.GITHUB_TOKEN looks like a secret in plain text; write ${GITHUB_TOKEN}',
		);
		expect(stderr).toContain('"asks" stays in VS Code: it needs token: mctl init on a terminal');
		expect(stderr).toContain('"extension" stays in Zed: it is an extension of the client');
		expect(stderr).toContain('Claude Code has servers of 1 other project (/somewhere/else)');
		expect(stderr).not.toContain(SECRET);
	});

	it('names every other project that has servers', async () => {
		const place = clientHome(/nothing/);
		const project = { mcpServers: { x: { command: 'x' } } };
		const projects = { '/one': project, '/two': project, '/none': { mcpServers: {} } };
		writeFiles(place.home, { '.claude.json': JSON.stringify({ projects }) });
		const { stderr } = await init(place, '--yes');
		expect(stderr).toContain('Claude Code has servers of 2 other projects (/one, /two); run mctl init there');
	});

	it('reports a broken file with its line and leaves it alone', async () => {
		const place = clientHome(/windsurf|gemini|codex|continue\/config/);
		const broken = {
			'.gemini/settings.json': '{\n  "mcpServers": {\n    "x": oops\n  }\n}',
			'.codex/config.toml': `a = 1\nb = = "${SECRET}"\n`,
			'.continue/config.yaml': 'a: 1\nb: [\n',
			'.cursor/mcp.json': Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
		};
		writeFiles(place.home, broken);
		const { code, stderr } = await init(place, '--yes');
		expect(code).toBe(0);
		expect(stderr).toMatch(/Gemini CLI is skipped: .*settings\.json:3: expected a JSON value/);
		expect(stderr).toMatch(/Codex is skipped: .*config\.toml:2: /);
		expect(stderr).toMatch(/Continue is skipped: .*config\.yaml:\d+: /);
		expect(stderr).toMatch(/Cursor is skipped: .*is not UTF-8/);
		expect(stderr).not.toContain(SECRET);
		for (const [file, text] of Object.entries(broken)) {
			expect(readFileSync(join(place.home, file))).toEqual(Buffer.from(text));
		}
		expect(textOf(place, '.codeium/windsurf/mcp_config.json')).toContain('"orchestra"');
	});

	it('follows a symbolic link to its target and keeps the mode', async () => {
		const place = clientHome(/windsurf/);
		const file = join(place.home, '.codeium/windsurf/mcp_config.json');
		const target = join(place.home, 'dotfiles.json');
		renameSync(file, target);
		symlinkSync(target, file);
		chmodSync(target, 0o640);
		await init(place, '--yes');
		expect([lstatSync(file).isSymbolicLink(), statSync(file).mode & 0o777]).toEqual([true, 0o640]);
		expect(readFileSync(target, 'utf8')).toContain('"orchestra"');
		await init(place, '--undo');
		expect([lstatSync(file).isSymbolicLink(), statSync(file).mode & 0o777]).toEqual([true, 0o640]);
		expect(readFileSync(target, 'utf8')).toBe(place.files['.codeium/windsurf/mcp_config.json']);
	});

	it('keeps an entry that is this program already', async () => {
		const place = clientHome(/nothing/);
		const text = '{"mcpServers":{"hub":{"command":"mctl","args":["serve"]}}}';
		writeFiles(place.home, { '.cursor/mcp.json': text });
		const { stdout } = await init(place, '--yes');
		expect(textOf(place, '.cursor/mcp.json')).toBe(text);
		expect(stdout).not.toContain('mcp.json');
	});

	it('replaces an entry of this program that is there no more', async () => {
		const place = clientHome(/nothing/);
		const stale = { command: process.execPath, args: ['/nowhere/dist/cli/main.js', 'bridge'] };
		writeFiles(place.home, { '.cursor/mcp.json': JSON.stringify({ mcpServers: { orchestra: stale } }) });
		await init(place, '--yes');
		expect(JSON.parse(textOf(place, '.cursor/mcp.json'))).toEqual({
			mcpServers: { orchestra: { command: process.execPath, args: [main, 'bridge'] } },
		});
		expect(serversIn(place, 'work/orchestra.json')).toEqual({});
	});

	it.each([
		['of an installed package', main],
		['that is a link to a checkout', join(main, '../../../mctl')],
	])(
		'writes the command %s for terminal clients and projects, and full paths for the desktop',
		async (_, target) => {
			const place = clientHome(/claude|^work\/\.mcp/i);
			const bin = join(place.home, 'bin');
			mkdirSync(bin);
			symlinkSync(target, join(bin, 'mctl'));
			const env = { ...place.env, PATH: `${bin}${delimiter}${process.env['PATH']}` };
			await mctl(['init', '--yes'], { cwd: place.project, env });
			const short = { type: 'stdio', command: 'mctl', args: ['bridge'] };
			const full = { command: process.execPath, args: [main, 'bridge'] };
			expect(serversIn(place, '.claude.json')['orchestra']).toEqual(short);
			expect(serversIn(place, 'work/.mcp.json')['orchestra']).toEqual(short);
			expect(serversIn(place, '.config/Claude/claude_desktop_config.json')['orchestra']).toEqual(full);
		},
	);

	it('reads the JSON files of Continue too', async () => {
		const place = clientHome(/continue\/config/);
		const text = '{"mcpServers":{"from-json":{"command":"x"}}}';
		writeFiles(place.home, { '.continue/mcpServers/copied.json': text });
		await init(place, '--yes');
		expect(serversIn(place, '.config/orchestra/config.json')['from-json']).toEqual({ command: 'x' });
		expect(textOf(place, '.continue/mcpServers/copied.json')).toBe('{"mcpServers":{}}');
	});

	it('can be undone after a kill at any moment', async () => {
		const delaysMs = runsAllTests ? [60, 120, 180, 240, 300, 360] : [180, 300];
		for (const ms of delaysMs) {
			const place = clientHome(/cursor|claude|windsurf/i);
			const before = snapshot(place.home);
			const child = startMctl(['init', '--yes'], { cwd: place.project, env: place.env });
			const timer = setTimeout(() => child.kill('SIGKILL'), ms);
			await once(child, 'exit');
			clearTimeout(timer);
			await init(place, '--undo');
			expect(snapshot(place.home)).toEqual(before);
		}
	});

	it('restores what it wrote when a later file cannot be written', async () => {
		const place = clientHome(/cursor|continue\/config/);
		writeFiles(place.home, { '.continue/mcpServers': 'a file in place of the folder' });
		const before = snapshot(place.home);
		const { code, stderr } = await init(place, '--yes');
		expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(/mctl: (?:EEXIST|ENOTDIR)/)]);
		expect(code).not.toBe(0);
		expect(snapshot(place.home)).toEqual(before);
		expect((await init(place, '--undo')).stderr).toContain('there is nothing to undo');
	});

	it('does not touch a file with a shape that it cannot edit', async () => {
		const place = clientHome(/cursor/);
		const text = 'mcp_servers = { a = { command = "x" } }\n';
		writeFiles(place.home, { '.codex/config.toml': text });
		const { code, stderr } = await init(place, '--yes');
		expect([code, stderr]).toEqual([
			0,
			expect.stringContaining('config.toml has a shape that cannot be edited safely'),
		]);
		expect(textOf(place, '.codex/config.toml')).toBe(text);
	});
});

describe('mctl init with other flags', () => {
	it('prints a diff with --dry-run, without secrets, and writes nothing', async () => {
		const place = clientHome();
		const before = snapshot(place.home);
		const { code, stdout } = await init(place, '--dry-run');
		expect([code, snapshot(place.home)]).toEqual([0, before]);
		expect(stdout).toContain(
			`--- ${join(place.home, '.codex/config.toml')}\n+++ ${join(place.home, '.codex/config.toml')}\n@@ -1,`,
		);
		expect(stdout).toContain('+[mcp_servers.orchestra]\n');
		expect(stdout).not.toContain(SECRET);
		expect(stdout).toContain('********');
	});

	it('imports with --only what is named, and leaves the rest in the clients', async () => {
		const place = clientHome(/cursor\/mcp|cline/);
		expect((await init(place, '--only', 'from-cursor')).code).toBe(0);
		expect(textOf(place, '.cursor/mcp.json')).toContain('"files"');
		expect(textOf(place, '.cursor/mcp.json')).not.toContain('"from-cursor"');
		expect(Object.keys(serversIn(place, '.config/orchestra/config.json'))).toEqual(['from-cursor']);
	});

	it('leaves the servers in the clients with --keep', async () => {
		const place = clientHome(/^\.cursor/);
		await init(place, '--yes', '--keep');
		expect(textOf(place, '.cursor/mcp.json')).toMatch(/"from-cursor"[^]*"orchestra"/);
	});

	it('puts everything into the configuration of the user with --user', async () => {
		const place = clientHome(/cursor/);
		await init(place, '--yes', '--user');
		expect(existsSync(join(place.project, 'orchestra.json'))).toBe(false);
		const servers = serversIn(place, '.config/orchestra/config.json');
		expect(Object.keys(servers)).toEqual(['files', 'from-cursor', 'from-cursor-project']);
		expect(servers['from-cursor-project']).toMatchObject({ cwd: place.project });
	});

	it('keeps the backup readable by the user alone', async () => {
		const place = clientHome(/cursor/);
		await init(place, '--yes');
		const folder = join(place.home, '.local/state/orchestra/init');
		const [backup = ''] = readdirSync(folder);
		expect(statSync(join(folder, backup)).mode & 0o777).toBe(0o700);
		for (const name of readdirSync(join(folder, backup))) {
			expect([name, statSync(join(folder, backup, name)).mode & 0o777]).toEqual([name, 0o600]);
		}
	});

	it('changes no client without a terminal and without flags', async () => {
		const place = clientHome();
		const { code, stdout } = await init(place);
		expect([code, stdout]).toEqual([
			0,
			expect.stringMatching(/Your MCP clients have \d+ more: mctl init --dry-run/),
		]);
		for (const [file, text] of Object.entries(place.files)) expect(textOf(place, file)).toBe(text);
	});
});

describe.each(firstOf([60, 120]))('mctl init at %i columns', (columns) => {
	it.skipIf(!hasTerminal)('asks for numbers, and imports those', async () => {
		const place = clientHome(/^\.cursor|cline/);
		const typed = [
			['none: ', '9\n'],
			['none: ', '1,3\n'],
		] as const;
		const { screen, code } = await mctlInTerminal(['init'], {
			cwd: place.project,
			env: place.env,
			columns,
			typed,
		});
		expect([code, screen]).toEqual([0, expect.stringContaining('Type numbers from 1 to')]);
		expect(tableOf(screen)).toHaveLength(5);
		for (const line of tableOf(screen)) expect(line.length).toBeLessThanOrEqual(columns);
		expect(Object.keys(serversIn(place, '.config/orchestra/config.json'))).toEqual(['files', 'files-cline']);
	});

	it.skipIf(!hasTerminal)('ends at Ctrl-C and at Ctrl-D, and has changed nothing', async () => {
		const place = clientHome(/cursor/);
		const before = snapshot(place.home);
		const options = { cwd: place.project, env: place.env, columns };
		const interrupted = await mctlInTerminal(['init'], { ...options, typed: [['none: ', '\u0003']] });
		const ended = await mctlInTerminal(['init'], { ...options, typed: [['none: ', '\u0004']] });
		expect([interrupted.code, ended.code]).toEqual([130, 0]);
		expect(snapshot(place.home)).toEqual(before);
	});

	it.runIf(hasTerminal && runsAllTests)('changes nothing when the answer is no', async () => {
		const place = clientHome(/cursor/);
		const before = snapshot(place.home);
		const typed = [['none: ', 'n\n']] as const;
		const { screen, code } = await mctlInTerminal(['init'], {
			cwd: place.project,
			env: place.env,
			columns,
			typed,
		});
		expect([code, screen]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
		expect(snapshot(place.home)).toEqual(before);
	});
});

describe('the inputs of VS Code', () => {
	it.skipIf(!hasTerminal)(
		'are asked for once; a password is stored, not shown, and removed by --undo',
		async () => {
			const place = vscodeHome();
			const { screen, code } = await mctlInTerminal(['init', '--yes'], {
				cwd: place.project,
				env: place.env,
				columns: 120,
				typed: [
					['region (eu, us): ', 'us\n'],
					['token (not shown): ', `${SECRET}\n`],
				],
			});
			expect([code, screen.includes(SECRET)]).toEqual([0, false]);
			expect(screen).toContain('"computed" stays in VS Code: it uses ${input:made}');
			const text = textOf(place, '.config/orchestra/config.json');
			expect(text).not.toContain(SECRET);
			const { one, two } = JSON.parse(text).mcpServers;
			const [, path = ''] = /^Bearer \$\{file:(.+)\}$/.exec(one.env.TOKEN) ?? [];
			expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([`${SECRET}\n`, 0o600]);
			expect(one.args.slice(-2)).toEqual(['us', 'fast']);
			expect(two.env.TOKEN).toMatch(/^\$\{file:/);
			expect(Object.keys(JSON.parse(textOf(place, '.config/Code/User/mcp.json')).servers)).toEqual([
				'computed',
				'orchestra',
			]);
			await init(place, '--undo');
			expect(readdirSync(dirname(path))).toEqual([]);
		},
	);

	it('are not asked for without a terminal: their servers stay', async () => {
		const place = vscodeHome();
		const { stderr } = await init(place, '--yes');
		expect(stderr).toContain(
			'"one" stays in VS Code: it needs region, token: mctl init on a terminal asks for that',
		);
		expect(textOf(place, '.config/Code/User/mcp.json')).toContain('"one"');
	});
});

describe('wrong usage of mctl init', () => {
	it.each([
		[['--only', 'fils'], 'no client has a server "fils"\nhint: did you mean: files'],
		[['--only', ','], '--only names no server'],
		[['--keep'], 'there is no terminal to choose the servers on'],
		[['--undo', '--yes'], '--undo and --yes exclude each other'],
		[['--yes', '--only', 'files'], '--yes and --only exclude each other'],
		[['--force'], '--force is for --undo only'],
		[['--undo'], 'there is nothing to undo'],
	])('%j: %s', async (flags, message) => {
		const place = clientHome(/^\.cursor/);
		const { code, stderr } = await init(place, ...flags);
		expect([code, stderr]).toEqual([64, expect.stringContaining(`mctl: ${message}`)]);
		expect(textOf(place, '.cursor/mcp.json')).toBe(place.files['.cursor/mcp.json']);
	});
});

function init({ project, env }: ClientHome, ...flags: string[]): Promise<MctlResult> {
	return mctl(['init', ...flags], { cwd: project, env });
}

function textOf({ home }: ClientHome, file: string): string {
	return readFileSync(join(home, file), 'utf8');
}

function serversIn(place: ClientHome, file: string): Record<string, unknown> {
	const { mcpServers } = parseJsonc(textOf(place, file), file).value as {
		mcpServers: Record<string, unknown>;
	};
	return mcpServers;
}

function tableOf(screen: string): string[] {
	return stripVTControlCharacters(screen)
		.split('\n')
		.filter((line) => /^[#\d] /.test(line));
}

/** One call, through exactly what the entry of the client says. */
async function callThrough(
	place: ClientHome,
	{ file, keys, server, folder }: { file: string; keys: string[]; server: string; folder: string },
): Promise<string> {
	const entry = keys.reduce<unknown>(
		(value, key) => (value as Record<string, unknown>)[key],
		valueOf(place, file),
	);
	const { command, args = [] } = entry as { command: string | string[]; args?: string[] };
	const [program = '', ...words] = [command, args].flat();
	expect([program, words]).toEqual([process.execPath, [main, 'bridge']]);
	const cwd = join(place.home, folder);
	const env = { PATH: process.env['PATH'] ?? '', HOME: place.home, ORCHESTRA_TRUST: 'all' };
	const client = new Client({ name: 'test', version: '1' });
	await client.connect(
		new StdioClientTransport({ command: program, args: words, cwd, env, stderr: 'ignore' }),
	);
	try {
		const { content } = await client.callTool({ name: `${server}__echo`, arguments: { text: 'hello' } });
		return (content as { text: string }[])[0]?.text ?? '';
	} finally {
		await client.close();
	}
}

function valueOf(place: ClientHome, file: string): unknown {
	const text = textOf(place, file);
	if (file.endsWith('.toml')) return parseToml(text);
	return file.endsWith('.yaml') ? parseYaml(text) : parseJsonc(text, file).value;
}

async function stopHubs({ home, env }: ClientHome): Promise<void> {
	await mctl(['hub', 'stop', '--all', '--force'], { cwd: home, env });
	await until('nothing with this home is left', () => livingWith('HOME', home).length === 0);
}

/** A user of VS Code with servers that ask for a token, a choice and a value that the editor computes. There is no keychain. */
function vscodeHome(): ReturnType<typeof clientHome> {
	const place = clientHome(/nothing/);
	const inputs = [
		{ id: 'token', type: 'promptString', description: 'Your token', password: true },
		{ id: 'region', type: 'pickString', options: ['eu', { label: 'America', value: 'us' }] },
		{ id: 'speed', type: 'promptString', default: 'fast' },
		{ id: 'made', type: 'command', command: 'make.it' },
	];
	const server = { command: process.execPath, args: [join(place.home, 'echo-server.mjs')] };
	const one = {
		...server,
		args: [...server.args, '${input:region}', '${input:speed}'],
		env: { TOKEN: 'Bearer ${input:token}' },
	};
	const servers = {
		one,
		two: { ...server, env: { TOKEN: '${input:token}' } },
		computed: { ...server, env: { MADE: '${input:made}' } },
	};
	writeFiles(place.home, { '.config/Code/User/mcp.json': JSON.stringify({ inputs, servers }) });
	return { ...place, env: { ...place.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' } };
}
