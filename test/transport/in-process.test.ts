/* Parts that other tests use in processes of their own, seen from inside. */

import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Log } from '../../src/log.ts';
import { Client } from '../../src/transport/client.ts';
import { connect } from '../../src/transport/connect.ts';
import { LineReader } from '../../src/transport/line-reader.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { reserveStdout } from '../../src/transport/reserve-stdout.ts';
import { serveStdio } from '../../src/transport/serve-stdio.ts';
import { StdioTransport } from '../../src/transport/stdio-transport.ts';
import { isTracing, traced } from '../../src/transport/trace.ts';
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
		const lines: string[] = [];
		const log = new Log('x', {
			level: 'debug',
			format: 'text',
			now: () => new Date(),
			write: (line) => lines.push(line),
		});
		const [input, output] = [new PassThrough(), new PassThrough()];
		const served = serveStdio({ input, output, log, drainMs: 50, onRequest: () => new Promise(() => {}) });
		input.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n');
		await until('the request came in', () => lines.some((line) => line.includes('never')));
		process.emit('SIGTERM', 'SIGTERM');
		await served;
		expect(lines.join('')).toContain('1 requests did not finish within 50 ms');
		expect(process.listenerCount('SIGTERM')).toBe(0);
	});
});

describe('reserveStdout', () => {
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

const ignoringReceiver = { message: () => {}, oversize: () => {}, end: () => {} };
