/* Streams of events: the answer to a request, its resumption, and the push stream of a legacy server. */
import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { reopenDelayMs } from '../../../src/transport/http/events/event-source.ts';
import type { SilenceRules } from '../../../src/transport/http/events/silence-watch.ts';
import { newPosition, readEvents } from '../../../src/transport/http/response-body.ts';
import {
	answersHandshake,
	beginEvents,
	connectHttp,
	event,
	initialize,
	modern,
	result,
	sendJson,
	serveRaw,
} from '../../support/http-server.ts';
import { until } from '../../support/waiting.ts';

describe('the delay before a stream is opened again', () => {
	const delays = (text: string, isPolled: boolean): Promise<(number | undefined)[]> =>
		Promise.all([0, 1, 6, 8].map((idleAttempts) => delayAfter(text, { idleAttempts, isPolled })));

	it('is at least that of the server, also above the longest of ours, and at least 100 ms', async () => {
		expect(await delays('retry: 300000\n\n', false)).toEqual([300_000, 300_000, 300_000, undefined]);
		expect(await delays('retry: 99999999999\n\n', false)).toEqual([...Array(3).fill(2 ** 31 - 1), undefined]);
		expect(await delays('retry: 0\n\n', false)).toEqual([100, 100, 100, undefined]);
		expect(await delays('', false)).toEqual([1000, 2000, 60_000, undefined]);
	});

	it('grows while a push stream has no data, and is that of the server for a call that is polled', async () => {
		const primed = 'retry: 500\nid: 1\ndata:\n\n';
		expect(await delays(primed, true)).toEqual([500, 500, 500, 500]);
		expect(await delays(primed, false)).toEqual([500, 1000, 32_000, 60_000]);
		expect(await delays(`${primed}data: {}\n\n`, false)).toEqual([500, 500, 500, 500]);
	});
});

/** The delay after a stream of `text`. */
async function delayAfter(
	text: string,
	{ idleAttempts, isPolled }: { idleAttempts: number; isPolled: boolean },
): Promise<number | undefined> {
	const position = { ...newPosition(), idleAttempts };
	const stream = Readable.from([Buffer.from(text)]) as IncomingMessage;
	await readEvents(stream, { limitBytes: 1000, position, isPolled, onEvent: () => {} });
	return reopenDelayMs(position);
}

describe('a stream whose comments stop', () => {
	const rules = { beatMs: 1, beats: 3, missed: 4, leastMs: 20 };

	it('is closed once it had a rhythm', async () => {
		const stream = silentStream(rules);
		for (let beat = 0; beat < 3; beat++) await stream.write(': beat\n\n');
		expect(await stream.ended).toBe('ended');
	});

	it.each([
		['it had no rhythm', rules, 2, false],
		['a request is in flight', { ...rules, isBusy: () => true }, 3, false],
		['it is paused', rules, 3, true],
	])('is not closed when %s', async (_, silence, beats, isPaused) => {
		const stream = silentStream(silence);
		const control = silentStream(rules);
		for (let beat = 0; beat < 3; beat++) {
			if (beat < beats) await stream.write(': beat\n\n');
			if (isPaused && beat === 2) stream.source.pause();
		}
		// The same silence ends another one, which began later.
		for (let beat = 0; beat < 4; beat++) await control.write(': beat\n\n');
		await control.ended;
		expect(stream.source.destroyed).toBe(false);
		stream.source.destroy();
	});
});

/** A stream that a test writes, each time a moment after the last. */
function silentStream(silence: SilenceRules) {
	const source = new PassThrough();
	const reader = { limitBytes: 1000, position: newPosition(), silence, onEvent: () => {} };
	const ended = readEvents(source as unknown as IncomingMessage, reader);
	const write = async (text: string): Promise<void> => {
		const at = performance.now();
		await until('a moment passed', () => performance.now() - at > 2);
		source.write(text);
	};
	return { source, ended, write };
}

const note = (n: number): unknown => ({ jsonrpc: '2.0', method: 'notifications/message', params: { n } });

