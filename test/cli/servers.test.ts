/* What mctl says about the MCP servers of a folder: lists, checks, logs, completion, doctor. */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverLogPath } from '../../src/hub/sources/mcp/server-files.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { callServer, mcpFolder, realServer } from '../support/mcp-folder.ts';
import { startMctl } from '../support/mctl.ts';
import { until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

/** The whole server: it answers `initialize` and `tools/list`, whatever the ids. */
const shellServer = {
	command: 'sh',
	args: [
		'-c',
		`while read -r line; do
			id=$(printf '%s' "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
			case $line in
				*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"0.1"}}}\\n' "$id";;
				*'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}}\\n' "$id";;
				*'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\\n' "$id";;
			esac
		done`,
	],
};

describe('mctl list servers', () => {
	it('says what is configured, and what is known after a first use, without starting anything', async () => {
		const { run } = mcpFolder({ py: callServer, off: { ...callServer, disabled: true } });
		const before = JSON.parse((await run('list', 'servers', '--json')).stdout);
		expect(before.schema).toBe('orchestra.list/1');
		expect(before.servers).toMatchObject([
			{ name: 'py', state: 'configured', tools: null, pid: null },
			{ name: 'off', state: 'disabled' },
		]);
		await run('call', 'py', 'add', 'numbers=1');
		const after = JSON.parse((await run('list', 'servers', '--json')).stdout);
		expect(after.servers[0]).toMatchObject({
			state: 'known',
			tools: 8,
			era: 'legacy',
			version: '1.2.3',
			pid: null,
		});
		expect((await run('list', 'servers')).stdout).toMatch(
			/^py +known +- +- +legacy +1\.2\.3 +8 +- +\S+node /m,
		);
	});

	it('starts each server with --check and explains the one that fails', async () => {
		const { run } = mcpFolder({
			py: callServer,
			sh: shellServer,
			memory: realServer('memory'),
			gone: { command: 'no-such-program' },
			dies: { command: 'sh', args: ['-c', 'echo no disk >&2; exit 3'] },
			off: { ...callServer, disabled: true },
		});
		const { stdout, stderr, code } = await run('list', 'servers', '--check');
		expect(stdout).toMatch(/^py +ok +\d+ ms +8 +legacy +1\.2\.3 /m);
		expect(stdout).toMatch(/^sh +ok +\d+ ms +1 +legacy +0\.1 /m);
		expect(stdout).toMatch(/^memory +ok +\d+ ms +9 /m);
		expect(stdout).toMatch(/^gone +FAILED +\d+ ms /m);
		expect(stdout).toMatch(/^off +disabled +- /m);
		expect(stderr).toContain(
			'mctl: gone: failed to spawn process: command "no-such-program" was not found on PATH',
		);
		expect(stderr).toContain('no disk');
		expect(code).toBe(1);
		const json = JSON.parse((await run('list', 'servers', '--check', '--json')).stdout);
		expect(json.servers.map(({ check }: { check: { isOk: boolean } | null }) => check?.isOk ?? null)).toEqual(
			[true, true, true, false, false, null],
		);
	});

	it('exits with 0 when all are well, and gives a server its own deadline', async () => {
		expect((await mcpFolder({ sh: shellServer }).run('list', '--check')).code).toBe(0);
		const slow = mcpFolder({ slow: { command: 'sleep', args: ['60'], startMs: 300 }, sh: shellServer });
		const { stdout, stderr, code } = await slow.run('list', 'servers', '--check');
		expect([stdout, code]).toEqual([expect.stringMatching(/^slow +FAILED .*\nsh +ok /m), 1]);
		expect(stderr).toContain('mctl: slow: ');
	});

	it('takes --check for servers alone', async () => {
		const { code, stderr } = await mcpFolder({}).run('list', 'tools', '--check');
		expect([code, stderr]).toEqual([64, expect.stringContaining('--check is of servers')]);
	});
});

describe('mctl list', () => {
	it('shows the tools of servers beside those of the folder, and the servers', async () => {
		const { run } = mcpFolder({ py: callServer });
		const { stdout, code } = await run('list', '--examples');
		expect(stdout).toMatch(/^TOOLS\n/);
		expect(stdout).toMatch(/^py__add +mcp +Add numbers$/m);
		expect(stdout).toMatch(/^hello-world +1\.0\.0 +node /m);
		expect(stdout).toMatch(/^SERVERS\nSERVER +STATE .*\npy +known /m);
		expect(code).toBe(0);
		const { tools } = JSON.parse((await run('list', 'tools', '--json')).stdout);
		expect(tools).toContainEqual(expect.objectContaining({ id: 'py__add', runtime: 'mcp' }));
	});

	it('waits for a server that was never seen also when the shared hub runs', async () => {
		const [flag = '', script = ''] = shellServer.args;
		// Longer than the hub itself waits for a list.
		const { run } = mcpFolder({ slow: { command: 'sh', args: [flag, `sleep 3; ${script}`] } });
		await run('hub', 'start');
		expect((await run('list', 'tools')).stdout).toMatch(/^slow__one +mcp/m);
	});

	it.runIf(runsAllTests)('knows a server of a hub to which no client ever connected', async () => {
		const { run, env } = mcpFolder({ sh: shellServer });
		await run('hub', 'start');
		const log = serverLogPath(join(env['XDG_STATE_HOME'] ?? '', 'orchestra'), 'sh');
		await until(
			'the server has started',
			() => existsSync(log) && readFileSync(log, 'utf8').includes('started:'),
		);
		expect((await run('list', 'servers')).stdout).toMatch(/^sh +(idle|ready) /m);
	});
});

describe('a problem of the configuration', () => {
	it('is printed once by mctl list', async () => {
		const { run, cwd } = mcpFolder({ py: callServer });
		writeFileSync(
			join(cwd, 'orchestra.json'),
			JSON.stringify({ mcpServers: { py: callServer, x: { command: 5 } } }),
		);
		const { stderr } = await run('list');
		expect(stderr.match(/mcpServers\.x\.command is 5/g)).toHaveLength(1);
	});
});

describe('mctl hub logs <server>', () => {
	it('shows what the server wrote to stderr, and says when it wrote nothing', async () => {
		const { run } = mcpFolder({ py: callServer, other: callServer });
		await run('call', 'py', 'add', 'numbers=1');
		expect((await run('hub', 'logs', 'py')).stdout).toContain('the call server is up');
		const nothing = await run('hub', 'logs', 'other');
		expect([nothing.code, nothing.stderr]).toEqual([
			1,
			expect.stringContaining('the MCP server other has written nothing to stderr yet'),
		]);
		const wrong = await run('hub', 'logs', 'othr');
		expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('did you mean: other')]);
	});

	it('follows the log with -f, from before it exists and through rotation', async () => {
		const { cwd, env } = mcpFolder({ py: callServer });
		const file = serverLogPath(join(env['XDG_STATE_HOME'] ?? '', 'orchestra'), 'py');
		const child = startMctl(['hub', 'logs', 'py', '-f'], { cwd, env });
		let seen = '';
		child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString('utf8')));
		const shown = (text: string): Promise<void> => until(`${text} is shown`, () => seen.includes(text));
		writeFiles(dirname(file), { 'py.log': 'first\nsec' });
		await shown('first\nsec');
		appendFileSync(file, 'ond é\n');
		await shown('second é\n');
		appendFileSync(file, 'last of the old file\n');
		renameSync(file, `${file}.1`);
		writeFileSync(file, 'first of the new file\n');
		await shown('last of the old file\nfirst of the new file\n');
		child.kill('SIGINT');
		const [code] = await new Promise<[number | null]>((resolve) =>
			child.once('close', (exit) => resolve([exit])),
		);
		expect(code).toBe(130);
	});
});

