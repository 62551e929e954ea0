import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { progressLine } from '../../src/cli/terminal/progress-bar.ts';
import { tableLines } from '../../src/cli/terminal/table.ts';
import { mctl } from '../support/mctl.ts';
import { hasPython } from '../support/programs.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const languages = ['sh', 'node', 'python', 'go'];
const programs: Record<string, string> = { python: 'python3', go: 'go' };

describe('mctl list', () => {
	it('shows no bundled example unless it is asked for them, and says what to do', async () => {
		const cwd = temporaryFolder();
		const { stdout, stderr, code } = await mctl(['list', 'tools'], { cwd });
		expect([stdout, code]).toEqual(['', 0]);
		expect(stderr).toContain('mctl new tool');
		writeFiles(cwd, { 'orchestra.json': '{ "tools": { "examples": true } }' });
		expect((await mctl(['list', 'tools'], { cwd })).stdout).toContain('hello-world');
	});

	it('shows the bundled examples with --examples', async () => {
		const { stdout, code } = await mctl(['list', 'tools', '--examples'], { cwd: temporaryFolder() });
		const [heading, ...rows] = stdout.trimEnd().split('\n');
		expect(heading).toMatch(/^ID +VERSION +RUNTIME +DESCRIPTION$/);
		const ids = rows.map((row) => row.split(' ')[0]);
		expect(ids).toEqual([...ids].sort());
		const inPython = ['csv-summary', 'word-count'];
		expect(ids).toEqual(
			expect.arrayContaining(['disk-usage', 'hello-world', 'http-probe', ...(hasPython ? inPython : [])]),
		);
		expect(code).toBe(0);
	});

	it('finds ./tools, reports a bad manifest on stderr, and is one object with --json', async () => {
		const cwd = writeFiles(temporaryFolder(), {
			'tools/mine/manifest.json': manifestOf('mine'),
			'tools/bad/manifest.json': '{}',
		});
		const plain = await mctl(['list', 'tools'], { cwd });
		expect(plain.stdout).toContain('mine ');
		expect(plain.stderr).toMatch(/^mctl: .*bad\/manifest\.json:1: manifestVersion is missing; allowed: 1 /);
		const json = JSON.parse((await mctl(['list', '--json'], { cwd })).stdout);
		expect(json).toMatchObject({ schema: 'orchestra.list/1', problems: [{ key: 'manifestVersion' }] });
		expect(json.tools).toContainEqual(expect.objectContaining({ id: 'mine', runtime: 'sh' }));
	});

	it('looks where M_CONTROL_TOOLS_ROOT says and nowhere else', async () => {
		const root = writeFiles(temporaryFolder(), { 'x/manifest.json': manifestOf('only') });
		const { stdout } = await mctl(['list', 'tools'], { env: { M_CONTROL_TOOLS_ROOT: root } });
		expect(stdout.trimEnd().split('\n')).toHaveLength(2);
		const empty = await mctl(['list', 'tools'], { env: { M_CONTROL_TOOLS_ROOT: join(root, 'none') } });
		expect([empty.stdout, empty.code]).toEqual(['', 0]);
		expect(empty.stderr).toContain('mctl new tool');
	});
});

describe('mctl new tool', () => {
	it.each(languages)('writes a tool in %s that passes mctl check', async (language) => {
		const program = programs[language];
		if (program !== undefined && spawnSync(program, [language === 'go' ? 'version' : '--version']).error) {
			return console.log(`skipped: ${program} is not installed`);
		}
		const cwd = temporaryFolder();
		const made = await mctl(['new', 'tool', 'my-tool', '--lang', language], { cwd });
		expect(made.stdout).toContain('Next: mctl run my-tool name=you\nThen: mctl check tools/my-tool\n');
		if (language === 'go') return expect(existsSync(join(cwd, 'tools/my-tool/go.mod'))).toBe(true); // compiling takes too long here
		const run = await mctl(['run', 'my-tool', 'name=you', '--json'], { cwd });
		expect(JSON.parse(run.stdout.trimEnd().split('\n').at(-1) ?? '').payload).toEqual({
			message: 'Hello, you!',
		});
		const check = await mctl(['check', 'tools/my-tool'], { cwd });
		expect(check.stdout).not.toMatch(/warn|FAIL/);
		expect([check.code, check.stderr]).toEqual([0, '']);
	});

	it('never writes over a folder', async () => {
		const cwd = writeFiles(temporaryFolder(), { 'tools/mine/precious': 'x' });
		const { code, stderr } = await mctl(['new', 'tool', 'mine'], { cwd });
		expect(code).toBe(64);
		expect(stderr).toContain('exists already');
	});

	it('writes to the folder of --dir and prints how to run the tool from there', async () => {
		const cwd = temporaryFolder();
		const { stdout } = await mctl(['new', 'tool', 'x', '--dir', 'other'], { cwd });
		expect(stdout).toContain('Next: mctl run ./other/x name=you');
		expect((await mctl(['run', './other/x'], { cwd })).code).toBe(0);
	});
});