describe('the stream of a request', () => {
	it('delivers notifications before the answer, and batches', async () => {
		const server = await serveRaw(({ message }, response) => {
			beginEvents(response);
			response.write(`: comment\n\n${event(note(1))}${event([note(2), note(3)])}`);
			response.end(event([result(message.id, { ok: 1 })]));
		});
		const { peer, notifications } = await connectHttp(server.url);
		expect(await peer.request('tools/call', {})).toEqual({ ok: 1 });
		expect(notifications.map(({ params }) => params)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
	});

	it('is read wherever the bytes are cut, also inside a character', async () => {
		const text = 'häé✓😀'.repeat(50);
		const server = await serveRaw(async ({ message }, response) => {
			beginEvents(response);
			for (const byte of Buffer.from(event(result(message.id, { text }))).values()) {
				response.write(Buffer.from([byte]));
				if (byte > 127) await new Promise((resolve) => setImmediate(resolve));
			}
			response.end();
		});
		const { peer } = await connectHttp(server.url);
		expect(await peer.request('tools/call', {})).toEqual({ text });
	});

	it('carries an answer of 8 MiB', async () => {
		const text = 'x'.repeat(8 * 1024 * 1024);
		const server = await serveRaw(({ message }, response) => {
			beginEvents(response);
			response.end(event(result(message.id, text)));
		});
		const { peer } = await connectHttp(server.url);
		expect((await peer.request('tools/call', {})) === text).toBe(true);
	});

	it('fails the call when an event is over the limit', async () => {
		const server = await serveRaw(({ message }, response) => {
			beginEvents(response);
			response.write(event(result(message.id, 'x'.repeat(300_000))));
		});
		const { peer } = await connectHttp(server.url, { limitBytes: 100_000 });
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ code: 'bad_frame' });
	});

	for (const [what, params] of [
		['legacy', {}],
		['modern', modern()],
	] as const) {
		it(`that ends without an answer fails a call at once, outcome unknown (${what})`, async () => {
			const server = await serveRaw((_request, response) => {
				beginEvents(response);
				response.end(what === 'modern' ? event(note(1), 'id-1') : event(note(1)));
			});
			const { peer } = await connectHttp(server.url);
			await expect(peer.request('tools/call', params)).rejects.toMatchObject({
				code: 'closed',
				message: expect.stringContaining('outcome unknown'),
				data: { outcome: 'unknown' },
			});
			expect(server.received).toHaveLength(1);
		});
	}

	it('that is cut fails a call once, and repeats a list once', async () => {
		let count = 0;
		const server = await serveRaw(({ message }, response) => {
			if (count++ > 2) return sendJson(response, result(message.id, { tools: [] }));
			beginEvents(response);
			response.write(event(note(1)), () => response.destroy());
		});
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ data: { outcome: 'unknown' } });
		await expect(peer.request('tools/list', {})).rejects.toMatchObject({ data: { outcome: 'unknown' } });
		expect(await peer.request('tools/list', {})).toEqual({ tools: [] });
		expect(server.methods()).toEqual(['tools/call', 'tools/list', 'tools/list', 'tools/list']);
	});

	it('that stays open after the answer is closed', async () => {
		const server = await serveRaw(({ message }, response) => {
			beginEvents(response);
			response.write(event(result(message.id)));
		});
		const { peer } = await connectHttp(server.url);
		await peer.request('tools/call', {});
		await server.received[0]?.closed;
	});

	it('may carry the answer to another request', async () => {
		const server = await serveRaw(({ message }, response) => {
			if (message.method === 'one') return beginEvents(response);
			beginEvents(response);
			response.end(event(result(1, 'one')) + event(result(message.id, 'two')));
		});
		const { peer } = await connectHttp(server.url);
		const one = peer.request('one');
		await until('it arrived', () => server.received.length === 1);
		expect(await Promise.all([one, peer.request('two')])).toEqual(['one', 'two']);
	});
});

describe('a stream with event ids that breaks', () => {
	it('is continued with Last-Event-ID after the delay that the server named', async () => {
		const server = await serveRaw((request, response) => {
			const { message, method, headers } = request;
			if (method === 'GET' && headers['last-event-id'] === 'e2') {
				beginEvents(response);
				return response.end(event(note(2), 'e3') + event(result(3, { resumed: true }), 'e4'));
			}
			if (answersHandshake(request, response, 'abc')) return;
			if (message.method === 'ping') return sendJson(response, result(message.id));
			beginEvents(response);
			response.end(`retry: 20\nid: e1\ndata:\n\n${event(note(1), 'e2')}`);
		});
		const { peer, notifications } = await connectHttp(server.url);
		await initialize(peer);
		await peer.request('ping');
		expect(await peer.request('tools/call', {})).toEqual({ resumed: true });
		expect(notifications.map(({ params }) => params)).toEqual([{ n: 1 }, { n: 2 }]);
		expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(1);
		const resumed = server.received.find(({ headers }) => headers['last-event-id'] === 'e2');
		expect(resumed?.headers['mcp-session-id']).toBe('abc');
	});

	it('is tried again while the server is busy, and fails when it cannot continue', async () => {
		let gets = 0;
		const server = await serveRaw(({ method }, response) => {
			if (method === 'GET') return response.writeHead(gets++ < 2 ? 503 : 400).end();
			beginEvents(response);
			response.end(`retry: 5\nid: e1\ndata:\n\n`);
		});
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ data: { outcome: 'unknown' } });
		expect(gets).toBe(3);
	});

	it('is not continued for ever', async () => {
		let gets = 0;
		const server = await serveRaw(({ method }, response) => {
			beginEvents(response);
			if (method === 'GET') gets++;
			response.end(method === 'GET' ? 'retry: 1\n\n' : 'retry: 1\nid: e1\ndata:\n\n');
		});
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ data: { outcome: 'unknown' } });
		expect(gets).toBe(8);
	});

	it('is given up when the call is canceled', async () => {
		const server = await serveRaw(({ method, message }, response) => {
			if (message.method?.startsWith('notifications/')) return response.writeHead(202).end();
			beginEvents(response);
			if (method === 'POST') response.end('retry: 1\nid: e1\ndata:\n\n');
		});
		const { peer } = await connectHttp(server.url);
		const stop = new AbortController();
		const call = peer.request('tools/call', {}, { signal: stop.signal });
		await until('it is resumed', () => server.received.some(({ method }) => method === 'GET'));
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		await server.received.find(({ method }) => method === 'GET')?.closed;
		expect(server.methods()).toEqual(['tools/call', 'notifications/cancelled']);
	});

	it('is given up when the call is canceled during the delay', async () => {
		const server = await serveRaw(({ message }, response) => {
			if (message.method?.startsWith('notifications/')) return response.writeHead(202).end();
			beginEvents(response);
			response.end('retry: 60000\nid: e1\ndata:\n\n');
		});
		const { peer } = await connectHttp(server.url);
		const stop = new AbortController();
		const call = peer.request('tools/call', {}, { signal: stop.signal });
		await until('it was answered', () => server.received.some(({ response }) => response.writableFinished));
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		await until('the cancel arrived', () => server.methods().includes('notifications/cancelled'));
	});
});

