import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { until } from '../support/waiting.ts';

const server = fileURLToPath(new URL('../fixtures/stdio-server.mjs', import.meta.url));

describe('a server process', () => {
	it('answers a one-shot pipe with one line and exits 0', async () => {
		const { stdout, code } = await run('{"jsonrpc":"2.0","id":1,"method":"ping"}');
		expect(protocolLines(stdout)).toEqual(['{"jsonrpc":"2.0","id":1,"result":"pong"}']);
		expect(code).toBe(0);
	});

	it('reserves stdout for the protocol: other prints go to stderr until it is restored', async () => {
		const { stdout, stderr } = await run('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
		expect(stderr).toContain('a stray print in a handler');
		expect(stdout).not.toContain('a stray print in a handler');
		expect(stdout.trimEnd().endsWith('after the protocol')).toBe(true);
	});

	it('logs a request that is no JSON, as it came', async () => {
		const { stdout, stderr } = await run('{"jsonrpc":"2.0","id":1,\n');
		expect(protocolLines(stdout)).toEqual([expect.stringContaining('"code":-32700')]);
		expect(stderr).toMatch(/\[INFO\] \[\w+\] parse error: .*; received .*"jsonrpc/);
	});

	it('drains requests in flight at the end of input', async () => {
		const { stdout, code } = await run('{"jsonrpc":"2.0","id":1,"method":"slow","params":{"ms":200}}\n');
		expect(protocolLines(stdout)).toEqual(['{"jsonrpc":"2.0","id":1,"result":"slow done"}']);
		expect(code).toBe(0);
	});

	it('stops the drain at its timeout, and logs the number of unfinished requests', async () => {
		const { stderr, code } = await run('{"jsonrpc":"2.0","id":1,"method":"never"}\n', { DRAIN_MS: '100' });
		expect(stderr).toMatch(/\[WARN\] \[orchestra\] 1 requests did not finish in time and get no response/);
		expect(code).toBe(0);
	});

	it('flushes a large answer before it exits', async () => {
		const { stdout } = await run('{"jsonrpc":"2.0","id":1,"method":"large","params":{"size":5000000}}\n');
		expect(protocolLines(stdout)[0]?.length).toBe(5_000_000 + '{"jsonrpc":"2.0","id":1,"result":""}'.length);
	});

	it('responds to invalid lines, invalid requests and oversize lines, and continues', async () => {
		const lines = [
			'garbage',
			'5',
			`{"jsonrpc":"2.0","id":9,"method":"${'x'.repeat(200_000)}"}`,
			'{"jsonrpc":"2.0","id":1,"method":"ping"}',
		];
		const { stdout } = await run(`${lines.join('\n')}\n`);
		expect(protocolLines(stdout).map((line) => JSON.parse(line))).toMatchObject([
			{ id: null, error: { code: -32700 } },
			{ id: null, error: { code: -32600 } },
			{ id: 9, error: { code: -32600, message: 'message is longer than the limit of 100000 bytes' } },
			{ id: 1, result: 'pong' },
		]);
	});

	it.each(['SIGINT', 'SIGTERM'] as const)(
		'on %s drains requests in flight and exits 0, also while waiting for input',
		async (signal) => {
			const child = start();
			child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"slow","params":{"ms":300}}\n');
			await handlerStarted(child);
			child.kill(signal);
			const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
			expect(protocolLines(stdout)).toEqual(['{"jsonrpc":"2.0","id":1,"result":"slow done"}']);
			expect(code).toBe(0);
		},
	);

	it('exits on a second signal, though a request still drains', async () => {
		const child = start({ DRAIN_MS: '600000' });
		child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n');
		await handlerStarted(child);
		child.kill('SIGTERM');
		await until('it noticed', () => child.killed);
		const exited = once(child, 'exit');
		const again = setInterval(() => child.kill('SIGTERM'), 50);
		expect(await exited).toEqual([143, null]);
		clearInterval(again);
	});

	it('survives a client that disconnects without reading', async () => {
		const child = start();
		child.stdout.destroy();
		child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"large","params":{"size":5000000}}\n');
		const [code, signal] = await once(child, 'exit');
		expect([code, signal]).toEqual([0, null]);
	});

	it('cancels requests in flight and exits when its stdout is closed, with one warning', async () => {
		const child = start();
		child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n');
		await handlerStarted(child);
		child.stdout.destroy();
		child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
		const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
		expect(stderr.match(/stdout is closed/g)).toHaveLength(1);
		expect(stderr).toContain('1 running requests are canceled');
		expect(stderr).not.toContain('get no response');
		expect(code).toBe(0);
	});

	it('cancels requests in flight when its stdout closes after the end of input', async () => {
		const child = start({ DRAIN_MS: '600000' });
		await once(child.stdout, 'data');
		child.stdout.destroy();
		child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n');
		child.stdin.end('{"jsonrpc":"2.0","id":2,"method":"slow","params":{"ms":100}}\n');
		const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
		expect(stderr).toMatch(/stdout is closed .* 1 running requests are canceled/);
		expect(code).toBe(0);
	});

	it('starts no request after its stdout was closed', async () => {
		const child = start();
		child.stdout.destroy();
		child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
		child.stdin.on('close', () => {});
		const writing = setInterval(() => child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"never"}\n'), 5);
		const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
		clearInterval(writing);
		expect(stderr.split('stdout is closed')[1]).not.toContain('a stray print in a handler');
		expect(code).toBe(0);
	});

	it('exits on one signal when its stdout is not read', async () => {
		const child = start();
		child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"large","params":{"size":5000000}}\n');
		await handlerStarted(child);
		child.kill('SIGTERM');
		const [code, signal] = await once(child, 'exit');
		expect([code, signal]).toEqual([0, null]);
	});

	it('exits on one signal during the final flush', async () => {
		const child = start();
		child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"large","params":{"size":5000000}}\n');
		await handlerStarted(child);
		child.kill('SIGTERM');
		const [[code, signal], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
		expect([code, signal]).toEqual([0, null]);
		expect(stderr).toContain('stdout is not read');
	});

	it('drops queued requests on a signal, and logs how many', async () => {
		const child = start();
		const request = '"method":"large","params":{"size":2000000}}';
		const lines = [0, 1, 2, 3, 4].map((id) => `{"jsonrpc":"2.0","id":${id},${request}\n`);
		child.stdin.write(lines.join(''));
		await handlerStarted(child);
		child.kill('SIGINT');
		const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
		expect(stderr).toMatch(/dropped [1-4] requests that had not started/);
		expect(code).toBe(0);
	});

	it('answers every request when the client reads only after the end of input', async () => {
		const child = start({ DRAIN_MS: '50' });
		const request = '"method":"large","params":{"size":500000}}';
		for (let id = 0; id < 20; id++) child.stdin.write(`{"jsonrpc":"2.0","id":${id},${request}\n`);
		child.stdin.end();
		await once(child.stdin, 'close');
		await handlerStarted(child);
		expect(protocolLines(await text(child.stdout))).toHaveLength(20);
	});

	it.each([
		'{"id":77,"method":"notifications/odd"}',
		'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
		'{"jsonrpc":"2.0","id":20}',
	])('is not kept alive by %s', async (line) => {
		const { stderr, code } = await run(`${line}\n`, { DRAIN_MS: '600000' });
		expect([stderr.includes('handler'), code]).toEqual([false, 0]);
	});

	it('shows every message at LOG_LEVEL=debug, as JSON when asked', async () => {
		const { stderr } = await run('{"jsonrpc":"2.0","id":1,"method":"ping"}\n', {
			LOG_LEVEL: 'debug',
			LOG_FORMAT: 'json',
		});
		const shown = stderr
			.split('\n')
			.filter((line) => line.startsWith('{'))
			.map((line) => JSON.parse(line));
		expect(shown.map(({ message }) => message)).toEqual([
			'← {"jsonrpc":"2.0","id":1,"method":"ping"}',
			'→ {"jsonrpc":"2.0","id":1,"result":"pong"}',
		]);
	});

	it('shows every message raw when ORCHESTRA_TRACE is 1', async () => {
		const { stderr } = await run('{"jsonrpc":"2.0","id":1,"method":"ping"}\n', { ORCHESTRA_TRACE: '1' });
		expect(stderr).toContain('← {"jsonrpc":"2.0","id":1,"method":"ping"}\n');
	});

	it('pauses reading while the client does not read, and then answers every request', async () => {
		const child = start();
		const request = (id: number): string =>
			`{"jsonrpc":"2.0","id":${id},"method":"large","params":{"size":50000}}\n`;
		const count = 400;
		let sent = 0;
		while (sent < count && child.stdin.write(request(sent))) sent++;
		for (sent++; sent < count; sent++) child.stdin.write(request(sent));
		child.stdin.end();
		const lines = protocolLines(await text(child.stdout));
		expect(lines.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: count }, (_, id) => id));
	});
});

function start(environment: Record<string, string> = {}): ChildProcessWithoutNullStreams {
	const child = spawn(process.execPath, [server], { env: { ...process.env, ...environment } });
	child.stdin.on('error', () => {}); // a server that exits early is what some tests are about
	return child;
}

async function run(
	input: string,
	environment: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string; code: number }> {
	const child = start(environment);
	child.stdin.end(input);
	const exited = once(child, 'exit');
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	const [code] = await exited;
	return { stdout, stderr, code };
}

/** What came between the moment stdout was taken and the moment it was given back. */
function protocolLines(stdout: string): string[] {
	return stdout.split('\n').filter((line) => line.startsWith('{'));
}

function handlerStarted(child: ChildProcessWithoutNullStreams): Promise<void> {
	return new Promise((resolve) => {
		child.stderr.on('data', (chunk: Buffer) => {
			if (chunk.toString().includes('a stray print in a handler')) resolve();
		});
	});
}