describe('mctl check', () => {
	it('exits 1 for a tool that breaks the protocol, with advice', async () => {
		const cwd = writeFiles(temporaryFolder(), {
			'x/manifest.json': manifestOf('x'),
			'x/main.sh': `${shellEvent('x')}\necho hello; event result '{}'`,
		});
		const { stdout, stderr, code } = await mctl(['check', 'x'], { cwd });
		expect(code).toBe(1);
		expect(stdout).toMatch(
			/\[FAIL\] nothing but events on stdout: 1 stray: malformed NDJSON: hello\n {7}→ Print to stderr/,
		);
		expect(stderr).toContain('mctl: x violates Tool Protocol v1 in 2 points\nhint: ');
	});

	it('takes an absolute path, a relative one and an id', async () => {
		const cwd = writeFiles(temporaryFolder(), {
			'tools/x/manifest.json': manifestOf('x', { inputSchema: {} }),
			'tools/x/main.sh': `${shellEvent('x')}\ncase $(cat) in '{"context":{'*) event started '{}'; event result '{}' ;; *) event error '{"message":"no"}'; exit 1 ;; esac`,
		});
		for (const word of [
			join(cwd, 'tools/x'),
			join(cwd, 'tools/x/manifest.json'),
			'tools/x',
			'./tools/x',
			'x',
		])
			expect([word, (await mctl(['check', word], { cwd })).code]).toEqual([word, 0]);
	});

	it('gives one object with --json', async () => {
		const { stdout } = await mctl(['check', 'hello-world', '--json'], { cwd: temporaryFolder() });
		expect(JSON.parse(stdout)).toMatchObject({ schema: 'orchestra.check/1', tool: 'hello-world', ok: true });
	});
});

describe('mctl doctor', () => {
	it('passes in a healthy project', async () => {
		const { stdout, code } = await mctl(['doctor'], {
			cwd: temporaryFolder(),
			env: { HOME: temporaryFolder() },
		});
		expect(stdout).toMatch(/^\[ ok \] Node\.js \d/);
		expect(stdout).not.toContain('bundled examples');
		expect(code).toBe(0);
	});

	it('names a private key that others can read or write', async () => {
		const home = writeFiles(temporaryFolder(), { '.orchestra/certs/orchestrator.key': 'secret' });
		const key = join(home, '.orchestra/certs/orchestrator.key');
		chmodSync(key, 0o666);
		const { stdout, code } = await mctl(['doctor'], { cwd: temporaryFolder(), env: { HOME: home } });
		expect([code, stdout]).toEqual([
			1,
			expect.stringContaining(`[FAIL] the private key ${key} can be written`),
		]);
		expect(stdout).toContain(`chmod 600 ${key}`);
	});

	it('looks at the certificates of certs_dir and at the program of each plugin', async () => {
		const cwd = writeFiles(temporaryFolder(), {
			'certs/ca.crt': '-----BEGIN CERTIFICATE-----\nnonsense',
			'plugins.yaml': `certs_dir: ./certs
plugins:
  - { id: tools.here, binary: sh }
  - { id: tools.lost, binary: ./bin/lost }
  - { id: tools.off, binary: ./bin/off, enabled: false }
`,
		});
		const { stdout, code } = await mctl(['doctor'], { cwd, env: { HOME: temporaryFolder() } });
		expect(stdout).toContain(`[FAIL] certificate ${join(cwd, 'certs/ca.crt')} is damaged`);
		expect(stdout).toContain('[ ok ] plugin tools.here: sh is there');
		expect(stdout).toMatch(/\[FAIL\] plugin tools\.lost: .*bin\/lost.*\n {7}→ .+/);
		expect(stdout).not.toContain('tools.off');
		expect(code).toBe(1);
	});

	it('runs no program that a manifest names by its path, inside the project or beside it', async () => {
		const repository = temporaryFolder();
		const cwd = join(repository, 'part');
		const manifest = manifestOf('sly', { command: ['../../../bin/node'] });
		writeFiles(repository, {
			'bin/node': `#!/bin/sh\ntouch '${join(repository, 'ran')}'\n`,
			'part/orchestra.json': '{}',
			'part/tools/sly/manifest.json': manifest,
		});
		chmodSync(join(repository, 'bin/node'), 0o755);
		const { stdout } = await mctl(['doctor'], { cwd, env: { HOME: temporaryFolder() } });
		expect(stdout).toContain('node (for sly)');
		expect(existsSync(join(repository, 'ran'))).toBe(false);
	});

	it('fails with a fix for each problem', async () => {
		const home = writeFiles(temporaryFolder(), {
			'.orchestra/certs/ca.crt': '-----BEGIN CERTIFICATE-----\nnonsense',
		});
		const cwd = writeFiles(temporaryFolder(), {
			'orchestra.json':
				'{"limits":{"requestMs":"x"},"mcpServers":{"lost":{"command":"no-such-server"},"here":{"command":"sh"}}}',
			'tools/a/manifest.json': manifestOf('a', { command: ['no-such-program'] }),
			'tools/b/manifest.json': manifestOf('b', { requiredConfig: ['azdo.token'] }),
			'tools/c/manifest.json': '{}',
		});
		const { stdout, stderr, code } = await mctl(['doctor'], { cwd, env: { HOME: home } });
		for (const words of [
			'limits.requestMs',
			'no-such-program',
			'no-such-server',
			'azdo.token',
			'manifestVersion',
			'certificate',
		]) {
			expect(stdout).toMatch(new RegExp(`\\[FAIL\\] .*${words}.*\\n {7}→ .+`));
		}
		expect(stdout).toContain('[ ok ] server here: sh is there');
		expect(stderr).toContain('mctl: 6 checks failed\nhint: ');
		expect(code).toBe(1);
	});
});

