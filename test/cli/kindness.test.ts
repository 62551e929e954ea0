/* Wrong input, as a new user gives it: each error says what to do instead. */
import { describe, expect, it } from 'vitest';
import { callServer, mcpFolder } from '../support/mcp-folder.ts';
import { manifestOf } from '../support/tool-folder.ts';

const shapes = {
	'tools/draw/manifest.json': manifestOf('draw', {
		inputSchema: {
			type: 'object',
			properties: { shape: { enum: ['circle', 'square'] }, filled: { type: 'boolean' } },
			additionalProperties: false,
		},
	}),
	'tools/draw/main.sh': 'exit 0\n',
};

describe('a program that is no MCP server', () => {
	it.each([
		['call', 'stdio:cat', 'x'],
		['call', 'echo', 'x'],
		['list', 'servers', '--check'],
	])(
		'is called that by mctl %s %s',
		async (...words) => {
			const { stderr, code } = await mcpFolder({ echo: { command: 'cat' } }).run(...words);
			expect(stderr).toContain('this is no MCP server: it sends back what it receives');
			expect(code).not.toBe(0);
		},
		30_000,
	);
});

it('mctl list servers names a failed server whose name is a part of the error', async () => {
	const { run } = mcpFolder({ com: { command: 'no-such-program' } });
	await run('learn');
	expect((await run('list', 'servers')).stderr).toMatch(/^mctl: com is failed: .*no-such-program/m);
});

describe('manifests', () => {
	it.each(['run', 'call', 'show'])(
		'with a mistake are named by mctl %s, with servers and without',
		async (command) => {
			const files = { 'tools/x/manifest.json': '{' };
			for (const servers of [{}, { echo: { command: 'cat' } }]) {
				const { stderr, code } = await mcpFolder(servers, files).run(command, 'x');
				expect(stderr).toContain('mctl: the tool "x" cannot be used: ');
				expect(stderr).toMatch(/^hint: Correct .*manifest\.json, then run: mctl check /m);
				expect(code).toBe(64);
			}
		},
		30_000,
	);

	it('with another runtime are pointed to command', async () => {
		const files = { 'tools/x/manifest.json': manifestOf('x', { runtime: 'ruby', entry: 'main.rb' }) };
		const { stderr, code } = await mcpFolder({}, files).run('run', 'x');
		expect(stderr).toContain('write "command": ["ruby", "main.rb"]');
		expect(code).toBe(64);
	});

	it('with a mistyped key get an error with the key that was meant', async () => {
		const { name: _, ...rest } = JSON.parse(manifestOf('x')) as Record<string, unknown>;
		const required = { 'tools/x/manifest.json': JSON.stringify({ ...rest, nmae: 'X' }) };
		expect((await mcpFolder({}, required).run('run', 'x')).stderr).toContain('but there is "nmae"');
		const optional = {
			'tools/x/manifest.json': manifestOf('x', { inputschema: {} }),
			'tools/x/main.sh': 'exit 0\n',
		};
		const { stdout } = await mcpFolder({}, optional).run('check', 'x');
		expect(stdout).toContain('"inputschema" is ignored; did you mean inputSchema');
	});
});

it('a mistyped key of a server is reported, and the server is used', async () => {
	const { run } = mcpFolder({ py: { ...callServer, alow: ['add'], timeout: 5 } });
	const { stdout } = await run('doctor');
	expect(stdout).toMatch(/mcpServers\.py\.alow is an unknown key; allowed: allow, if that was meant/);
	expect(stdout).not.toContain('mcpServers.py.timeout');
	expect(stdout).toContain(`server py: ${process.execPath} is there`);
});

describe('a mistyped parameter', () => {
	it.each(['run', 'call'])(
		'exits with 64 in mctl %s, and the right one is named',
		async (command) => {
			const { stderr, code } = await mcpFolder({}, shapes).run(command, 'draw', 'shpe=circle');
			expect(stderr).toMatch(/did you mean:? shape/);
			expect(code).toBe(64);
		},
		30_000,
	);
});

it('a tool that exits with 0 and sent no result failed', async () => {
	const { run } = mcpFolder({}, shapes);
	expect(await run('run', 'draw')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('sent no result'),
	});
	expect((await run('call', 'draw')).code).toBe(1);
});

it('a mistyped tool of a server is not taken for a server', async () => {
	const { stderr } = await mcpFolder({ py: callServer, adder: callServer }).run('call', 'py', 'addr');
	expect(stderr).toContain('did you mean: add\n');
});

it('mctl serve --config with a folder says which file it takes', async () => {
	const { run, cwd } = mcpFolder({});
	const { stderr, code } = await run('serve', '--config', cwd);
	expect(stderr).toContain(`--config takes a file, and ${cwd} is a folder`);
	expect(stderr).toContain(`orchestra.json`);
	expect(code).toBe(64);
});

it('completion knows the parameters of a tool and their values, as bash and zsh split them', async () => {
	const { run } = mcpFolder({}, shapes);
	const words = async (...typed: string[]): Promise<string[]> =>
		(await run('completion', 'words', '--', ...typed)).stdout.split('\n').filter(Boolean);
	expect(await words('run', 'draw', '')).toEqual(['shape=', 'filled=']);
	expect(await words('run', 'draw', 'shape=ci')).toEqual(['shape=circle']);
	expect(await words('run', 'draw', 'shape', '=', 'ci')).toEqual(['circle']);
	expect(await words('run', 'draw', 'filled', '=')).toEqual(['true', 'false']);
});

it('mctl hub logs takes -n', async () => {
	const { run } = mcpFolder({});
	await run('hub', 'start');
	const { stdout, code } = await run('hub', 'logs', '-n', '1');
	expect(stdout.trimEnd().split('\n')).toHaveLength(1);
	expect(code).toBe(0);
});
