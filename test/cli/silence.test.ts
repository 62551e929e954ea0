/* A command warns about what it uses, says nothing twice, and is as quiet as its flags say. */
import { describe, expect, it } from 'vitest';
import { callServer, mcpFolder } from '../support/mcp-folder.ts';
import { mctl } from '../support/mctl.ts';
import { manifestOf } from '../support/tool-folder.ts';

const variable = '${NOT_SET_TOKEN}';
const servers = {
	py: callServer,
	needy: { ...callServer, env: { A: variable, B: '${NOT_SET_EITHER}' } },
	off: { ...callServer, disabled: true, env: { A: '${NOT_SET_AND_OFF}' } },
	wrong: { ...callServer, scope: 'galaxy' },
};
const files = {
	'tools/hello/manifest.json': manifestOf('hello', { command: ['sh', 'main.sh'] }),
	'tools/hello/main.sh': `printf '{"type":"result","ts":"2025-02-25T10:00:00.000Z","toolId":"hello","payload":{}}\n'`,
	'tools/broken/manifest.json': '{"manifestVersion":1}',
};

describe('problems of what a command does not use', () => {
	it.each([
		['call', 'py', 'add', 'numbers=1'],
		['call', 'py__add', 'numbers=1'],
		['run', 'py__add', 'numbers=1'],
		['run', 'hello'],
		['show', 'py', 'add'],
		['policy', 'test', 'py__add'],
	])(
		'are not mentioned by mctl %s %s',
		async (...words) => {
			const { stderr, code } = await mcpFolder(servers, files).run(...words);
			expect(stderr).not.toMatch(/NOT_SET|galaxy|manifest|WARN/);
			expect(code).toBe(0);
		},
		30_000,
	);

	it('are an error of a command that names the server', async () => {
		const { run } = mcpFolder(servers, files);
		for (const words of [
			['call', 'needy', 'add'],
			['call', 'needy__add'],
			['run', 'needy__add'],
			['show', 'needy'],
		]) {
			const { stderr, code } = await run(...words);
			expect(stderr).toMatch(
				/^mctl: .*orchestra\.json:1: the server needy needs \$\{NOT_SET_TOKEN\}, \$\{NOT_SET_EITHER\}, not set\nhint: /,
			);
			expect(code).toBe(64);
		}
		expect((await run('call', 'wrong', 'add')).stderr).toContain('mcpServers.wrong.scope is "galaxy"');
	});

	it('that is broken and holds everything are mentioned', async () => {
		const { run } = mcpFolder(servers, { ...files, 'orchestra.json': '{ "mcpServers": ' });
		expect((await run('run', 'hello')).stderr).toContain('orchestra.json');
	});
});

describe('mctl list', () => {
	it('has a row for a server that needs a variable, and one line for each problem', async () => {
		const { run } = mcpFolder(servers, files);
		const { stdout, stderr } = await run('list');
		expect(stdout).toMatch(/^needy +needs \$\{NOT_SET_TOKEN\}, \$\{NOT_SET_EITHER\} /m);
		expect(stdout).toMatch(/^wrong +invalid /m);
		expect(stdout).toMatch(/^off +disabled /m);
		const lines = stderr.trimEnd().split('\n');
		expect(lines).toHaveLength(3);
		expect(new Set(lines).size).toBe(3);
		expect(stderr).not.toContain('NOT_SET_AND_OFF');
	});

	it('fails with --check, where the server is not ok', async () => {
		const { py, needy } = servers;
		const { stdout, code } = await mcpFolder({ py, needy }).run('list', 'servers', '--check');
		expect(stdout).toMatch(/^py +ok /m);
		expect(stdout).toMatch(/^needy +needs \$\{NOT_SET_TOKEN\}/m);
		expect(code).toBe(1);
	});

	it('says once why a server failed, and not as a log line', async () => {
		const dies = { command: 'sh', args: ['-c', 'echo "fatal: no disk" >&2; exit 3'] };
		const { run } = mcpFolder({ dies });
		for (const words of [['list'], ['list', 'tools']]) {
			const { stderr } = await run(...words);
			expect(stderr.match(/fatal: no disk/g)).toHaveLength(1);
			expect(stderr).not.toContain('[WARN]');
		}
		const { stdout } = await run('list', 'servers');
		expect(stdout).toMatch(/^dies +failed /m);
	});
});

it('mctl doctor has one line for a server that needs variables, and none for one that is disabled', async () => {
	const { stdout } = await mcpFolder(servers, files).run('doctor');
	expect(stdout.match(/NOT_SET_EITHER/g)).toHaveLength(1);
	expect(stdout).toMatch(/\[FAIL\] .*the server needy needs .*\n {7}→ Set them, or write a default/);
	expect(stdout).not.toContain('NOT_SET_AND_OFF');
});

describe('--quiet and LOG_LEVEL=error', () => {
	it.each([
		[['list', '--quiet'], {}],
		[['-q', 'list'], {}],
		[['list'], { LOG_LEVEL: 'error' }],
		[['list', 'prompts'], { LOG_LEVEL: 'error' }],
		[['find', 'server hangs'], { LOG_LEVEL: 'error' }],
	])(
		'leave nothing on stderr of mctl %s',
		async (words, more) => {
			const { cwd, env } = mcpFolder(servers, files);
			const { stderr, code } = await mctl(words, { cwd, env: { ...env, ...more } });
			expect(stderr).toBe('');
			expect(code).toBe(0);
		},
		30_000,
	);

	it('keep errors', async () => {
		const { stderr, code } = await mcpFolder(servers).run('call', 'py', 'fail', '--quiet', 'x=1');
		expect(stderr).toMatch(/^mctl: /);
		expect(code).not.toBe(0);
		const crash = await mcpFolder({}, files).run('run', 'broken', '-q');
		expect(crash.stderr).toMatch(/^mctl: the tool "broken" cannot be used/);
	});

	it('keep warnings out of the log of mctl serve', async () => {
		const { cwd, env } = mcpFolder(servers, files);
		const said = async (level: string): Promise<string> =>
			(await mctl(['serve'], { cwd, env: { ...env, LOG_LEVEL: level }, input: '' })).stderr;
		expect(await said('warn')).toContain('NOT_SET_TOKEN');
		expect(await said('error')).toBe('');
	});
});
