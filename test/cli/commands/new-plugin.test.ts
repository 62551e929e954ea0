import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPluginProcess } from '../../../src/plugin/client/plugin-process.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const mctl = new URL('../../../dist/cli/main.js', import.meta.url).pathname;

describe('mctl new plugin', () => {
	it('writes a plugin that starts and answers', async () => {
		const cwd = temporaryFolder();
		const { status } = spawnSync(process.execPath, [mctl, 'new', 'plugin', 'tools.hello'], { cwd });
		expect(status).toBe(0);
		const args = [join(cwd, 'tools.hello/plugin.mjs')];
		const certsDir = temporaryFolder();
		const program = {
			id: 'tools.hello',
			binary: process.execPath,
			args,
			certsDir,
			orchestratorAddress: '127.0.0.1:9',
		};
		const plugin = await startPluginProcess(program);
		onTestFinished(() => plugin.stop());
		const value = { toolName: 'hello', arguments: { name: 'you' } };
		const { response } = await plugin.client.send({ request: { case: 'toolCall', value } });
		expect(response).toMatchObject({ value: { success: true, result: { text: 'Hello, you!' } } });
	});

	it('depends on the installed package by its path, never by a name of the registry', async () => {
		const cwd = temporaryFolder();
		spawnSync(process.execPath, [mctl, 'new', 'plugin', 'by-path'], { cwd });
		const { dependencies } = JSON.parse(await readFile(join(cwd, 'by-path/package.json'), 'utf8'));
		expect(dependencies).toEqual({ 'orchestra-hub': `file:${resolve(import.meta.dirname, '../../..')}` });
	});

	it('overwrites nothing, and refuses an id that is no name', async () => {
		const cwd = temporaryFolder();
		const run = (...words: string[]) =>
			spawnSync(process.execPath, [mctl, 'new', 'plugin', ...words], { cwd, encoding: 'utf8' });
		expect(run('twice').status).toBe(0);
		expect(run('twice')).toMatchObject({
			status: 64,
			stderr: expect.stringContaining('Nothing is overwritten'),
		});
		expect(run('../out').status).toBe(64);
		expect(run().status).toBe(64);
	});
});