describe('completion', () => {
	it('completes the names of servers and of the tools that are known, without starting anything', async () => {
		const { run } = mcpFolder({ py: callServer });
		const words = async (...typed: string[]): Promise<string[]> =>
			(await run('completion', 'words', '--', ...typed)).stdout.split('\n').filter(Boolean);
		expect(await words('call', 'p')).toEqual(['py']);
		expect(await words('call', 'py', 'a')).toEqual([]);
		await run('call', 'py', 'add', 'numbers=1');
		expect(await words('call', 'py__a')).toEqual(['py__add', 'py__ask']);
		expect(await words('call', 'py', 'a')).toEqual(['add', 'ask']);
		expect(await words('show', 'py', 'r')).toEqual(['refuse']);
		expect(await words('run', 'py__r')).toEqual(['py__refuse']);
		expect(await words('hub', 'logs', '')).toEqual(['py']);
		expect(await words('call', 'py', 'add', 'n')).toEqual(['numbers=']);
	});
});

describe('mctl doctor', () => {
	it('says for each server whether its program is there, and starts none', async () => {
		const { run } = mcpFolder({
			py: callServer,
			gone: { command: 'no-such-program' },
			far: { url: 'http://127.0.0.1:9/mcp' },
		});
		const { stdout } = await run('doctor');
		expect(stdout).toContain(`[ ok ] server py: ${process.execPath} is there`);
		expect(stdout).toMatch(/\[FAIL\] server gone: .*no-such-program.*\n +→ /);
		expect(stdout).toContain('[ ok ] server far: http://127.0.0.1:9/mcp');
	});
});
