/* Calls over the fabric: a hub and workers in this process, over a real server. */
import { join } from 'node:path';
import { connect, headers, type MsgHdrs } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { traceCalls } from '../../src/hub/calls/trace-calls.ts';
import type { Journal, JournalEntry } from '../../src/hub/journal/journal.ts';
import { HubMetrics } from '../../src/hub/metrics/hub-metrics.ts';
import { Log } from '../../src/log.ts';
import { type Span, Tracer } from '../../src/telemetry/tracer.ts';
import { ApprovalFiles } from '../../src/trust/approval-files.ts';
import { Approvals } from '../../src/trust/approvals.ts';
import { CallGate } from '../../src/trust/call-gate.ts';
import { Policy } from '../../src/trust/policy.ts';
import { atEnd } from '../support/at-end.ts';
import { offerFabric, runsIn, useFabric } from '../support/fabric-place.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe.skipIf(natsServer === undefined)('a call over the fabric', () => {
	let servers: string[];
	beforeAll(async () => {
		servers = [(await startNats()).url];
	});

	it('runs at the worker and gives back its result', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__echo');
		expect(await hub.call('gpu-box__echo', { text: 'hello' })).toBe('hello');
	});

	it('names its worker in the metrics and the span', async () => {
		await offerFabric(servers);
		const spans: Span[] = [];
		const counts = { exported: 0, dropped: 0 };
		const exporter = { counts, export: (span: Span) => spans.push(span), close: () => Promise.resolve() };
		const deps = { trace: traceCalls(new Tracer(exporter)) };
		const { hub, call, sees } = await useFabric(servers, { deps });
		const metrics = new HubMetrics(hub);
		atEnd(() => metrics.close());
		await sees('gpu-box__echo');
		await call('gpu-box__echo', { text: 'hello' });
		expect(metrics.text()).toMatch(/^orchestra_worker_calls_total\{.*orchestra_worker="gpu-box".*\} 1$/m);
		expect(JSON.stringify(spans)).toContain('"orchestra.worker":"gpu-box"');
	});

	it('is made in the name of the calling hub, with a session per client', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__client');
		const [client, session] = JSON.parse(await hub.call('gpu-box__client'));
		expect(client).toMatchObject({ name: 'fabric:agent-hub' });
		expect(session).toMatch(/^fabric:agent-hub:[\w-]{36}$/);
	});

	it('carries progress and log messages', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__progress');
		expect(await hub.call('gpu-box__progress', { steps: 3 }, { meta: { progressToken: 7 } })).toBe('done');
		const methods = hub.notifications.map(({ method }) => method);
		expect(methods).toContain('notifications/message');
		expect(hub.notifications[0]?.params).toMatchObject({ progressToken: 7, progress: 1, total: 3 });
	});

	it('asks the client of the calling hub', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers, {
			onClientRequest: () => ({ action: 'accept', content: { name: 'Ada' } }),
		});
		await hub.sees('gpu-box__ask');
		expect(JSON.parse(await hub.call('gpu-box__ask'))).toEqual({
			action: 'accept',
			content: { name: 'Ada' },
		});
	});

	it('withdraws a request at the client when the tool does', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers, { onClientRequest: () => new Promise(() => {}) });
		await hub.sees('gpu-box__ask-briefly');
		expect(await hub.call('gpu-box__ask-briefly', { ms: 100 })).toBe('went on without');
		await until('the client is notified', () =>
			hub.notifications.some(({ method }) => method === 'notifications/cancelled'),
		);
	});

	it('samples with the model of the client of the calling hub', async () => {
		await offerFabric(servers);
		const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } };
		const hub = await useFabric(servers, {
			onClientRequest: (method) => (method.startsWith('sampling') ? answer : {}),
		});
		await hub.sees('gpu-box__sample');
		expect(JSON.parse(await hub.call('gpu-box__sample'))).toMatchObject({ content: { text: 'hello' } });
	});

	it('is decided by the policy of the calling hub, and is in both journals with one trace', async () => {
		const [there, here]: JournalEntry[][] = [[], []];
		const { worker } = await offerFabric(servers, { deps: { journal: recording(there) } });
		const files = new ApprovalFiles(join(temporaryFolder(), 'approvals'));
		const policy = new Policy([[{ ...anyCall, tools: ['gpu-box__who'], action: 'deny' }]]);
		const approvals = new Approvals({ files, log: Log.silent });
		const gate = new CallGate({ policy: () => policy, approvals, root: '/project' });
		const hub = await useFabric(servers, { deps: { journal: recording(here), gate } });
		await hub.sees('gpu-box__echo');
		const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
		await hub.call('gpu-box__echo', { text: 'x' }, { meta: { traceparent } });
		expect(await hub.call('gpu-box__who')).toContain('policy');
		await worker.close();
		await until('it is gone', async () => (await hub.tools()).length === 0);
		await hub.call('gpu-box__echo');
		const trace = '0af7651916cd43dd8448eb211c80319c';
		expect(there).toMatchObject([{ client: 'fabric:agent-hub', name: 'echo', outcome: 'ok', trace }]);
		expect(here).toMatchObject([
			{ client: 'test', backend: 'fabric', name: 'gpu-box__echo', outcome: 'ok', worker: 'gpu-box', trace },
			{ name: 'gpu-box__who', policy: 'deny' },
			{ name: 'gpu-box__echo', outcome: 'error', error: 'closed', remote: 'not_run' },
		]);
	});

	it('fails the request when the client cannot answer', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__ask');
		expect(await hub.call('gpu-box__ask')).toContain('did not declare the capability elicitation');
	});

	it('fails a client request or an answer that is larger than the server takes', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers, {
			onClientRequest: () => ({ action: 'accept', content: { name: 'x'.repeat(2_000_000) } }),
		});
		await hub.sees('gpu-box__ask');
		expect(await hub.call('gpu-box__ask', { bytes: 2_000_000 })).toContain(
			'the client request of a remote call is larger',
		);
		expect(await hub.call('gpu-box__ask')).toContain('the answer of a remote call is larger');
	});

	it('passes on the error of the tool', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__fail');
		expect(await hub.call('gpu-box__fail')).toContain('it failed on purpose');
	});

	it('is canceled at the worker when its client cancels it', async () => {
		const { file } = await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__slow');
		const abort = new AbortController();
		const called = hub.call('gpu-box__slow', { ms: 60_000 }, { signal: abort.signal });
		await until('it runs', () => runsIn(file).includes('gpu-box slow'));
		abort.abort(new Error('enough'));
		await called;
		await until('it is canceled', () => runsIn(file).includes('gpu-box canceled'));
	});

	it('finishes when a changed configuration replaces its source', async () => {
		const { file } = await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__slow');
		const called = hub.call('gpu-box__slow', { ms: 500 });
		await until('it runs', () => runsIn(file).includes('gpu-box slow'));
		await hub.hub.replaceSources([]);
		expect(await called).toBe('slept at gpu-box');
		await until('the link is closed', () => !hub.source.link.isUp);
	});

	it('brings a result of 20 MB in chunks', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__big');
		const text = await hub.call('gpu-box__big', { bytes: 20_000_000 });
		expect(text.length).toBe(20_000_000);
	});

	it('is answered to the calling process only, not to others of the same hub', async () => {
		await offerFabric(servers);
		const [hub, other] = [await useFabric(servers), await useFabric(servers)];
		await other.sees('gpu-box__echo');
		await hub.sees('gpu-box__big');
		const before = other.source.link.receivedBytes;
		expect((await hub.call('gpu-box__big', { bytes: 2_000_000 })).length).toBe(2_000_000);
		expect(await other.call('gpu-box__echo', { text: 'mine' })).toBe('mine');
		expect(other.source.link.receivedBytes - before).toBeLessThan(200_000);
	});

	it('keeps every character of a string', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__echo');
		expect(await hub.call('gpu-box__echo', { text: 'naïve → 日本' })).toBe('naïve → 日本');
	});

	it('does not flood the hub with the notifications of a noisy tool', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__noise');
		expect(await hub.call('gpu-box__noise', { count: 5000 }, { meta: { progressToken: 1 } })).toBe('done');
		expect(hub.notifications.length).toBeLessThan(300);
		expect(JSON.stringify(hub.notifications)).toContain('4800 log messages of a remote tool were dropped');
	});

	it('is not run and says so at once when no worker offers it', async () => {
		const { worker } = await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__echo');
		await worker.close();
		await until('it is gone', async () => (await hub.tools()).length === 0);
		expect(await hub.call('gpu-box__echo')).toContain('not run: echo of gpu-box: no worker offers it now');
	});

	it('is not run while the link is down', async () => {
		const own = await startNats();
		await offerFabric([own.url]);
		const hub = await useFabric([own.url]);
		await hub.sees('gpu-box__echo');
		await own.kill();
		await until('the link is down', () => !hub.source.link.isUp);
		expect(await hub.call('gpu-box__echo')).toContain(
			'not run: echo of gpu-box: the link to the fabric is down',
		);
	});

	it('is not run when its arguments are larger than the server takes', async () => {
		await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__echo');
		expect(await hub.call('gpu-box__echo', { text: 'x'.repeat(2_000_000) })).toContain('max_payload');
	});

	it('does not flood its client when the worker floods the hub', async () => {
		await offerFabric(servers, { name: 'hostile' });
		let requested = 0;
		const hub = await useFabric(servers, {
			onClientRequest: () => {
				requested++;
				return new Promise(() => {});
			},
		});
		await hub.sees('hostile__slow');
		const stranger = await connect({ servers });
		const seen = new Promise<string>((resolve) => {
			stranger.subscribe('orc.call.agent-hub.hostile.slow', {
				callback: (_error, message) => resolve(message.headers?.get('Orc-Call') ?? ''),
			});
		});
		const ends = new AbortController();
		const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };
		const called = hub.call('hostile__slow', { ms: 60_000 }, { meta, signal: ends.signal });
		const call = await seen;
		const send = (kind: string, body: object, seq = 0): void => {
			const made = headers();
			made.set('Orc-Kind', kind);
			made.set('Orc-Seq', String(seq));
			stranger.publish(`orc.out.hostile.agent-hub.${call}`, JSON.stringify(body), { headers: made });
		};
		const refused: string[] = [];
		stranger.subscribe(`orc.ctl.hostile.agent-hub.${call}`, {
			callback: (_error, message) => void refused.push(message.string()),
		});
		for (let sent = 1; sent <= 2000; sent++) {
			send('log', { level: 'error', data: 'noise' });
			send('progress', { progress: sent });
		}
		const params = { message: 'your name?', requestedSchema: { type: 'object', properties: {} } };
		for (let seq = 1; seq <= 200; seq++) send('ask', { key: { method: 'elicitation/create', params } }, seq);
		await stranger.flush();
		const isLimit = (text: string): boolean => text.includes('more than 64 client requests at once');
		await until('client requests are refused', () => refused.filter(isLimit).length === 136);
		expect(requested).toBe(64);
		expect(hub.notifications.length).toBeLessThan(1000);
		ends.abort();
		await called;
		await stranger.close();
	});

	it('is not disturbed by garbage, or by a worker that did not accept it', async () => {
		const { file } = await offerFabric(servers);
		const hub = await useFabric(servers);
		await hub.sees('gpu-box__slow');
		const called = hub.call('gpu-box__slow', { ms: 600 });
		await until('it runs', () => runsIn(file).includes('gpu-box slow'));
		const stranger = await connect({ servers });
		const seen = new Promise<string>((resolve) => {
			stranger.subscribe('orc.out.gpu-box.agent-hub.*.*', {
				callback: (_error, { subject }) => resolve(subject),
			});
		});
		const call = (await seen).split('.').slice(-2).join('.');
		const kind = (name: string): { headers: MsgHdrs } => {
			const made = headers();
			made.set('Orc-Kind', name);
			return { headers: made };
		};
		for (const garbage of ['', 'null', '{', '[]', '{"content":[{"type":"text","text":"forged"}]}']) {
			stranger.publish(`orc.out.evil.agent-hub.${call}`, garbage, kind('result'));
			stranger.publish(`orc.out.evil.agent-hub.${call}`, garbage, kind('chunk'));
			stranger.publish(`orc.out.gpu-box.agent-hub.${call.split('.')[0]}._`, garbage, kind('beat'));
			stranger.publish('orc.call.agent-hub.gpu-box.echo', garbage, kind('result'));
			stranger.publish(`orc.ctl.gpu-box.evil.${call}`, garbage, kind('cancel'));
			stranger.publish(`orc.ctl.gpu-box.agent-hub.${call}`, garbage, kind('answer'));
			stranger.publish('orc.cat.w.x.y', garbage);
		}
		await stranger.flush();
		await stranger.close();
		expect(await called).toBe('slept at gpu-box');
		expect(await hub.call('gpu-box__echo', { text: 'fine' })).toBe('fine');
	});
});

const anyCall = {
	clients: ['*'],
	when: undefined,
	reason: undefined,
	hide: false,
	file: 'orchestra.json',
	line: 1,
} as const;

function recording(entries: JournalEntry[] = []): Journal {
	return { write: (entry) => void entries.push(entry), close: () => Promise.resolve() };
}
