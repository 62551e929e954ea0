/* Calls of MCP servers through a hub: nothing is lost on the way, and nothing runs twice. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JsonText } from '../../../src/wire/json-text.ts';
import { runsAllTests } from '../../support/all-tests.ts';
import { gateway, type HubClient, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder } from '../../support/workspace.ts';

describe('a call of an MCP server', () => {
	it('starts a known server and reports that it starts', async () => {
		const first = await serveServers({ gate: gateway() });
		await (await first.client()).request('tools/list');
		const served = await first.again();
		const client = await served.client();
		const progress: unknown[] = [];
		const options = { onProgress: (params: unknown) => progress.push(params) };
		expect(await client.call('gate__echo', { text: 'hi' }, options)).toBe('hi');
		expect(progress).toMatchObject([{ progress: 0, message: 'starting gate' }]);
	});

	it('passes unknown fields and _meta on, and the result back untouched', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		const result = await client.request('tools/call', {
			name: 'gate__params',
			arguments: { a: 1 },
			other: { ttl: 5 },
			_meta: { traceparent: '00-1-1-01', 'example.com/x': [1] },
		});
		const [{ text = '' } = {}] = result['content'] as { text?: string }[];
		expect(JSON.parse(text)).toEqual({
			name: 'params',
			arguments: { a: 1 },
			other: { ttl: 5 },
			_meta: { traceparent: '00-1-1-01', 'example.com/x': [1], progressToken: expect.any(Number) },
		});
		expect(result).toMatchObject({ structuredContent: { kept: 1e21 }, extra: true });
	});

	it('passes numbers on with all their digits', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		const line = await client.call('gate__line', {
			big: new JsonText('[12345678901234567890,0.10000000000000000001]'),
		});
		expect(line).toContain('"arguments":{"big":[12345678901234567890,0.10000000000000000001]}');
	});

	it.each(['legacy', 'modern'] as const)(
		'has the result of a server of either era with all digits, for a %s client',
		async (era) => {
			const client = await (await serveServers({ gate: gateway() })).client({ era });
			const digits = '"structuredContent":{"id":12345678901234567890}';
			for (const type of ['', ',"resultType":"complete"']) {
				const raw = `"result":{"content":[],${digits}${type},"_meta":{"n":1.0}}`;
				const params = { name: 'gate__echo', arguments: { raw } };
				const { text, value } = await client.requestText('tools/call', params);
				expect(text).toContain(`"content":[],${digits},`);
				expect('resultType' in Object(value)).toBe(era === 'modern');
			}
		},
	);

	it('delivers progress and logs in order, before the result', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		await client.call('gate__echo', { text: 'x' });
		const progress: unknown[] = [];
		const seen = client.call('gate__steps', {}, { onProgress: (params: unknown) => progress.push(params) });
		expect(await seen.then((text) => [text, progress.length])).toEqual(['done', 3]);
		expect(progress).toMatchObject([1, 2, 3].map((n) => ({ progress: n, total: 3, message: `at ${n}` })));
		const logs = client.notifications.filter(({ method }) => method === 'notifications/message');
		expect(logs.map(({ params }) => params)).toEqual(
			[1, 2, 3].map((n) => ({ level: 'error', data: `step ${n}`, logger: 'steps' })),
		);
	});

	it('brings log messages outside calls to the clients that have set a level', async () => {
		const served = await serveServers({ gate: gateway(), own: gateway({ scope: 'session' }) });
		const [one, two, three] = [await served.client(), await served.client(), await served.client()];
		await one.request('logging/setLevel', { level: 'debug' });
		await two.request('logging/setLevel', { level: 'info' });
		const later = (level: string, data: string): object => ({
			later: { method: 'message', params: { level, data } },
		});
		await three.call('gate__update', later('info', 'for two'));
		// During the next call the message would belong to it.
		await until('it is received', () => two.notifications.length === 1);
		await three.call('gate__update', later('debug', 'for one'));
		await until('it is received', () => one.notifications.length === 2);
		await one.call('own__update', later('error', 'of its own process'));
		const data = ({ notifications }: HubClient): unknown[] =>
			notifications.map(({ params }) => (params as { data: unknown }).data).sort();
		await until('all are received', () => one.notifications.length === 3);
		expect([data(one), data(two), data(three)]).toEqual([
			['for one', 'for two', 'of its own process'],
			['for two'],
			[],
		]);
	});

	it('sets the log level of the client on the server', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		expect(await client.call('gate__level')).toBe('none');
		for (const level of ['warning', 'debug']) {
			await client.request('logging/setLevel', { level });
			expect(await client.call('gate__level')).toBe(level);
		}
	});

	it('sets the most verbose level of all clients on servers that run, at once, and starts none for it', async () => {
		const served = await serveServers({ gate: gateway() });
		const [one, two] = [await served.client(), await served.client()];
		await one.request('logging/setLevel', { level: 'warning' });
		expect(served.events('start')).toEqual([]);
		await two.call('gate__echo', { text: 'x' });
		const levels = (): string[] =>
			served.events().flatMap(({ event }) => (event.startsWith('level:') ? [event] : []));
		await until('the server has the level of a client without calls', () => levels().length === 1);
		await two.request('logging/setLevel', { level: 'debug' });
		await until('the server has the more verbose level', () => levels().length === 2);
		await two.request('logging/setLevel', { level: 'error' });
		await until('the server has the level of the other client', () => levels().length === 3);
		expect(levels()).toEqual(['level:warning', 'level:debug', 'level:warning']);
	});

	it('gets the JSON-RPC error of the server as it is', async () => {
		const client = await (await serveServers({ gate: gateway() })).client();
		expect(await client.failure('gate__fail')).toEqual({
			code: -32099,
			message: 'own error',
			data: { why: 'because' },
		});
	});

	it('gets no code that its era does not have', async () => {
		const served = await serveServers({ gate: gateway() });
		const codes = [];
		for (const era of ['legacy', 'modern'] as const) {
			const client = await served.client({ era });
			for (const code of [-32002, -32042]) {
				const raw = `"error":{"code":${code},"message":"old","data":{"url":"note://x"}}`;
				const error = await client.failure('gate__echo', { raw });
				expect(error).toMatchObject({ message: 'old', data: { url: 'note://x' } });
				codes.push(error.code);
			}
		}
		expect(codes).toEqual([-32602, -32042, -32602, -32603]);
	});

	it('is canceled at the server, and releases its place', async () => {
		const served = await serveServers({ gate: gateway({ concurrency: 1 }) });
		const client = await served.client();
		const abort = new AbortController();
		const hanging = client.call('gate__hang', {}, { signal: abort.signal }).catch(() => 'canceled');
		await until('the server has the call', () => served.events('called').length === 1);
		const waiting = new AbortController();
		const queued = client.call('gate__hang', {}, { signal: waiting.signal }).catch(() => 'canceled');
		const next = client.call('gate__echo', { text: 'next' });
		waiting.abort();
		abort.abort();
		expect(await Promise.all([hanging, queued, next])).toEqual(['canceled', 'canceled', 'next']);
		await until('the server knows', () => served.events('canceled').length === 1);
		expect(served.events('called')).toHaveLength(1);
	});

	it('is refused at once when the queue is full', async () => {
		const served = await serveServers({ gate: gateway({ concurrency: 1, queue: 1 }) });
		const client = await served.client();
		await client.call('gate__echo', { text: 'x' });
		const slow = [0, 1].map(() => client.call('gate__sleep', { ms: 300 }));
		const { message } = await client.failure('gate__echo', { text: 'y' });
		expect(message).toContain('the MCP server gate has 1 calls in flight and 1 waiting');
		expect(await Promise.all(slow)).toEqual(['slept', 'slept']);
	});

	it('is not repeated when the server dies, and its error says that the outcome is unknown', async () => {
		const env = { MARK: join(temporaryFolder(), 'mark') };
		const served = await serveServers({ gate: gateway({}, 'normal', env) });
		const client = await served.client();
		const { message, data } = await client.failure('gate__die-once-writing');
		expect(message).toContain('the MCP server gate ended during the call; the outcome is unknown');
		expect(data).toMatchObject({
			code: 'closed',
			server: 'gate',
			phase: 'call',
			exitCode: 9,
			outcome: 'unknown',
		});
		expect(await client.call('gate__die-once-writing')).toBe('second time');
		expect(served.events('start')).toHaveLength(2);
	});

	it('is repeated once after a restart when the tool only reads', async () => {
		const env = { MARK: join(temporaryFolder(), 'mark') };
		const served = await serveServers({ gate: gateway({}, 'normal', env) });
		const client = await served.client();
		expect(await client.call('gate__die-once')).toBe('second time');
		expect(served.events('start')).toHaveLength(2);
	});

	it('ends at the idle timeout or at the total one, which the error tells apart', async () => {
		const served = await serveServers({
			idle: gateway({ timeoutMs: 200 }),
			total: gateway({ timeoutMs: 60_000, maxMs: 200 }),
		});
		const client = await served.client();
		const idle = await client.failure('idle__hang');
		expect(idle.message).toContain(
			'did not answer the call: tools/call got no answer and no progress for 200ms',
		);
		expect(idle.message).toContain('raise timeoutMs of mcpServers.idle');
		const total = await client.failure('total__hang');
		expect(total.message).toContain('raise maxMs of mcpServers.total');
		await until('both servers know', () => served.events('canceled').length === 2);
	});

	it('is kept alive by its progress when the client asked for none', async () => {
		const client = await (await serveServers({ gate: gateway({ timeoutMs: 400 }) })).client();
		expect(await client.call('gate__sleep', { ms: 800, stepMs: 40 })).toBe('slept');
		expect(client.notifications).toEqual([]);
	});

	it('does not run when it is canceled while its tool is compared with its pin', async () => {
		const env = { LIST_MS: '100' };
		const first = await serveServers({ gate: gateway({ pin: 'quarantine', concurrency: 1 }, 'normal', env) });
		await (await first.client()).request('tools/list');
		const listed = first.events('list').length;
		const served = await first.again();
		const client = await served.client();
		const abort = new AbortController();
		const canceled = client.call('gate__hang', {}, { signal: abort.signal }).catch(() => 'canceled');
		await until('the tools are read', () => served.events('list').length > listed);
		abort.abort();
		expect(await canceled).toBe('canceled');
		await until('its place is free', () => served.opened.hub.processes()[0]?.state === 'idle');
		expect(await client.call('gate__echo', { text: 'next' })).toBe('next');
		expect(served.events('called')).toEqual([]);
	});

	it('starts its server again after it was stopped as idle', async () => {
		const served = await serveServers({ gate: gateway({ idleMs: 100 }) });
		const client = await served.client();
		const pid = await client.call('gate__pid');
		const sleeping = client.call('gate__sleep', { ms: 400 });
		await until('a call keeps it running', () => served.opened.hub.processes().length === 1);
		expect(await sleeping).toBe('slept');
		await until('it is stopped', () => served.opened.hub.processes().length === 0);
		expect(statusOf(served, 'gate')).toMatchObject({
			state: 'stopped',
			pid: undefined,
			tools: 21,
			version: '1.2.3',
		});
		expect(await client.call('gate__pid')).not.toBe(pid);
	});

	it.runIf(runsAllTests)(
		'finds an eager server running: it never stops, and starts again after a failed start and a crash',
		async () => {
			const env = { MARK: join(temporaryFolder(), 'mark') };
			const eager = gateway({ eager: true, idleMs: 50 }, 'breaks', env);
			const first = await serveServers({ gate: eager, other: gateway({ idleMs: 50 }) });
			await (await first.client()).request('tools/list');
			await first.close();
			writeFileSync(env.MARK, '');
			const served = await first.again();
			const pids = (): number[] => served.opened.hub.processes().map(({ pid }) => pid);
			served.opened.hub.warm();
			await until('the start failed', () => served.log.some((line) => line.includes('exited with code 3')));
			rmSync(env.MARK);
			await until('it started', () => served.log.some((line) => line.includes('gate is ready')));
			const [pid = 0] = pids();
			await (await served.client()).call('other__echo', { text: 'x' });
			await until('the other is stopped as idle', () => pids().length === 1);
			expect(pids()).toEqual([pid]);
			process.kill(pid, 'SIGKILL');
			await until('it runs again', () => pids().some((each) => each !== pid));
			expect(served.log.join('\n')).toContain('its process was ended by SIGKILL');
		},
	);

	it.runIf(runsAllTests)(
		'of many servers at once is answered, with at most four starts at a time',
		async () => {
			const names = Array.from({ length: 24 }, (_, at) => `s${at}`);
			const env = { START_MS: '30' };
			const served = await serveServers(
				Object.fromEntries(names.map((name) => [name, gateway({}, 'normal', env)])),
			);
			const client = await served.client();
			const answers = await Promise.all(names.map((name) => client.call(`${name}__echo`, { text: name })));
			expect(answers).toEqual(names);
			const ready = new Map(served.events('ready').map(({ pid, at }) => [pid, at]));
			const starts = served.opened.hub
				.processes()
				.map(({ pid, startedAt }) => ({ from: startedAt.getTime(), to: ready.get(pid) ?? 0 }));
			// A start that takes longer gives its slot to another one.
			const together = starts.map(
				({ from }) =>
					starts.filter((each) => each.from <= from && from < Math.min(each.to, each.from + 900)).length,
			);
			expect(starts).toHaveLength(24);
			expect(Math.max(...together)).toBeLessThanOrEqual(4);
		},
	);
});

function statusOf(served: Awaited<ReturnType<typeof serveServers>>, id: string): unknown {
	return served.opened.hub.sources.find((source) => source.id === id)?.status;
}
