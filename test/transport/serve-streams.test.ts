/* `serveStdio` over two given streams, in this process. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Log } from '../../src/log.ts';
import { drainedOrStopped, serveStdio } from '../../src/transport/serve-stdio.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

describe('a server over two streams', () => {
	it('answers, and ends with its input', async () => {
		const { input, output, text } = streams();
		const served = serveStdio({ input, output, log: Log.silent, onRequest: () => 'pong' });
		input.end(ping);
		await served;
		expect(text()).toContain('"result":"pong"');
	});

	it('ends when its signal is aborted, and also when it was aborted before', async () => {
		const { input, output } = streams();
		const stop = new AbortController();
		const served = serveStdio({
			input,
			output,
			log: Log.silent,
			signal: stop.signal,
			onRequest: () => 'pong',
		});
		stop.abort(new Error('enough'));
		await served;
		const again = streams();
		await serveStdio({ ...again, log: Log.silent, signal: stop.signal, onRequest: () => 'pong' });
		expect(again.text()).toBe('');
	});

	it('drops requests that did not finish, and says how many', async () => {
		const { input, output } = streams();
		const lines: string[] = [];
		const log = new Log('test', {
			level: 'debug',
			format: 'text',
			now: () => new Date(),
			write: (line) => void lines.push(line),
		});
		const served = serveStdio({ input, output, log, drainMs: 20, onRequest: () => new Promise(() => {}) });
		input.end(ping);
		await served;
		expect(lines.join('')).toContain('1 requests did not finish in time');
	});
});

describe('a drain', () => {
	it('is done when it is in time, and not when a stop comes first and it takes long', async () => {
		expect(await drainedOrStopped(Promise.resolve(true), new Promise(() => {}))).toBe(true);
		expect(await drainedOrStopped(new Promise(() => {}), Promise.resolve())).toBe(false);
	});
});

function streams(): { input: PassThrough; output: PassThrough; text: () => string } {
	const output = new PassThrough();
	let text = '';
	output.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
	return { input: new PassThrough(), output, text: () => text };
}
