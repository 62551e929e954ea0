/* Parts that other tests use in processes of their own, seen from inside. */

import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Log } from '../../src/log.ts';
import { Client } from '../../src/transport/client.ts';
import { connect } from '../../src/transport/connect.ts';
import { LineReader } from '../../src/transport/line-reader.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { reserveStdout } from '../../src/transport/reserve-stdout.ts';
import { serveStdio } from '../../src/transport/serve-stdio.ts';
import { StdioTransport } from '../../src/transport/stdio-transport.ts';
import { isTracing, traced } from '../../src/transport/trace.ts';
import { HIGH_WATER_BYTES } from '../../src/transport/transport-limits.ts';
import { until } from '../support/waiting.ts';

describe('serveStdio', () => {
	it('serves over given streams, lets the server send first, and ends with the input', async () => {
		const [input, output] = [new PassThrough(), new PassThrough()];
		const served = serveStdio({
			input,
			output,
			log: Log.silent,
			onStart: (peer) => peer.notify('hello'),
			onRequest: async ({ params }) => params,
		});
		input.end('{"jsonrpc":"2.0","id":1,"method":"echo","params":[7]}\n');
		await served;
		output.end();
		expect(await text(output)).toBe(
			'{"jsonrpc":"2.0","method":"hello"}\n{"jsonrpc":"2.0","id":1,"result":[7]}\n',
		);
	});

	it('shuts down on a signal, cancels requests after the drain timeout, and exits on the second', async () => {
		const { lines, log } = collectingLog();
		const [input, output] = [new PassThrough(), new PassThrough()];
		const served = serveStdio({ input, output, log, drainMs: 50, onRequest: () => new Promise(() => {}) });
		input.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n');
		await until('the request came in', () => lines.some((line) => line.includes('never')));
		process.emit('SIGTERM', 'SIGTERM');
		await served;
		expect(lines.join('')).toContain('1 requests did not finish in time');
		expect(process.listenerCount('SIGTERM')).toBe(0);
	});
});

describe('serveStdio with a client that does not read', () => {
	it('cancels running requests and says so once when its output breaks', async () => {
		const { lines, log } = collectingLog();
		const [input, output] = [new PassThrough(), new PassThrough()];
		const served = serveStdio({ input, output, log, drainMs: 50, onRequest: () => new Promise(() => {}) });
		input.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n');
		await until('the request came in', () => lines.some((line) => line.includes('never')));
		output.destroy(new Error('gone'));
		await served;
		expect(lines.filter((line) => line.includes('stdout is closed'))).toHaveLength(1);
		expect(lines.join('')).toContain('1 running requests are canceled');
	});

	it('drops queued requests and the unread output after a signal', async () => {
		const { lines, log } = collectingLog();
		const [input, output] = [new PassThrough(), new UnreadStream()];
		const large = 'x'.repeat(2 * HIGH_WATER_BYTES);
		const served = serveStdio({ input, output, log, onRequest: () => large });
		input.write('{"jsonrpc":"2.0","id":1,"method":"a"}\n');
		await until('the response fills the pipe', () => output.writableLength > HIGH_WATER_BYTES);
		input.write('{"jsonrpc":"2.0","id":2,"method":"b"}\n');
		await until('the second request is queued', () => lines.some((line) => line.includes('"id":2')));
		process.emit('SIGINT', 'SIGINT');
		await served;
		expect(lines.join('')).toContain('dropped 1 requests that had not started');
		expect(lines.join('')).toContain('stdout is not read');
	});

	it('fails with timeout when requests keep coming and no response is read', async () => {
		const [input, output] = [new PassThrough(), new UnreadStream()];
		const large = 'x'.repeat(2 * HIGH_WATER_BYTES);
		const served = serveStdio({ input, output, log: Log.silent, stallMs: 20, onRequest: () => large });
		input.write('{"jsonrpc":"2.0","id":1,"method":"a"}\n');
		await until('the response fills the pipe', () => output.writableLength > HIGH_WATER_BYTES);
		input.end('{"jsonrpc":"2.0","id":2,"method":"b"}\n');
		await expect(served).rejects.toMatchObject({ code: 'timeout' });
	});

	it('exits at once on a second signal', async () => {
		const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
		onTestFinished(() => exit.mockRestore());
		const [input, output] = [new PassThrough(), new PassThrough()];
		const onRequest = (): Promise<never> => new Promise(() => {});
		const served = serveStdio({ input, output, log: Log.silent, drainMs: 50, onRequest });
		process.emit('SIGTERM', 'SIGTERM');
		process.emit('SIGTERM', 'SIGTERM');
		expect(exit).toHaveBeenCalledWith(143);
		await served;
	});

	it('shows every message when ORCHESTRA_TRACE is set', async () => {
		vi.stubEnv('ORCHESTRA_TRACE', '1');
		const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
		onTestFinished(() => {
			vi.unstubAllEnvs();
			write.mockRestore();
		});
		const [input, output] = [new PassThrough(), new PassThrough()];
		const served = serveStdio({ input, output, onRequest: () => 1 });
		input.end('{"jsonrpc":"2.0","id":1,"method":"a"}\n');
		await served;
		expect(write.mock.calls.join('')).toContain('"method":"a"');
	});
});

