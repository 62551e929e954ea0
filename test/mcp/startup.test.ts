/* What a server costs before its first request. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
		const call = (n) => provider.request({ method: 'tools/call', params: { name: 't', arguments: { n } }, context: {} });
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

it('loads nothing that starts processes or opens links for the first list of mctl serve', () => {
	const home = mkdtempSync(join(tmpdir(), 'orchestra-start-'));
	// When the list is written: what the hub prepares after it may load more.
	const report = `const { write } = process.stdout;
		process.stdout.write = function (chunk, ...rest) {
			if (String(chunk).includes('"id":2')) console.error(process.moduleLoadList.filter((name) =>
				/NativeModule (child_process|tls|http|dgram)$/.test(name)).join());
			return write.call(this, chunk, ...rest);
		}`;
	const input = [
		{
			id: 1,
			method: 'initialize',
			params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} },
		},
		{ id: 2, method: 'tools/list', params: {} },
	].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	const { stdout, stderr } = spawnSync(
		process.execPath,
		[`--import=data:text/javascript,${encodeURIComponent(report)}`, join(root, 'dist/cli/main.js'), 'serve'],
		{
			cwd: home,
			env: { ...process.env, HOME: home, LOG_LEVEL: 'error' },
			input: input.join(''),
			encoding: 'utf8',
		},
	);
	rmSync(home, { recursive: true, force: true });
	expect(stdout).toContain('"id":2,"result":{"tools":');
	expect(stderr).toBe('\n');
});
