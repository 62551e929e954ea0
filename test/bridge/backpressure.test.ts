/* Agents that write much before they read, or never read: no deadlock, and memory is bounded. */

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runBridge } from '../../src/bridge/run-bridge.ts';
import { Log } from '../../src/log.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import { firstOf } from '../support/all-tests.ts';
import { startBridge, startHub } from '../support/bridges.ts';
import { startMctl } from '../support/mctl.ts';
import { deferred } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const TEN_MIB = 10 * 1024 * 1024;

it.each(firstOf(['tools/call', 'tools/list', 'ping']))(
	'an agent that writes 10 MiB of %s before it reads gets every answer',
	async (method) => {
		const folder = temporaryFolder();
		const { address } = await startHub({ folder }, provide(server()));
		const child = startMctl(['bridge', '--orchestrator-addr', address, '--certs-dir', folder]);
		const params = { name: 'echo', arguments: { text: 'x'.repeat(method === 'tools/call' ? 500 : 0) } };
		const lines: string[] = [];
		for (let bytes = 0; bytes < TEN_MIB; bytes += lines.at(-1)?.length ?? 0)
			lines.push(`${JSON.stringify({ jsonrpc: '2.0', id: lines.length, method, params })}\n`);
		await new Promise<void>((resolve) => child.stdin.write(lines.join(''), () => resolve()));
		child.stdin.end();
		const chunks: Buffer[] = [];
		child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
		await once(child, 'close');
		const output = Buffer.concat(chunks).toString().trimEnd().split('\n');
		const answers = output.map((line) => JSON.parse(line));
		expect(answers.filter(({ result }) => result === undefined)).toEqual([]);
		expect(new Set(answers.map(({ id }) => id)).size).toBe(lines.length);
		expect(answers.length).toBe(lines.length);
	},
	60_000,
);

it('a bridge closes with one log line when its agent never reads', async () => {
	const folder = temporaryFolder();
	const { address } = await startHub({ folder }, provide(server()));
	const input = new PassThrough();
	const lines: string[] = [];
	const stuck = deferred();
	const ended = runBridge({
		findHub: () => Promise.resolve({ address, certsDir: folder }),
		say: () => {},
		input,
		output: new PassThrough(),
		stalledMs: 100,
		onStuck: stuck.resolve,
		log: Log.fromEnvironment('bridge', {}, (line) => lines.push(line)),
	});
	const params = { name: 'echo', arguments: { text: 'x'.repeat(100_000) } };
	for (let id = 0; id < 50; id++)
		input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
	await ended;
	await stuck.promise;
	expect(lines.filter((line) => line.includes('has read nothing'))).toHaveLength(1);
});

it('a bridge whose output is not read ends with 0 at a signal', async () => {
	const folder = temporaryFolder();
	const { child, client, exited } = startBridge(await startHub({ folder }, provide(server())));
	await client.call(1, 'ping');
	child.stdout.pause();
	const params = { name: 'echo', arguments: { text: 'x'.repeat(4_000_000) } };
	client.send(
		{ jsonrpc: '2.0', id: 2, method: 'tools/call', params },
		{ jsonrpc: '2.0', id: 3, method: 'ping' },
	);
	child.kill('SIGTERM');
	const closed = new Promise((resolve) => child.once('exit', resolve));
	expect(await closed).toBe(0);
	child.stdout.resume();
	await exited;
});

function server(): Parameters<typeof provide>[0] {
	return {
		name: 'hub',
		version: '1.0.0',
		tools: { echo: { description: 'Says it again', run: ({ text }) => String(text) } },
	};
}
