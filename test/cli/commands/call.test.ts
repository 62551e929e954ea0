/* `mctl call` and `mctl show` with real MCP servers, as a stranger would use them. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../../support/all-tests.ts';
import { callServer, callServerUri, mcpFolder, realServer } from '../../support/mcp-folder.ts';
import { startMctl } from '../../support/mctl.ts';
import { hasTerminal, mctlInTerminal, mctlOnScreen } from '../../support/terminal.ts';
import { until } from '../../support/waiting.ts';
import { writeFiles } from '../../support/workspace.ts';

const CLEAR_LINE = '\r\u001B[K';
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const STYLES_AND_CLEAR_LINE = /\u001B\[(1|2|22|3[1-46]|39)m|\r\u001B\[K/g;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const KITTY_CHUNK = /\u001B_G([^;]*);([^\u001B]*)\u001B\\/g;

describe('mctl call', () => {
	it.each([
		['a server and its tool', ['py', 'add']],
		['a name as agents see it', ['py__add']],
		['a program', [callServerUri, 'add']],
	])(
		'calls %s with values of the types that the schema has',
		async (_, words) => {
			const { run } = mcpFolder({ py: callServer });
			const { stdout, code, stderr } = await run(
				'call',
				...words,
				'numbers=1,2',
				'numbers=4',
				'options.negate=true',
			);
			expect([stdout, code]).toEqual(['-7\n{\n  "total": -7\n}\n', 0]);
			expect(withoutScan(stderr)).toBe('');
		},
		30_000,
	);

	it('takes --input and lets arguments override it', async () => {
		const { run } = mcpFolder({ py: callServer });
		const base = '{"numbers":[1],"options":{"negate":true}}';
		const { stdout } = await run('call', 'py', 'add', 'numbers:=[5,6]', '--input', base, '--json');
		expect(JSON.parse(stdout)).toMatchObject({
			schema: 'orchestra.call/1',
			server: 'py',
			tool: 'py__add',
			isError: false,
			result: { structuredContent: { total: -11 } },
		});
	});

	it.each([
		[['py', 'add', 'numbers=1,x'], 64, 'numbers.1 is "x"; expected: integer'],
		[['py', 'add', 'numbrs=1'], 64, 'there is no parameter "numbrs"; did you mean numbers'],
		[['py', 'add'], 64, 'the parameter numbers must be given'],
		[['py', 'ad'], 64, 'there is no tool "ad" of py\nhint: did you mean: add'],
		[['py'], 64, 'name a tool of py\nhint: There are: add, '],
		[['pi', 'add'], 64, 'there is no tool "pi"\nhint: did you mean: py'],
		[['off', 'add'], 64, 'off is disabled in '],
		[['py', 'refuse'], 1, '✗ not today'],
		[['py', 'die'], 69, 'no disk'],
		[['gone', 'x'], 69, 'command "no-such-program" was not found on PATH'],
		[['gone__x'], 69, 'command "no-such-program" was not found on PATH'],
		[['stdio:no-such-program', 'x'], 69, 'command "no-such-program" was not found on PATH'],
		[[callServerUri, 'refuse'], 1, '✗ not today'],
		[[callServerUri, 'die'], 69, 'no disk'],
		[['py', 'hang', '--timeout', '300'], 124, 'hint: Give it more time with --timeout.'],
		[[callServerUri, 'hang', '--timeout', '300'], 124, 'hint: Give it more time with --timeout.'],
	])(
		'%j exits with %i and says why',
		async (words, exitCode, sentence) => {
			const { run } = mcpFolder({
				py: callServer,
				gone: { command: 'no-such-program' },
				off: { ...callServer, disabled: true },
			});
			const { stdout, stderr, code } = await run('call', ...words);
			expect(stderr).toContain(sentence);
			expect([stdout, code]).toEqual(['', exitCode]);
		},
		30_000,
	);

	it('says with --json whether a call that failed has run', async () => {
		const fixture = join(import.meta.dirname, '../../fixtures/servers/gateway-server.mjs');
		const gate = { command: process.execPath, args: [fixture, 'normal'] };
		const { run } = mcpFolder({ gate, absent: { command: 'no-such-program' } });
		const outcomeOf = async (...words: string[]): Promise<unknown> => {
			const { stderr } = await run('call', ...words, '--json');
			const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: { data: object } };
			return error.data;
		};
		expect(await outcomeOf('gate', 'die')).toMatchObject({ outcome: 'unknown' });
		expect(await outcomeOf(`stdio:${process.execPath} "${fixture}" normal`, 'die')).toMatchObject({
			outcome: 'unknown',
		});
		expect(await outcomeOf('absent', 'x')).toMatchObject({ outcome: 'not_run' });
	});

	it('starts no server but the one that it needs', async () => {
		const { run, cwd } = mcpFolder({
			py: callServer,
			other: { command: 'sh', args: ['-c', 'touch started'] },
		});
		expect((await run('call', 'py', 'add', 'numbers=1')).code).toBe(0);
		expect((await run('call', 'hello-world')).code).toBe(0);
		expect(() => readFileSync(join(cwd, 'started'))).toThrow('ENOENT');
	});

	it('describes an image, saves it with --output, and shows links as lines', async () => {
		const { run, cwd } = mcpFolder({ py: callServer });
		const { stdout } = await run('call', 'py', 'picture');
		expect(stdout).toBe('[image image/png, 5 bytes]\n→ file:///a.png  a.png\na picture\n');
		const saved = await run('call', 'py', 'picture', '--output', 'a.png');
		expect([saved.stdout, withoutScan(saved.stderr)]).toEqual([
			'',
			'mctl: saved a.png (image/png, 5 bytes)\n',
		]);
		expect(readFileSync(join(cwd, 'a.png'), 'utf8')).toBe('hello');
	});

	it.runIf(runsAllTests)(
		'draws an image of a real server in a terminal that can, and saves it for any other',
		async () => {
			const { cwd, env, run } = mcpFolder({ everything: realServer('everything') });
			const words = ['call', 'everything', 'get-tiny-image'];
			const screenWith = async (variables: Record<string, string>): Promise<string> =>
				(await mctlOnScreen(words, { cwd, env: { ...env, TMPDIR: cwd, ...variables } })).screen;
			const image = imageIn(JSON.parse((await run(...words, '--json')).stdout));

			const drawn = await screenWith({ TERM: 'xterm-kitty' });
			const chunks = [...drawn.matchAll(KITTY_CHUNK)].map(([, keys, data = '']) => ({ keys, data }));
			expect(chunks[0]?.keys).toMatch(/^a=T,f=100,q=2,m=[01]$/);
			expect(chunks.at(-1)?.keys).toMatch(/m=0$/);
			expect(chunks.map(({ data }) => data).join('')).toBe(image);
			expect(await screenWith({ TERM_PROGRAM: 'iTerm.app' })).toContain(`:${image}\u0007`);

			const screen = await screenWith({ TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/tmux,1,0' });
			const [, path = ''] = /^\[image image\/png, .*\] saved as (.*image\.png)$/m.exec(screen) ?? [];
			expect(readFileSync(path).toString('base64')).toBe(image);
			expect(screen).not.toContain(image);
		},
		30_000,
	);

	it('gives a tool the content of a file', async () => {
		const { cwd, run } = mcpFolder({ everything: realServer('everything') });
		writeFiles(cwd, { 'letter.txt': 'Dear, all\n' });
		const { stdout } = await run('call', 'everything', 'echo', 'message=@letter.txt');
		expect(stdout).toBe('Echo: Dear, all\n');
	}, 30_000);

	it('prints log messages to stderr and the answer to stdout', async () => {
		const { run } = mcpFolder({ py: callServer });
		const { stdout, stderr } = await run('call', 'py', 'talk');
		expect(stdout).toMatch(/^doneEVIL/);
		expect(stderr).toContain('⚠ talk: careful');
	});

	it.each([['py'], [callServerUri]])(
		'declines the elicitation of a server without a terminal (%s)',
		async (word) => {
			const { run } = mcpFolder({ py: callServer });
			const { stdout, code } = await run('call', word, 'ask');
			expect([stdout, code]).toEqual(['{"action":"decline"}\n', 0]);
		},
		30_000,
	);

	it.each([['py'], [callServerUri]])(
		'ends with 130 at Ctrl-C and leaves nothing behind (%s)',
		async (word) => {
			const { cwd, env } = mcpFolder({ py: callServer });
			const child = startMctl(['call', word, 'hang'], { cwd, env });
			let stderr = '';
			child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
			await until('the tool runs', () => stderr.includes('hanging'));
			const exited = new Promise((resolve) => child.once('exit', resolve));
			child.kill('SIGINT');
			expect(await exited).toBe(130);
		},
		30_000,
	);

	it.runIf(runsAllTests)('works with a server of the MCP project through the shared hub', async () => {
		const bad = { command: 'sh', args: ['-c', 'exit 3'] };
		const { run } = mcpFolder({ files: realServer('filesystem', '.'), bad }, { 'a.txt': 'hello' });
		await run('hub', 'start');
		const first = await run('call', 'files', 'read_text_file', 'path=a.txt');
		expect([first.stdout, first.stderr, first.code]).toEqual(['hello\n', '', 0]);
		const { servers } = JSON.parse((await run('list', 'servers', '--json')).stdout);
		expect(servers).toMatchObject([
			{ name: 'files', state: 'idle', era: 'legacy', tools: 14, pid: expect.any(Number) },
			{ name: 'bad' },
		]);
		await run('call', 'bad', 'any');
		const ps = await run('hub', 'ps');
		expect(ps.stderr).toMatch(/^mctl: the MCP server bad .* exited with code 3 .*\n *next try: /m);
		expect(ps.stdout).toMatch(/^files +\d+ +\d+ MB .* idle +legacy +\S+ +14 /m);
	});
});

describe('mctl run', () => {
	it('runs a tool of a server, with events as for any tool', async () => {
		const { run } = mcpFolder({ py: callServer });
		const { stdout, code } = await run('run', 'py__add', 'numbers=1,2', '--json');
		const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
		expect([code, last]).toEqual([0, expect.objectContaining({ type: 'result', payload: { total: 3 } })]);
		expect((await run('run', 'py__add', 'numbers=x')).stderr).toContain(
			'numbers.0 is "x"; expected: integer',
		);
	});
});

describe('a tool', () => {
	it('has the same names for mctl call, run, show and list', async () => {
		const { cwd, run } = mcpFolder({ py: callServer });
		const file = JSON.stringify({ mcpServers: { py: callServer } });
		writeFiles(dirname(cwd), { '.cursor/mcp.json': file });
		const names = [['py', 'add'], ['py__add'], [callServerUri, 'add'], ['cursor:py', 'add']];
		for (const words of names) {
			const called = await run('call', ...words, 'numbers=1,2', '--json');
			expect([words, JSON.parse(called.stdout)]).toMatchObject([words, { isError: false }]);
			const ran = await run('run', ...words, 'numbers=1,2', '--json');
			const last = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '');
			expect([words, ran.code, last]).toMatchObject([words, 0, { type: 'result' }]);
			const { content, structuredContent } = JSON.parse(called.stdout).result;
			expect(last.payload).toEqual(structuredContent ?? { text: content[0].text });
			const listed = JSON.parse((await run('list', words[0] ?? '', '--json')).stdout);
			expect([words, listed.tools[0].id]).toEqual([words, expect.stringMatching(/^(?:py__)?add$/)]);
			expect([words, (await run('show', ...words)).stdout]).toEqual([
				words,
				expect.stringContaining('numbers'),
			]);
		}
	});
});

describe('mctl show', () => {
	it('shows the signature of a tool, its server, and a call that works as it is typed', async () => {
		const { run } = mcpFolder({ py: callServer });
		const { stdout, code } = await run('show', 'py', 'add');
		expect(stdout).toContain(
			'py__add(\n  numbers: integer[]              What is added\n  options?: { negate?: boolean }\n)',
		);
		expect(stdout).toContain(
			'Hints:   read-only\nServer:  py 1.2.3, known\nExample: mctl call py add numbers=1\n',
		);
		expect(code).toBe(0);
		const { stdout: json } = await run('show', 'py__add', '--json');
		const shown = JSON.parse(json);
		expect(shown).toMatchObject({
			schema: 'orchestra.show/1',
			kind: 'tool',
			server: { name: 'py', state: 'known' },
		});
		const [, ...words] = String(shown.example).split(' ');
		expect((await run(...words)).stdout).toMatch(/^1\n/);
	});

	it.runIf(runsAllTests)(
		'shows prompts and resources of servers, and prompt and read fetch them',
		async () => {
			const { run } = mcpFolder({ all: realServer('everything') });
			expect((await run('show', 'all', 'args-prompt')).stdout).toContain(
				'mctl prompt all__args-prompt city=text',
			);
			expect((await run('prompt', 'all__args-prompt', 'city=Rome')).stdout).toContain('Rome');
			expect((await run('prompt', 'all__arg-prompt')).stderr).toContain(
				'did you mean: mctl prompt all__args-prompt',
			);
			const uri = 'demo://resource/static/document/features.md';
			expect((await run('show', uri)).stdout).toContain(`mctl read ${uri}`);
			expect((await run('read', uri)).stdout).toContain('# ');
			expect((await run('read', `${uri}x`)).stderr).toContain(`did you mean: mctl read ${uri}`);
		},
	);
});

describe.skipIf(!hasTerminal)('on a terminal', () => {
	it.each(runsAllTests ? [60, 120] : [60])(
		'nothing of a server moves the cursor, and no line is wider than %i columns',
		async (columns) => {
			const { cwd, env } = mcpFolder({ py: callServer, gone: { command: 'no-such-program' } });
			for (const words of [
				['call', 'py', 'evil'],
				['call', 'py', 'talk'],
				['call', 'py', 'evil', '--json'],
				['call', 'py', 'evi'],
				['call', 'py', 'add', 'numbers=x'],
				['show', 'py', 'evil'],
				['show', 'py', 'evi'],
				['list', 'servers'],
				['list', 'servers', '--check'],
				['list', 'servers', '--chek'],
				['hub', 'logs', 'py'],
				['hub', 'logs', 'pi'],
			]) {
				const { screen } = await mctlOnScreen(words, { cwd, env, columns });
				expect(screen.replace(STYLES_AND_CLEAR_LINE, ''), words.join(' ')).not.toMatch(CONTROLS);
				expect(screen, words.join(' ')).not.toBe('');
				if (words[0] !== 'list' || words.includes('--chek')) continue;
				const table = screen
					.split('\n')
					.map((line) => (line.split(CLEAR_LINE).at(-1) ?? '').replace(STYLES_AND_CLEAR_LINE, ''))
					.filter((line) => /^(SERVER|py|gone) /.test(line));
				expect(table).toHaveLength(3);
				for (const line of table) expect(line.length).toBeLessThanOrEqual(columns);
			}
		},
		120_000,
	);

	it('asks the fields of a form, repeats a wrong answer, and leaves out an empty one', async () => {
		const { cwd, env } = mcpFolder({ py: callServer });
		const { screen } = await mctlInTerminal(['call', 'py', 'ask'], {
			cwd,
			env,
			columns: 120,
			typed: [
				['age (integer): ', 'old\n'],
				['age (integer): ', '42\n'],
				['color ("red" | "blue"): ', 'blue\n'],
				['note (string), optional: ', '\n'],
			],
		});
		expect(screen).toContain('Who are you?EVIL\\x1b');
		expect(screen).toContain('age is "old"; expected: integer');
		expect(screen).toContain('{"action":"accept","content":{"age":42,"color":"blue"}}');
		expect(screen.replace(STYLES_AND_CLEAR_LINE, '')).not.toMatch(CONTROLS);
	});

	it.each([
		['Ctrl-D declines', '\u0004', '{"action":"decline"}', 0],
		['Ctrl-C ends the command', '\u0003', '^C', 130],
	])(
		'%s',
		async (_, keys, text, exitCode) => {
			const { cwd, env } = mcpFolder({ py: callServer });
			const typed = [['age (integer): ', keys]] as const;
			const { screen, code } = await mctlInTerminal(['call', 'py', 'ask'], { cwd, env, typed });
			expect(screen).toContain(text);
			expect(code).toBe(exitCode);
		},
		30_000,
	);
});

/** Without the warning of the scan about another tool of the Python server. */
function withoutScan(stderr: string): string {
	return stderr.replace(/^.* is suspicious: evil: .*\n/m, '');
}

/** The base64 of the one image in the answer of `mctl call --json`. */
function imageIn({ result }: { result: { content: { type: string; data?: string }[] } }): string {
	return String(result.content.find(({ type }) => type === 'image')?.data);
}
