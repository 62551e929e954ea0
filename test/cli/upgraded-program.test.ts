import { spawn } from 'node:child_process';
import { cpSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BridgeClient } from '../support/bridges.ts';
import { realServer } from '../support/mcp-folder.ts';
import { main } from '../support/mctl.ts';
import { homeVariables, temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = resolve(dirname(main), '../..');

it('a program that is upgraded while it serves loses no answer, and says why it cannot do more', async () => {
	const { client, upgrade } = startCopy();
	client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: greeting });
	await client.answer(1);
	client.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: read('NOTICE') });
	expect(await client.answer(2)).toContain('"result"');
	upgrade();
	// The result is above the budget of this client, and what would shorten it is gone.
	client.send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: read('CHANGELOG.md') });
	expect(await client.answer(3)).toContain('The first release.');
	client.send({
		jsonrpc: '2.0',
		id: 4,
		method: 'tools/call',
		params: { name: 'look', arguments: { handle: 'x', op: 'head' } },
	});
	expect(await client.answer(4)).toContain('this program was upgraded or removed while it ran');
});

const greeting = {
	protocolVersion: '2025-06-18',
	capabilities: {},
	clientInfo: { name: 'claude-code', version: '1' },
};

function read(name: string): object {
	return { name: 'files__read_text_file', arguments: { path: join(root, name) } };
}

/** `mctl serve` of a copy of the package, and what an upgrade does to its files. */
function startCopy(): { client: BridgeClient; upgrade(): void } {
	const home = temporaryFolder();
	const copy = join(home, 'package');
	for (const name of ['dist', 'package.json', 'library', 'data'])
		cpSync(join(root, name), join(copy, name), { recursive: true });
	symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
	const cwd = join(home, 'work');
	const servers = { mcpServers: { files: realServer('filesystem', root) } };
	writeFiles(cwd, { 'orchestra.json': JSON.stringify(servers) });
	const env = { ...process.env, ...homeVariables(home) };
	const child = spawn(process.execPath, [join(copy, 'dist/cli/main.js'), 'serve'], { cwd, env });
	onTestFinished(() => void child.kill('SIGKILL'));
	const chunks = join(copy, 'dist/chunks');
	return {
		client: new BridgeClient(child.stdin, child.stdout),
		upgrade: () => renameSync(chunks, `${chunks}.old`),
	};
}
