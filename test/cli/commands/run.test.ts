import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mctl, startMctl } from '../../support/mctl.ts';
import { isAlive } from '../../support/programs.ts';
import { manifestOf, shellEvent } from '../../support/tool-folder.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

describe('mctl run', () => {
	it('shows the events and the result of hello-world', async () => {
		const { stdout, stderr, code } = await mctl(['run', 'hello-world', 'name=CI'], {
			cwd: temporaryFolder(),
		});
		const lines = stdout.split('\n');
		expect(lines.slice(0, 2)).toEqual(['▶ hello-world', 'ℹ Greeting CI']);
		expect(lines[2]).toMatch(/^▪ The workspace is \//);
		expect(lines.slice(3).join('\n')).toBe(
			`✓ Done\n${JSON.stringify({ message: 'Hello, CI!', toolId: 'hello-world' }, null, 2)}\n`,
		);
		expect([stderr, code]).toEqual(['', 0]);
	});

	it('prints one event a line with --json', async () => {
		const { stdout, code } = await mctl(['run', 'hello-world', '--json'], { cwd: temporaryFolder() });
		const events = stdout
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line) as { type: string; payload: unknown });
		expect(events.map(({ type }) => type)).toEqual(['started', 'log', 'log', 'result']);
		expect(events.at(-1)?.payload).toEqual({ message: 'Hello, World!', toolId: 'hello-world' });
		expect(code).toBe(0);
	});

	it("passes the tool's bytes on untouched with --json", async () => {
		const bytes = Buffer.concat([
			Buffer.from('  {"toolId" : "t","type":"started", "ts":"x", "payload":{ }}\r\n'),
			Buffer.from('{"type":"log","ts":"x","toolId":"t","payload":{"message":"\\u00e9 😀 '),
			Buffer.from([0xff, 0xfe]),
			Buffer.from('"},"extra":1e400}\n{"type":"result","ts":"x","toolId":"t","payload":{"a":1.0,"a":2}}'),
		]);
		const cwd = projectWith('t', 'cat events');
		writeFiles(cwd, { 'tools/t/events': '' });
		const { writeFileSync } = await import('node:fs');
		writeFileSync(join(cwd, 'tools/t/events'), bytes);
		const child = startMctl(['run', 't', '--json'], { cwd });
		child.stdin.end();
		const chunks: Buffer[] = [];
		child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
		await once(child, 'close');
		expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
	});

	it('keeps stdout clean with --json: garbage and stderr go to stderr, the runner adds its event', async () => {
		const cwd = projectWith(
			't',
			`echo garbage; event started '{}' ; echo trouble >&2; event custom '{}' | tr -d '\\n'; exit 3`,
		);
		const { stdout, stderr, code } = await mctl(['run', 't', '--json'], { cwd });
		const events = stdout
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line) as { type: string; payload: object });
		expect(events.map(({ type }) => type)).toEqual(['started', 'custom', 'error']);
		expect(events[2]?.payload).toMatchObject({ code: 'TOOL_CRASH', exitCode: 3, stderr: ['trouble'] });
		expect(stderr).toContain('trouble\n');
		expect(stderr).toContain('mctl: malformed NDJSON: garbage\n');
		expect(code).toBe(3);
	});

	it.skipIf(process.platform !== 'linux').each([
		['that cleared its environment', 'env -i ', ':', 0, true],
		['that left its group', '', ':', 0, false],
		['at the deadline, that left its group', '', 'sleep 30', 124, false],
		['at the deadline, that cleared its environment', 'env -i ', 'sleep 30', 124, true],
	])('does not wait for a process of the tool %s', async (_, prefix, last, exitCode, isStranger) => {
		const leave = `${prefix}setsid sh -c 'echo $$ > pid; exec sleep 30'`;
		const cwd = projectWith('t', `event result '{}'; ${leave} & until [ -s pid ]; do :; done; ${last}`);
		const { code } = await mctl(['run', 't', '--timeout', '1000'], { cwd });
		const pid = Number(readFileSync(join(cwd, 'tools/t/pid'), 'utf8'));
		expect([code, isAlive(pid)]).toEqual([exitCode, isStranger]);
		if (isStranger) process.kill(pid, 'SIGKILL');
	});

	it('takes its deadline from the settings of tools, not from those of requests, as the hub does', async () => {
		const cwd = projectWith('t', `sleep 1; event result '{}'`);
		writeFiles(cwd, { 'orchestra.json': '{ "limits": { "requestMs": 100 } }' });
		expect((await mctl(['run', 't'], { cwd })).code).toBe(0);
		writeFiles(cwd, { 'orchestra.json': '{ "tools": { "timeoutMs": 100 } }' });
		expect((await mctl(['run', 't'], { cwd })).code).toBe(124);
	});

	it('reports how an unsuccessful run ended', async () => {
		const none = await mctl(['run', 't'], { cwd: projectWith('t', `event started '{}'`) });
		expect(none.stderr).toContain('✗ Tool exited with code 0 but sent no result [TOOL_NO_RESULT]');
		expect(none.code).toBe(1);
		const both = await mctl(['run', 't'], {
			cwd: projectWith('t', `event error '{"message":"half"}'; event result '{}'`),
		});
		expect([both.stdout, both.stderr]).toEqual([
			expect.stringContaining('⚠ Finished, with an error'),
			expect.stringContaining('✖ half'),
		]);
		expect(none.stdout + both.stdout).not.toContain('✓');
	});

	it('exits cleanly when its stdout is closed, and stops the tool', async () => {
		const cwd = projectWith(
			't',
			`echo $$ > pid; while :; do event log '{"level":"info","message":"x"}'; done`,
		);
		const line = `"${process.execPath}" "${main}" run t --json | head -1`;
		const shell = spawn('bash', ['-c', `set -o pipefail; ${line}`], { cwd });
		let stdout = '';
		let stderr = '';
		shell.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
		shell.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
		const [code] = await once(shell, 'close');
		expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
		expect(isAlive(Number(readFileSync(join(cwd, 'tools/t/pid'), 'utf8')))).toBe(false);
	});

	it('sends warnings and errors to stderr, shows unknown events, and gives a hint', async () => {
		const cwd = projectWith(
			't',
			`event log '{"level":"warn","message":"careful"}'; event log '{"level":"error","message":"bad","data":{"n":1}}'
			event odd '{"x":1}'; event artifact '{"path":"out.txt"}'; event error '{"message":"first"}'
			event error '{"message":"Token invalid","code":"AUTH","recoverable":true}'; exit 1`,
		);
		const { stdout, stderr, code } = await mctl(['run', 't'], { cwd });
		expect(stdout).toBe('▶ t\nodd {"x":1}\n→ out.txt\n');
		expect(stderr).toBe(
			'⚠ careful\n✖ bad {"n":1}\n✖ first\n✗ Token invalid [AUTH]\n  hint: Check your configuration or input.\n',
		);
		expect(code).toBe(1);
	});

	it('calls a crash a bug of the tool and exits with its code', async () => {
		const { stderr, code } = await mctl(['run', 't'], { cwd: projectWith('t', 'echo boom >&2; exit 42') });
		expect(stderr).toBe(
			'boom\n✗ Tool exited with code 42 [TOOL_CRASH]\n  hint: This is a bug of the tool t, not of your input.\n',
		);
		expect(code).toBe(42);
	});

	it('does not let a tool send control codes to the terminal', async () => {
		const cwd = projectWith(
			't',
			`event log '{"level":"info","message":"\\u001b]0;owned\\u0007"}'; event result '{}'`,
		);
		expect((await mctl(['run', 't'], { cwd })).stdout).toContain('ℹ \\x1b]0;owned\\x07\n');
	});

	it('exits 124 at the deadline of --timeout', async () => {
		const { stderr, code } = await mctl(['run', 't', '--timeout', '200'], {
			cwd: projectWith('t', 'sleep 60'),
		});
		expect(stderr).toContain('✗ Tool exceeded timeout of 200ms [RUNNER_TIMEOUT]');
		expect(code).toBe(124);
	});

	it('takes the deadline and the configuration of a tool from orchestra.json', async () => {
		const cwd = projectWith('t', 'cat; sleep 60', { requiredConfig: ['a.key'] });
		writeFiles(cwd, {
			'orchestra.json': '{"tools":{"roots":["tools"],"timeouts":{"t":300},"config":{"a":{"key":"v"}}}}',
		});
		const { stderr, code } = await mctl(['run', 't'], { cwd });
		expect(code).toBe(124);
		expect(stderr).toContain('"config":{"a.key":"v"}');
		expect(stderr).toContain('timeout of 300ms');
	});

	it.each(['SIGINT', 'SIGTERM'] as const)('ends the whole group of the tool on %s', async (signal) => {
		const cwd = projectWith('t', `sleep 61 & echo $! > pid; event started '{}'; sleep 60`);
		const child = startMctl(['run', 't', '--json'], { cwd });
		await once(child.stdout, 'data');
		child.kill(signal);
		const [code] = await once(child, 'close');
		expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
		expect(isAlive(Number(readFileSync(join(cwd, 'tools/t/pid'), 'utf8')))).toBe(false);
	});

	it('reads the input from arguments, --input, a file and stdin; arguments win', async () => {
		const cwd = projectWith('t', 'event result "$(cat)"', {
			inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
		});
		writeFiles(cwd, { 'in.json': '{"from":"file"}' });
		const input = async (...args: string[]): Promise<unknown> => {
			const { stdout } = await mctl(['run', 't', '--json', ...args], { cwd, input: '{"from":"stdin"}' });
			return (JSON.parse(stdout) as { payload: { input: unknown } }).payload.input;
		};
		expect(await input('n=3', 'text=a=b')).toEqual({ n: 3, text: 'a=b' });
		expect(await input('--input', '{"n":1,"m":2}', 'n=3')).toEqual({ n: 3, m: 2 });
		expect(await input('--input', '@in.json')).toEqual({ from: 'file' });
		expect(await input('--input', '-')).toEqual({ from: 'stdin' });
	});

	it('runs a tool by the path of its folder', async () => {
		const cwd = projectWith('t', `event result '{}'`);
		expect((await mctl(['run', './tools/t'], { cwd })).code).toBe(0);
	});

	it.each([
		[[], 'mctl run needs the id of a tool'],
		[['hello-world', 'lonely'], '"lonely" is not an input of the form key=value'],
		[['hello-world', '--timeout', 'soon'], '--timeout takes a whole number, not "soon"'],
		[['hello-world', '--timeout', '0'], '--timeout takes a number above 0'],
		[['hello-world', '--input', '{'], '--input is not JSON'],
		[['hello-world', '--input', '[1]'], '--input is not a JSON object'],
		[['hello-world', '--input', '@nowhere.json'], 'the input file nowhere.json cannot be read'],
		[['hello-world', '--nonsense'], 'there is no flag --nonsense'],
		[['helo-world'], 'there is no tool "helo-world"'],
	])('refuses %j with a sentence, a hint and exit 64', async (args, sentence) => {
		const { stdout, stderr, code } = await mctl(['run', ...args], { cwd: temporaryFolder() });
		expect([stdout, code]).toEqual(['', 64]);
		expect(stderr).toContain(`mctl: ${sentence}`);
		expect(stderr).toMatch(/^hint: .+$/m);
	});

	it('suggests the nearest tools for a mistyped id', async () => {
		const { stderr } = await mctl(['run', 'wordcount'], { cwd: temporaryFolder() });
		expect(stderr).toBe('mctl: there is no tool "wordcount"\nhint: did you mean: word-count\n');
	});

	it('says why a tool with a broken manifest cannot run', async () => {
		const cwd = projectWith('t', '', { timeoutMs: -1 });
		const { stderr, code } = await mctl(['run', 't'], { cwd });
		expect(code).toBe(64);
		expect(stderr).toContain('timeoutMs is -1 (a number); allowed: a whole number');
	});
});

function projectWith(id: string, script: string, changes: Record<string, unknown> = {}): string {
	return writeFiles(temporaryFolder(), {
		[`tools/${id}/manifest.json`]: manifestOf(id, changes),
		[`tools/${id}/main.sh`]: `${shellEvent(id)}\n${script}\n`,
	});
}