describe('mctl init', () => {
	it('writes a configuration that doctor accepts, with the servers of .mcp.json', async () => {
		const cwd = writeFiles(temporaryFolder(), { '.mcp.json': '{"mcpServers":{"x":{"command":"node"}}}' });
		const { stdout, code } = await mctl(['init'], { cwd });
		expect([code, stdout]).toEqual([0, expect.stringContaining('with 1 server of .mcp.json')]);
		expect(readFileSync(join(cwd, 'orchestra.json'), 'utf8')).toContain('"command": "node"');
		expect((await mctl(['doctor'], { cwd })).code).toBe(0);
		const again = await mctl(['init'], { cwd });
		expect([again.code, again.stderr]).toEqual([64, expect.stringContaining('exists already')]);
	});

	it('leaves the bundled examples to be run by a user, beside the tools of the project', async () => {
		const cwd = temporaryFolder();
		await mctl(['init'], { cwd });
		expect((await mctl(['new', 'tool', 'mine', '--lang', 'node'], { cwd })).code).toBe(0);
		expect((await mctl(['run', 'hello-world', 'name=you'], { cwd })).stdout).toContain('Hello, you!');
		expect((await mctl(['run', 'mine', 'name=you'], { cwd })).code).toBe(0);
	});
});

describe('wrong usage', () => {
	it.each([
		[['list', 'tool'], 'there is no list of "tool"; did you mean tools'],
		[['list', 'tools', 'more'], 'unexpected argument "more": mctl list takes one list or server'],
		[['new'], 'mctl new needs one of: '],
		[['new', 'tool'], 'mctl new tool needs an id'],
		[['new', 'tool', 'Bad_Id'], '"Bad_Id" is not a tool id'],
		[['new', 'tool', 'a', 'b'], 'unexpected argument "b": mctl new tool takes an id'],
		[['new', 'tool', 'a', '--lang', 'cobol'], 'there is no template for "cobol"'],
		[['check'], 'mctl check needs the folder of a tool'],
		[['check', 'a', 'b'], 'unexpected argument "b": mctl check takes the folder of a tool'],
		[['check', 'helo-world'], 'there is no tool "helo-world"'],
		[['check', './nowhere'], 'there is no tool at ./nowhere'],
		[['run', 'helo-world'], 'there is no tool "helo-world"'],
		[['run', './nowhere'], 'there is no tool at ./nowhere'],
		[['doctor', 'me'], 'unexpected argument "me": mctl doctor takes flags only'],
		[['init', 'me'], 'unexpected argument "me": mctl init takes flags only'],
		[['hub', 'start', 'me'], 'unexpected argument "me": mctl hub start takes flags only'],
		[['hub', 'stop', 'me'], 'unexpected argument "me": mctl hub stop takes flags only'],
		[['hub', 'status', 'me'], 'unexpected argument "me": mctl hub status takes flags only'],
		[['hub', 'ps', 'me'], 'unexpected argument "me": mctl hub ps takes flags only'],
		[['hub', 'logs', 'me'], 'there is no server "me"'],
		[['hub', 'logs', 'a', 'b'], 'unexpected argument "b": mctl hub logs takes one server'],
		[['call'], 'mctl call needs a server and a tool, or a tool'],
		[['call', 'hello-wrld'], 'there is no tool "hello-wrld"'],
		[['call', 'hello-world', 'nme=x'], 'there is no parameter "nme"; did you mean name'],
		[['call', 'hello-world', 'name:=[1'], 'the value of name:= is not JSON'],
		[['call', 'hello-world', '--timeout', '0'], '--timeout must be above 0'],
		[['call', 'hello-world', '--output', '/'], '--output takes a file, and / is a folder'],
		[['show'], 'mctl show needs the name of a tool, a prompt or a resource'],
		[['show', 'hello-wrld'], 'there is no tool, prompt or resource "hello-wrld"'],
		[['show', 'a', 'b', 'c'], 'unexpected argument "c"'],
		[['hub', 'run', 'me'], 'unexpected argument "me": mctl hub run takes flags only'],
		[
			['bridge', '--certs-dir', '.', '--orchestrator-addr', '127.0.0.1:0'],
			'"127.0.0.1:0" is not an address to connect to',
		],
		[['bridge', '--orchestrator-addr', ''], '--orchestrator-addr is empty; it takes HOST:PORT'],
		[['bridge', '--certs-dir', 'nowhere'], '--certs-dir nowhere is not a folder'],
		[['bridge', '--certs-dir', ''], '--certs-dir is empty'],
		[['hub', 'ls', 'me'], 'unexpected argument "me": mctl hub ls takes flags only'],
		[
			['results', 'show', 'a', 'b'],
			'unexpected argument "b": mctl results show takes the handle of a result',
		],
		[['server', 'start'], 'mctl server needs start, stop or restart, and the name of a server'],
	])('%j gives a sentence, a hint and exit 64', async (args, sentence) => {
		const cwd = temporaryFolder();
		const env = { HOME: cwd, XDG_STATE_HOME: cwd };
		const { stdout, stderr, code } = await mctl(args, { cwd, env });
		expect([stdout, code]).toEqual(['', 64]);
		expect(stderr.startsWith(`mctl: ${sentence}`)).toBe(true);
		expect(stderr).toMatch(/\nhint: .+\n$/);
	});
});

