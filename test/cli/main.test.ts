import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/command-table.ts';
import { commandHelp, groupHelp, overview } from '../../src/cli/help.ts';
import { packageVersion } from '../../src/files/package-version.ts';
import { nearest } from '../../src/nearest.ts';
import { main, mctl, mctlProcess, startMctl } from '../support/mctl.ts';
import { homeVariables, temporaryFolder, writeFiles } from '../support/workspace.ts';

const SCREEN_LINES = 24;

/** This Node.js, which takes itself for an old one and lacks what the bundle needs. */
const oldNode = {
	NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
		"delete process.getBuiltinModule; Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })",
	)}`,
};

/** An input that does not keep the process alive. */
const unwatchedInput = {
	NODE_OPTIONS: '--import=data:text/javascript,process.stdin.unref()',
};

describe('mctl', () => {
	it.skipIf(!('enableCompileCache' in nodeModule))('keeps its compiled code beside the program', async () => {
		expect((await mctlProcess(['--version'])).code).toBe(0);
		expect(existsSync(join(dirname(main), '../.compiled'))).toBe(true);
	});

	it('prints a help that fits one screen, without arguments and with --help', async () => {
		const [bare, asked] = await Promise.all([mctl([]), mctl(['--help'])]);
		expect(bare.stdout).toBe(asked.stdout);
		// The prompt of the shell is the last line of the screen.
		expect(overview(commands).split('\n').length).toBeLessThan(SCREEN_LINES);
		for (const name of commands.keys()) expect(overview(commands)).toMatch(wordOf(name));
		expect(overview(commands).split('\n').slice(2, 5).join('\n')).toMatch(/mctl demo .*\n.*mctl init /);
		for (const line of overview(commands).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
		expect([bare.code, bare.stderr]).toEqual([0, '']);
	});

	it.skipIf(!existsSync('/dev/full')).each([['--version'], ['help'], ['list', '--json']])(
		'fails when its answer does not fit on the device: %s %s',
		(...args) => {
			const full = openSync('/dev/full', 'w');
			const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
				stdio: ['ignore', full, 'pipe'],
				encoding: 'utf8',
			});
			closeSync(full);
			expect(stderr).toContain('the answer could not be written to stdout: ENOSPC');
			expect(status).toBe(69);
		},
	);

	it('fails when nothing is left that could end the command', async () => {
		const cwd = temporaryFolder();
		const env = { ...homeVariables(cwd), ...unwatchedInput };
		const waiting = startMctl(['run', 'word-count', '--input', '-'], { env, cwd });
		waiting.stdout.resume();
		const [stderr, [code]] = await Promise.all([text(waiting.stderr), once(waiting, 'close')]);
		expect(stderr).toContain('mctl: the command waits for something that cannot happen any more');
		expect(code).toBe(2);
	});

	it.each([...commands])('mctl %s --help fits one screen and shows examples', async (name, entry) => {
		const command = await entry.load();
		const help = commandHelp(entry, command);
		expect(help.split('\n').length).toBeLessThanOrEqual(SCREEN_LINES);
		for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
		expect(command.examples.length).toBeGreaterThan(0);
		expect(command.usage.startsWith(`mctl ${name}`)).toBe(true);
	});

	it.each([['--version'], ['version']])('prints its version with %s', async (word) => {
		expect((await mctl([word])).stdout).toBe(`${packageVersion()}\n`);
		const asJson = JSON.parse((await mctl([word, '--json'])).stdout);
		expect(asJson).toEqual({ schema: 'orchestra.version/1', version: packageVersion() });
	});

	it.each(['hub', 'new'])('explains the commands of %s, three ways', async (group) => {
		const [flag, short, word] = await Promise.all([
			mctl([group, '--help']),
			mctl([group, '-h']),
			mctl(['help', group]),
		]);
		expect(flag).toMatchObject({ code: 0, stderr: '', stdout: `${groupHelp(commands, group)}\n` });
		expect([short, word]).toEqual([flag, flag]);
		expect(flag.stdout.split('\n').length).toBeLessThanOrEqual(SCREEN_LINES);
	});

	it('shows the same help with mctl help and with --help', async () => {
		expect(await mctl(['help'])).toEqual(await mctl(['--help']));
		expect(await mctl(['help', 'help'])).toEqual(await mctl(['--help']));
		expect(await mctl(['help', 'version'])).toEqual(await mctl(['version']));
		expect(await mctl(['help', 'run'])).toEqual(await mctl(['run', '--help']));
		expect(await mctl(['help', 'hub', 'stop'])).toEqual(await mctl(['hub', 'stop', '-h']));
	});

	it('takes flags before the command', async () => {
		expect(JSON.parse((await mctl(['--json', 'list'])).stdout)).toMatchObject({ schema: 'orchestra.list/1' });
		const run = await mctl(['--timeout', '5000', 'run', 'hello-world', '--json']);
		expect([run.code, run.stderr]).toEqual([0, '']);
		expect((await mctl(['--help', 'hub', 'ps'])).stdout).toContain('Usage: mctl hub ps');
	});

	it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
		'takes %s for a word like any other',
		async (word) => {
			const lines = [
				[word],
				['hub', word],
				['new', word],
				['help', word],
				['run', word],
				['list', word],
				['list', `--${word}`],
				['list', `--${word}=1`],
				['prompt', word],
				['read', `orchestr8://${word}`],
				['new', 'tool', 'x', '--lang', word],
				['completion', word],
			];
			for (const { code, stderr } of await Promise.all(lines.map((args) => mctl(args)))) {
				expect(stderr).toMatch(/^mctl: .*\nhint: .*\n$/);
				expect([1, 64]).toContain(code);
			}
		},
	);

	it('refuses arguments that a command does not take', async () => {
		for (const name of ['demo', 'doctor', 'init', 'hub ps', 'version']) {
			const { code, stderr } = await mctl([...name.split(' '), 'stray']);
			expect([code, stderr]).toEqual([64, expect.stringContaining('unexpected argument "stray"')]);
		}
	});

	it('suggests a command of a group for a mistyped one', async () => {
		const { code, stderr } = await mctl(['hub', 'statsu']);
		expect([code, stderr]).toEqual([
			64,
			'mctl: there is no command "hub statsu"\nhint: did you mean: mctl hub status\n',
		]);
		expect((await mctl(['hub'])).stderr).toContain('mctl hub needs one of: start, stop');
	});

	it.each([
		[['list', '--jsn'], 'there is no flag --jsn; did you mean --json'],
		[['list', '-x'], 'there is no flag -x'],
		[['list', '--json=yes'], '--json takes no value, not "yes"'],
		[['run', 'hello-world', '--timeout'], '--timeout needs a value: --timeout MS'],
		[
			['run', 'hello-world', '--timeout', '--input'],
			'--timeout needs a value, and "--input" looks like a flag',
		],
	])('says in its own words what is wrong with the flags of %j', async (args, message) => {
		const { code, stderr } = await mctl(args);
		expect(code).toBe(64);
		expect(stderr).toContain(message);
	});

	it('prints one JSON error on stderr with --json, wherever it stands, and plain text behind --', async () => {
		for (const args of [
			['nonsense', '--json'],
			['--json', 'nonsense'],
			['hub', '--json', 'nonsense'],
		]) {
			const { stderr } = await mctl(args);
			expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'bad_input' } });
		}
		expect((await mctl(['nonsense', '--', '--json'])).stderr).toMatch(/^mctl: /);
	});

	it('reports what the operating system refuses without a stack', async () => {
		const { code, stderr } = await mctl(['new', 'prompt', 'x', '--prompts', '/dev/null/x']);
		expect([code, stderr]).toEqual([69, expect.stringMatching(/^mctl: .*ENOTDIR.*\nhint: .+\n$/)]);
	});

	it('says in one sentence that a Node.js is too old, and loads nothing', async () => {
		const { code, stdout, stderr } = await mctl(['list'], { env: oldNode });
		expect({ code, stdout, stderr }).toEqual({
			code: 69,
			stdout: '',
			stderr: 'mctl needs Node.js 20.19 or later; this is v18.20.4\n',
		});
	});

	it('says the same from a checkout, before it builds anything', () => {
		const checkout = temporaryFolder();
		copyFileSync(new URL('../../mctl', import.meta.url), join(checkout, 'mctl'));
		mkdirSync(join(checkout, 'src'));
		const { status, stderr } = spawnSync(join(checkout, 'mctl'), ['list'], {
			env: { ...process.env, ...oldNode },
			encoding: 'utf8',
		});
		expect([status, stderr]).toEqual([69, 'mctl needs Node.js 20.19 or later; this is v18.20.4\n']);
	});

	it('says that nothing was recorded yet when the hub of a folder never ran', async () => {
		const cwd = temporaryFolder();
		const options = { cwd, env: { HOME: cwd, XDG_STATE_HOME: cwd } };
		expect((await mctl(['hub', 'logs', '--journal'], options)).stderr).toMatch(
			/^mctl: no calls recorded yet/,
		);
		expect((await mctl(['hub', 'logs'], options)).stderr).toMatch(/has logged nothing yet\nhint: /);
	});

	it('serves under the version of the package', async () => {
		const params = {
			protocolVersion: '2025-06-18',
			capabilities: {},
			clientInfo: { name: 't', version: '1' },
		};
		const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
		const { stdout } = await mctl(['serve'], { input });
		expect(JSON.parse(stdout)).toMatchObject({
			result: { serverInfo: { name: 'orchestra', version: packageVersion() } },
		});
	});

	it('suggests a command for a mistyped one and exits 64', async () => {
		const { code, stderr, stdout } = await mctl(['reqest']);
		expect([code, stdout]).toEqual([64, '']);
		expect(stderr).toBe('mctl: there is no command "reqest"\nhint: did you mean: mctl request\n');
	});

	it('points to the help when no command is similar', async () => {
		expect((await mctl(['qqqqqqqq'])).stderr).toContain('hint: mctl --help lists the commands');
	});

	it('refuses an unknown flag with the usage and exit 64, as JSON for programs', async () => {
		const plain = await mctl(['request', '--nonsense']);
		expect([plain.code, plain.stderr]).toEqual([
			64,
			'mctl: there is no flag --nonsense\nhint: usage: mctl request <stdio:URI|URL> <method> [params JSON] [--timeout MS] [--raw] [--json]\n',
		]);
		const json = await mctl(['request', '--nonsense', '--json']);
		expect(JSON.parse(json.stderr)).toMatchObject({
			error: { code: 'bad_input', message: 'there is no flag --nonsense' },
		});
	});
});