describe('reserveStdout', () => {
	it('abandons the output by closing the handle of the stream, when there is one', () => {
		const closed: string[] = [];
		const reserved = reserveStdout();
		const descriptor = Object.getOwnPropertyDescriptor(process.stdout, '_handle');
		onTestFinished(() => {
			reserved.restore();
			Reflect.deleteProperty(process.stdout, '_handle');
			if (descriptor) Object.defineProperty(process.stdout, '_handle', descriptor);
		});
		for (const handle of [undefined, {}, { close: () => closed.push('closed') }]) {
			Object.defineProperty(process.stdout, '_handle', { value: handle, configurable: true });
			reserved.abandon();
		}
		expect(closed).toEqual(['closed']);
	});

	it('restores a write that was replaced before', () => {
		const own = (): boolean => true;
		process.stdout.write = own;
		onTestFinished(() => void Reflect.deleteProperty(process.stdout, 'write'));
		reserveStdout().restore();
		expect(process.stdout.write).toBe(own);
	});

	it('redirects other writes to stderr until it is restored', () => {
		const before = process.stdout.write;
		const { restore, stream } = reserveStdout();
		expect(process.stdout.write).not.toBe(before);
		expect(stream).toBe(process.stdout);
		const inner = reserveStdout();
		inner.restore();
		expect(process.stdout.write).not.toBe(before);
		restore();
		expect(process.stdout.write).toBe(before);
	});
});

describe('traced', () => {
	it('shows each message with its direction, and oversize messages', async () => {
		const [left, right] = memoryPair();
		const shown: string[] = [];
		traced(left, (direction, message) => shown.push(`${direction} ${message}`));
		const ended = new Promise((end) => left.start({ message: () => {}, oversize: () => {}, end }));
		left.post('1');
		right.post('2');
		await right.flushed();
		await right.close();
		await ended;
		expect(shown).toEqual(['→ 1', '← 2']);
		expect([isTracing({ ORCHESTRA_TRACE: '1' }), isTracing({})]).toEqual([true, false]);
	});

	it('wraps clients and connections when ORCHESTRA_TRACE is set', async () => {
		const parentEnvironment = { ...process.env, ORCHESTRA_TRACE: '1' };
		const connection = await connect('stdio:cat', { parentEnvironment });
		await connection.send(1);
		expect(await connection.recv()).toBe(1);
		await connection.close();
		const client = await Client.open('stdio:cat', { parentEnvironment });
		await client.close();
	});
});

describe('LineReader', () => {
	it('reports the end of a stream that ended before', async () => {
		const stream = new PassThrough();
		stream.destroy();
		await new Promise<void>((resolve) => new LineReader(stream, 10, () => resolve()).start(ignoringReceiver));
	});

	it('delivers nothing after stop, not even the rest of the same chunk', () => {
		const stream = new PassThrough();
		const seen: string[] = [];
		const reader = new LineReader(stream, 100, () => {});
		reader.start({
			...ignoringReceiver,
			message: (line) => {
				seen.push(line);
				reader.stop();
			},
		});
		stream.emit('data', Buffer.from('1\n2\n'));
		expect(seen).toEqual(['1']);
	});
});

describe('StdioTransport', () => {
	it('stops reading on demand while responses can still be sent', async () => {
		const [input, output] = [new PassThrough(), new PassThrough()];
		const transport = new StdioTransport({ input, output });
		const ended = new Promise((end) => transport.start({ ...ignoringReceiver, end }));
		transport.stopReading();
		await ended;
		transport.post('"still"');
		await transport.close();
		transport.resume();
		output.end();
		expect(await text(output)).toBe('"still"\n');
	});
});

/** A log and the lines that were written to it. */
function collectingLog(): { lines: string[]; log: Log } {
	const lines: string[] = [];
	const write = (line: string): unknown => lines.push(line);
	return { lines, log: new Log('x', { level: 'debug', format: 'text', now: () => new Date(), write }) };
}

/** A stream whose first write never completes. */
class UnreadStream extends Writable {
	override _write(): void {}
}

const ignoringReceiver = { message: () => {}, oversize: () => {}, end: () => {} };
