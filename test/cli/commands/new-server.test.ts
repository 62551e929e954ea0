/* The server that `mctl new server` writes: run, called by real MCP clients, added to a hub, and shown in the README. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { mcpFolder } from '../../support/mcp-folder.ts';
import { judgeModes, openJudge } from '../../support/official-clients.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const repository = resolve(import.meta.dirname, '../../..');
const main = join(repository, 'dist/cli/main.js');

describe('mctl new server', () => {
	it.each(judgeModes)('writes a server that %s lists and calls', async (mode) => {
		const cwd = temporaryFolder();
		expect(spawnSync(process.execPath, [main, 'new', 'server', 'greeter'], { cwd }).status).toBe(0);
		const program = { command: process.execPath, args: [join(cwd, 'greeter/server.mjs')] };
		const judge = await openJudge(mode, {
			v1: () => new StdioV1(program),
			v2: () => new StdioV2(program),
		});
		expect(await judge.toolNames()).toEqual(['greet']);
		expect(await judge.call('greet', { name: 'you' })).toBe('Hello, you!');
	});

	it('works with a link to the checkout on PATH, and the printed commands do what they say', async () => {
		const { cwd, env, run } = mcpFolder({});
		const bin = join(cwd, 'bin');
		mkdirSync(bin);
		symlinkSync(join(repository, 'mctl'), join(bin, 'mctl'));
		const shell = (script: string) =>
			spawnSync('/bin/sh', ['-c', script], {
				cwd,
				encoding: 'utf8',
				env: { ...process.env, ...env, PATH: `${bin}${delimiter}${process.env['PATH']}` },
			});
		const written = shell('mctl new server greeter');
		expect(written.stderr).toBe('');
		const [, tryIt = ''] = /^Try it: +(.*)$/m.exec(written.stdout) ?? [];
		expect(shell(tryIt)).toMatchObject({ stdout: 'Hello, you!\n', stderr: '' });
		const [, addIt = ''] = /^Add it: +(.*)$/m.exec(written.stdout) ?? [];
		expect(shell(addIt).status).toBe(0);
		expect(JSON.parse(readFileSync(join(cwd, 'orchestra.json'), 'utf8')).mcpServers.greeter).toMatchObject({
			command: 'node',
			args: ['greeter/server.mjs'],
		});
		expect((await run('call', 'greeter', 'greet', 'name=hub')).stdout).toBe('Hello, hub!\n');
	});

	it('writes what the README shows', () => {
		const cwd = temporaryFolder();
		spawnSync(process.execPath, [main, 'new', 'server', 'greeter'], { cwd });
		const source = readFileSync(join(cwd, 'greeter/server.mjs'), 'utf8');
		expect(readFileSync(join(repository, 'README.md'), 'utf8')).toContain(`\`\`\`js\n${source}\`\`\`\n`);
		expect(source.trim().split('\n').length).toBeLessThanOrEqual(10);
	});

	it('overwrites nothing, and refuses a name that is no name', () => {
		const cwd = temporaryFolder();
		const run = (...words: string[]) =>
			spawnSync(process.execPath, [main, 'new', 'server', ...words], { cwd, encoding: 'utf8' });
		expect(run('twice').status).toBe(0);
		expect(run('twice')).toMatchObject({ status: 64, stderr: expect.stringContaining('exists already') });
		for (const words of [['../out'], ["it's"], [], ['a', 'b']]) expect(run(...words).status).toBe(64);
	});
});