describe('nearest', () => {
	it('suggests the closest names, best first, and none beyond the bound', () => {
		expect(nearest('helo-world', ['hello-world', 'hello', 'word-count'])).toEqual(['hello-world']);
		expect(nearest('zzz', ['hello'])).toEqual([]);
		expect(nearest('ab', ['ab', 'abc', 'abd'], 2)).toEqual(['ab', 'abc']);
	});
});

it.each([
	[
		['add', 'files', 'ftp://host/mcp'],
		64,
		'"ftp://host/mcp" is not an http://, https://, ws://, wss:// or unix:/// address',
	],
	[['fabric', 'config', '--cert', 'server.pem'], 64, '--cert and --key are used together'],
	[['hub', 'start', '--http', 'nowhere'], 64, '"nowhere" is not an address'],
	[['new', 'tool', 'mine', '--dir', 'file/tools'], 69, 'tools/mine cannot be made: ENOTDIR'],
])('%j says what is wrong and what to do', async (words, code, message) => {
	const cwd = writeFiles(temporaryFolder(), { file: '' });
	const answer = await mctl(words, { cwd, env: homeVariables(cwd) });
	expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(message)]);
	expect(answer.stderr).toMatch(/^hint: .+/m);
});

/** The first word of a command, as a word of its own. */
function wordOf(name: string): RegExp {
	return new RegExp(`\\b${name.split(' ')[0]}\\b`);
}