describe('a script without the x bit', () => {
	it.each(['t', './tools/t.sh'])('is reported with the command that fixes it (%s)', async (word) => {
		const cwd = writeFiles(temporaryFolder(), { 'tools/t.sh': '# mctl: {"description":"x"}\n' });
		const { stderr, code } = await mctl(['run', word], { cwd });
		expect([stderr, code]).toEqual([
			expect.stringMatching(/t\.sh is not executable: run chmod \+x .*t\.sh\n/),
			64,
		]);
	});
});

describe('tableLines', () => {
	it('fits the last column to the width and leaves a pipe alone', () => {
		const rows = [['a', 'a long description of something']];
		expect(tableLines(['ID', 'TEXT'], rows, 22)).toEqual(['ID  TEXT', 'a   a long descriptio…']);
		expect(tableLines(['ID', 'TEXT'], rows, undefined)[1]).toBe('a   a long description of something');
	});
});

describe('progressLine', () => {
	it('draws a bar when the total is known, else the count, never wider than the terminal', () => {
		expect(progressLine({ progress: 1, total: 2, message: 'half\n' }, 80)).toBe(
			`${'━'.repeat(12)}${'─'.repeat(12)}  50%  half `,
		);
		expect(progressLine({ progress: 7 }, 80)).toBe('… 7');
		expect(progressLine({ progress: 9, total: 2, message: 'x'.repeat(99) }, 40)).toHaveLength(39);
		expect(progressLine({ progress: 'x', total: -1 }, 80)).toBe('… 0');
	});
});
