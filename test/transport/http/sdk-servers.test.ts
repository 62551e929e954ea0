/* Against servers of the official SDK. */
import { describe, expect, it } from 'vitest';
import { connectHttp, initialize, modern } from '../../support/http-server.ts';
import { serveSdk1, serveSdk2, serveSdkSse } from '../../support/sdk-http.ts';
import { until } from '../../support/waiting.ts';

describe('a legacy server of SDK 1.x', () => {
	it('is initialized and called, with progress before the result', async () => {
		const server = await serveSdk1();
		const { peer } = await connectHttp(server.url);
		expect(await initialize(peer)).toMatchObject({ serverInfo: { name: 'sdk1' } });
		expect(await peer.request('tools/list')).toMatchObject({ tools: expect.any(Array) });
		const steps: unknown[] = [];
		const onProgress = (params: unknown): void => void steps.push(params);
		const answer = await peer.request('tools/call', { name: 'steps', arguments: {} }, { onProgress });
		expect(answer).toMatchObject({ content: [{ text: 'done' }] });
		expect(steps).toHaveLength(2);
	});

	it('sends requests during a call, and they are answered', async () => {
		const server = await serveSdk1();
		const onRequest = (): unknown => ({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] });
		const { peer } = await connectHttp(server.url, { onRequest });
		await initialize(peer);
		const answer = await peer.request('tools/call', { name: 'ask', arguments: {} });
		expect(answer).toMatchObject({ content: [{ text: '2' }] });
	});

	it('pushes notifications on the stream of GET', async () => {
		const server = await serveSdk1();
		const { peer, notifications } = await connectHttp(server.url);
		await initialize(peer);
		await until('the push stream delivers', async () => {
			await peer.request('tools/call', { name: 'announce', arguments: {} });
			return notifications.some(({ method }) => method === 'notifications/tools/list_changed');
		});
	});

	it('gets a new session after a restart, and each call runs once', async () => {
		const server = await serveSdk1();
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		await peer.request('tools/call', { name: 'count', arguments: { text: 'a' } });
		server.forgetSessions();
		const call = (text: string): Promise<unknown> =>
			peer.request('tools/call', { name: 'count', arguments: { text } });
		const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => call(String(n))));
		expect(answers).toHaveLength(20);
		expect(server.calls).toBe(21);
	});

	it('receives the cancellation of a call', async () => {
		const server = await serveSdk1();
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		const stop = new AbortController();
		const call = peer.request('tools/call', { name: 'wait', arguments: {} }, { signal: stop.signal });
		await until('it runs', () => server.calls === 1);
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		await until('the server noticed', () => server.calls === -1);
	});
});

describe('a server of SDK 2.x', () => {
	for (const mode of ['auto', 'sse', 'json'] as const) {
		it(`answers discover and calls of the modern era (${mode})`, async () => {
			const server = await serveSdk2(mode);
			const { peer } = await connectHttp(server.url);
			const about = await peer.request('server/discover', modern());
			expect(about).toMatchObject({ supportedVersions: expect.arrayContaining(['2026-07-28']) });
			const text = 'naïve ✓';
			const params = modern({ name: 'echo', arguments: { text } });
			expect(await peer.request('tools/call', params)).toMatchObject({ content: [{ text }] });
		});
	}

	it('gets the arguments that a tool wants as headers, also when the list was never read', async () => {
		const server = await serveSdk2();
		const { peer } = await connectHttp(server.url);
		for (const region of ['eu', ' müde ', '=?base64?x?=']) {
			const params = modern({ name: 'located', arguments: { region } });
			expect(await peer.request('tools/call', params)).toMatchObject({ content: [{ text: region }] });
		}
	});

	it('sees a canceled call as a closed stream', async () => {
		const server = await serveSdk2();
		const { peer } = await connectHttp(server.url);
		const stop = new AbortController();
		const { signal } = stop;
		const call = peer.request('tools/call', modern({ name: 'wait', arguments: {} }), { signal });
		await until('it runs', () => server.wait === 'begun');
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		await until('the server noticed', () => server.wait === 'canceled');
	});

	it('reports changes on a subscription', async () => {
		const server = await serveSdk2();
		const { peer, notifications } = await connectHttp(server.url);
		const stop = new AbortController();
		const params = modern({ notifications: { toolsListChanged: true } });
		const listening = peer.request('subscriptions/listen', params, { signal: stop.signal });
		const has = (part: string): boolean => notifications.some(({ method }) => method.includes(part));
		await until('the server acknowledges', () => has('acknowledged'));
		server.handler.notify.toolsChanged();
		await until('the change arrives', () => has('tools/list_changed'));
		stop.abort();
		await expect(listening).rejects.toMatchObject({ code: 'canceled' });
	});

	it('is called in the legacy era too', async () => {
		const server = await serveSdk2();
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		const answer = await peer.request('tools/call', { name: 'echo', arguments: { text: 'old' } });
		expect(answer).toMatchObject({ content: [{ text: 'old' }] });
	});
});

describe('a server of 2024-11-05', () => {
	for (const kind of ['http', 'sse'] as const) {
		it(`is found and called (${kind})`, async () => {
			const server = await serveSdkSse();
			const { peer } = await connectHttp(server.url, { kind });
			expect(await initialize(peer)).toMatchObject({ serverInfo: { name: 'sdk1' } });
			const answer = await peer.request('tools/call', { name: 'count', arguments: { text: 'x' } });
			expect(answer).toMatchObject({ content: [{ text: 'x' }] });
		});
	}

	it('ends the transport when its stream ends, with the outcome of a call unknown', async () => {
		const server = await serveSdkSse();
		const { peer, transport, ends } = await connectHttp(server.url, { kind: 'sse' });
		await initialize(peer);
		const call = peer.request('tools/call', { name: 'wait', arguments: {} });
		await peer.request('ping');
		server.cut();
		await expect(call).rejects.toMatchObject({
			code: 'closed',
			message: expect.stringContaining('outcome unknown'),
		});
		expect(ends).toHaveLength(1);
		expect(transport.isClosed).toBe(true);
	});
});
