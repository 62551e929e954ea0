/* What a server costs before its first request. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

it('loads no cryptography before a call asks its client', () => {
	const script = `
		import 'orchestra-hub/mcp';
		console.log(process.moduleLoadList.filter((name) => /NativeModule (crypto|child_process|net|http)$/.test(name)).join());
	`;
	const args = ['--input-type=module', '-e', script];
	const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
	expect(stdout).toBe('\n');
});

it('loads the schema library only when a value needs it', () => {
	const script = `
		import { createRequire, Module } from 'node:module';
		import { provide } from 'orchestra-hub/mcp';
		const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => /[\\\\/]ajv[\\\\/]/.test(file));
		const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
		const provider = provide({ name: 'x', version: '1', tools: { t: { inputSchema, run: ({ n }) => n } } });
		const call = (n) => provider.callTool({ name: 't', arguments: { n } }, {});
		const seen = [isLoaded()];
		call(1);
		seen.push(isLoaded());
		await call('wrong');
		seen.push(isLoaded());
		console.log(JSON.stringify(seen));
	`;
	const args = ['--input-type=module', '-e', script];
	const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
	expect(JSON.parse(stdout)).toEqual([false, false, true]);
});
