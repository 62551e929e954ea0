import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { OrchestraError } from '../../src/errors.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { ChildTransport } from '../../src/transport/child-transport.ts';
import { Client, type ClientOptions } from '../../src/transport/client.ts';
import { isAlive, node, rpcServer, shell } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const clients: Client[] = [];
afterEach(async () => {
	await Promise.all(clients.splice(0).map((client) => client.close()));
});

describe('Client', () => {
	it('calls a real server and gets its answer', async () => {
		const client = await open(rpcServer);
		expect(await client.request('echo', { test: 'value' })).toEqual({
			method: 'echo',
			params: { test: 'value' },
		});
		expect(await client.request('bare')).toEqual({ method: 'bare' });
	});

	it('matches 2,000 concurrent responses to their callers', async () => {
		const client = await open(rpcServer);
		const numbers = Array.from({ length: 2000 }, (_, n) => n);
		const answers = await Promise.all(numbers.map((n) => client.request('echo', [n])));
		expect(answers).toEqual(numbers.map((n) => ({ method: 'echo', params: [n] })));
	});

	it('times out a program that never answers, and stays usable after', async () => {
		const client = await open(rpcServer);
		await expect(client.request('hang', {}, { timeoutMs: 100 })).rejects.toThrow(
			'request timed out after 100ms',
		);
		expect(await client.request('echo')).toEqual({ method: 'echo' });
	});

	it('drops a response that arrives after its timeout', async () => {
		const client = await open({ ...rpcServer, timeoutMs: 60 });
		await expect(client.request('late', { ms: 150 })).rejects.toThrow('request timed out after 60ms');
		expect(await client.request('late', { ms: 200 }, { timeoutMs: 5000 })).toBe('late');
	});

	it.each([
		['an exit', 'die', { code: 3 }, { exitCode: 3, signal: null, stderr: ['dying now'] }],
		['a signal', 'kill', { signal: 'SIGKILL' }, { exitCode: null, signal: 'SIGKILL' }],
	])('rejects every pending call at once when the server dies by %s', async (_, method, params, data) => {
		const client = await open(rpcServer);
		const pending = [client.request('hang'), client.request('hang'), client.request(method, params)];
		for (const call of pending)
			await expect(call).rejects.toMatchObject({
				code: 'closed',
				message: 'process exited unexpectedly',
				data,
			});
		await expect(client.request('echo')).rejects.toThrow('process exited unexpectedly');
		expect(client.isRunning).toBe(false);
	});

	it('delivers the response that a server printed before it died', async () => {
		const client = await open(
			node(`
			process.stdin.once('data', () => {
				process.stdout.write('{"jsonrpc":"2.0","id":1,"result":"last"}\\n', () => process.kill(process.pid, 'SIGKILL'));
			});
		`),
		);
		expect(await client.request('x')).toBe('last');
	});

	it('fails every operation after close with `transport is shut down`', async () => {
		const client = await open({ command: 'cat' });
		const pending = client.request('hang');
		const closing = client.close();
		await expect(pending).rejects.toThrow('transport is shut down');
		await closing;
		expect([client.isShutdown, client.isRunning, isAlive(client.pid)]).toEqual([true, false, false]);
		await expect(client.request('test')).rejects.toThrow('transport is shut down');
		expect(() => client.notify('test')).toThrow('transport is shut down');
		await expect(client.flushed()).rejects.toThrow('transport is shut down');
	});

	it('skips stray lines and shows them in the diagnosis', async () => {
		const client = await open(rpcServer);
		await client.request('noise');
		await client.request('noise');
		expect(client.diagnose()).toMatchObject({ strayCount: 2, strayLines: ['debug: hello', 'debug: hello'] });
	});

	it('serves requests of the server while its own are pending', async () => {
		const asking = node(`
			process.stdin.on('data', (chunk) => {
				for (const line of chunk.toString().trim().split('\\n')) {
					const message = JSON.parse(line);
					if (message.method) console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'roots/list' }) + '\\n{"jsonrpc":"2.0","method":"notifications/message"}');
					else console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, result: message.result }));
				}
			});
		`);
		const notifications: string[] = [];
		const client = await open(asking, {
			onRequest: () => ['root'],
			onNotification: (method) => notifications.push(method),
		});
		expect(await client.request('tools/call')).toEqual(['root']);
		expect(notifications).toEqual(['notifications/message']);
	});

	it('handles responses in order, out of order, split and coalesced', async () => {
		const lumpy = node(`
			const answers = [3, 1, 2].map((id) => JSON.stringify({ jsonrpc: '2.0', id, result: 'é' + id })).join('\\r\\n') + '\\r\\n';
			const bytes = Buffer.from(answers);
			let at = 0;
			const next = () => { if (at < bytes.length) process.stdout.write(bytes.subarray(at, ++at), () => setImmediate(next)); };
			process.stdin.once('data', next);
		`);
		const client = await open(lumpy);
		expect(await Promise.all([client.request('a'), client.request('b'), client.request('c')])).toEqual([
			'é1',
			'é2',
			'é3',
		]);
	});

	it('processes a last line without a newline', async () => {
		const client = await open(shell(`read line; printf '{"jsonrpc":"2.0","id":1,"result":"unended"}'`));
		expect(await client.request('x')).toBe('unended');
	});

	it('fails only the call whose answer is over the limit', async () => {
		const client = await open(rpcServer, { limitBytes: 1000 });
		await expect(client.request('echo', 'x'.repeat(2000).split(''))).rejects.toMatchObject({
			code: 'bad_frame',
		});
		expect(await client.request('echo', ['small'])).toEqual({ method: 'echo', params: ['small'] });
	});

	it('reports a server that closed its stdout but still runs', async () => {
		const client = await open(shell('exec >&-; exec sleep 30'));
		await expect(client.request('x')).rejects.toMatchObject({
			message: 'stdout not available',
			hint: expect.stringContaining('closed its stdout but still runs'),
		});
	});

	it('reads a spawn record or a stdio: URI, and refuses what cannot start', async () => {
		await expect(Client.open('stdio:nonexistent_command_12345')).rejects.toMatchObject({ code: 'spawn' });
		await expect(Client.open('tcp://x')).rejects.toMatchObject({ code: 'bad_input' });
		const client = await open('stdio:cat');
		client.notify('hello', { a: 1 });
		await client.flushed();
	});

	it.each([
		['shows the stderr of its program', '', 'seen\n'],
		['discards it when asked to', ", { stderr: 'discard' }", ''],
	])('%s, and quotes its last lines in errors', async (_title, options, shown) => {
		const index = JSON.stringify(new URL('../../dist/transport/index.js', import.meta.url).href);
		const script = `import { Client, connect } from ${index};
			const program = "stdio:sh -c 'echo seen >&2; exit 3'";
			const client = await Client.open(program${options});
			const error = await client.request('x').catch((thrown) => thrown);
			console.log(JSON.stringify([error.message, error.data.stderr]));`;
		const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
		const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
		expect(JSON.parse(stdout)).toEqual(['process exited unexpectedly', ['seen']]);
		expect(stderr).toBe(shown);
	});

	it('shows every line both ways when ORCHESTRA_TRACE is 1', async () => {
		const script = `import { Client } from ${JSON.stringify(new URL('../../dist/transport/index.js', import.meta.url).href)};
			const client = await Client.open('stdio:cat', { limitBytes: 60 });
			await client.request('first').catch(() => {});
			await client.request('x'.repeat(100), undefined, { timeoutMs: 300 }).catch(() => {});
			await client.close();`;
		const transport = await ChildTransport.open({
			command: process.execPath,
			args: ['--input-type=module', '-e', script],
			env: { ORCHESTRA_TRACE: '1' },
		});
		const ended = new Promise<OrchestraError>((end) =>
			transport.start({ message: () => {}, oversize: () => {}, end }),
		);
		await ended;
		const { stderr } = transport.diagnose();
		expect(stderr.slice(0, 2)).toEqual([
			'→ {"jsonrpc":"2.0","id":1,"method":"first"}',
			'← {"jsonrpc":"2.0","id":1,"method":"first"}',
		]);
		expect(stderr.join('\n')).toContain('(longer than 60 bytes, dropped)');
		await transport.close();
	});
});

describe('ChildTransport', () => {
	it('sends `end` to a receiver that starts after the end', async () => {
		const transport = await ChildTransport.open({ command: 'cat' });
		await transport.close();
		const reasons: OrchestraError[] = [];
		transport.start({ message: () => {}, oversize: () => {}, end: (reason) => reasons.push(reason) });
		expect(reasons).toMatchObject([{ message: 'transport is shut down' }]);
	});

	it('lets a program that has read all its input finish', async () => {
		const transport = await ChildTransport.open({ command: 'wc', args: ['-l'] });
		const lines: string[] = [];
		const end = new Promise((resolve) =>
			transport.start({ message: (text) => lines.push(text), oversize: () => {}, end: resolve }),
		);
		transport.post('1');
		transport.post('2');
		await transport.endInput();
		await end;
		expect(lines.map(Number)).toEqual([2]);
		await until('it is gone', () => !transport.isRunning);
		await transport.close();
	});
});

async function open(target: SpawnRecord | string, options: ClientOptions = {}): Promise<Client> {
	const client = await Client.open(target, options);
	clients.push(client);
	return client;
}