describe('the push stream', () => {
	for (const [what, status, type] of [
		['405', 405, ''],
		['404', 404, ''],
		['400', 400, ''],
		['a web page', 200, 'text/html'],
	] as const) {
		it(`is not asked for again after ${what}`, async () => {
			const server = await serveRaw((request, response) => {
				if (request.method === 'GET') response.writeHead(status, { 'content-type': type }).end('<html>');
				else if (!answersHandshake(request, response, 'abc')) sendJson(response, result(request.message.id));
			});
			const { peer, logged } = await connectHttp(server.url);
			await initialize(peer);
			await until('it gave up', () => logged.some((line) => line.includes('has no push stream')));
			await peer.request('ping');
			expect(server.received.filter(({ method }) => method === 'GET')).toHaveLength(1);
			expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(1);
		});
	}

	it('is opened again after the last event, with growing delays, and not for ever', async () => {
		let gets = 0;
		const server = await serveRaw((request, response) => {
			if (request.method !== 'GET') return answersHandshake(request, response, 'abc');
			beginEvents(response);
			response.end(gets++ === 0 ? `retry: 2\n${event(note(7), 'e7')}` : '');
		});
		const { peer, notifications, logged } = await connectHttp(server.url);
		await initialize(peer);
		await until('it gave up', () => logged.some((line) => line.includes('again and again')));
		expect(notifications).toEqual([{ method: 'notifications/message', params: { n: 7 } }]);
		const asked = server.received.filter(({ method }) => method === 'GET');
		expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([
			undefined,
			...Array<string>(8).fill('e7'),
		]);
	});

	it('survives an overload of the server and a message over the limit', async () => {
		let gets = 0;
		const server = await serveRaw((request, response) => {
			if (request.method !== 'GET') return answersHandshake(request, response, 'abc');
			if (gets++ === 1) return response.writeHead(503).end();
			beginEvents(response);
			if (gets === 1) response.write(`retry: 2\n\n${event('x'.repeat(200_000))}`);
			else response.write(event(note(1)));
		});
		const { peer, notifications, logged } = await connectHttp(server.url, { limitBytes: 100_000 });
		await initialize(peer);
		await until('a later message arrives', () => notifications.length === 1);
		expect(logged.some((line) => line.includes('over 100000 bytes was dropped'))).toBe(true);
	});

	it('that was open and then finds no session starts a new session', async () => {
		let session = 1;
		const server = await serveRaw((request, response) => {
			if (request.method === 'POST') return answersHandshake(request, response, String(session));
			if (request.headers['mcp-session-id'] !== String(session)) return response.writeHead(404).end();
			beginEvents(response);
			response.write('retry: 2\n\n');
		});
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		await until('it is open', () => server.received.some(({ method }) => method === 'GET'));
		session = 2;
		server.cut();
		const hasNew = (): boolean =>
			server.received.some(({ method, headers }) => method === 'GET' && headers['mcp-session-id'] === '2');
		await until('the new session has its stream', hasNew);
		expect(server.methods()).toEqual([
			'initialize',
			'notifications/initialized',
			'initialize',
			'notifications/initialized',
		]);
	});
});
