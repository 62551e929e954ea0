/* The official clients as judges of our listener: both majors, every way of agreeing on a version. */
import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
	ElicitRequestSchema,
	ResourceUpdatedNotificationSchema,
	ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { provide } from '../../src/mcp/define/serve.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import { openListener, TOKEN } from '../support/http-listener.ts';
import { formFor } from '../support/mcp-server.ts';
import { deferred, until } from '../support/waiting.ts';

const info = { name: 'judge', version: '1.0.0' };
const capabilities = { elicitation: {} };
const answer = { action: 'accept' as const, content: { name: 'Ann' } };
const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };

interface Judge {
	client: Pick<ClientV2, 'listTools' | 'callTool' | 'readResource' | 'getPrompt' | 'complete' | 'close'>;
	toolsChanged: Promise<void>;
	resourceUpdated: Promise<void>;
	version: string | undefined;
}

type Open = (url: string, fetcher?: typeof fetch) => Promise<Judge>;

const judges: Record<string, Open> = {
	'SDK v1': openV1,
	'SDK v2, legacy': (url, fetcher) => openV2(url, 'legacy', fetcher),
	'SDK v2, auto': (url, fetcher) => openV2(url, 'auto', fetcher),
	'SDK v2, pinned to 2026-07-28': (url, fetcher) => openV2(url, { pin: '2026-07-28' }, fetcher),
};

describe.each(Object.entries(judges))('%s over HTTP', (name, open) => {
	it('lists, calls, reads, completes and gets errors', async () => {
		const { url } = await openListener({ provider: fixture().provider });
		const { client, version } = await open(url);
		expect(version).toBe(name.includes('auto') || name.includes('pinned') ? '2026-07-28' : '2025-11-25');
		expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('echo');
		const text = 'é'.repeat(100_000);
		expect(await client.callTool({ name: 'echo', arguments: { text } })).toMatchObject({
			content: [{ text }],
		});
		expect(await client.callTool({ name: 'fail' })).toMatchObject({ isError: true });
		await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 });
		expect((await client.readResource({ uri: 'note://one' })).contents).toMatchObject([{ text: 'first' }]);
		expect(await client.getPrompt({ name: 'hello', arguments: { who: 'Bo' } })).toMatchObject({
			messages: [{ content: { text: 'Greet Bo.' } }],
		});
	});

	it('answers an elicitation of a tool', async () => {
		const { url } = await openListener({ provider: fixture().provider });
		const { client } = await open(url);
		expect(await client.callTool({ name: 'greet' })).toMatchObject({ content: [{ text: 'Hello, Ann!' }] });
	});

	it('gets progress while the call runs', async () => {
		const { provider, finish } = fixture();
		const { url } = await openListener({ provider });
		const { client } = await open(url);
		const seen: number[] = [];
		const onprogress = ({ progress }: { progress: number }): void => {
			seen.push(progress);
			if (progress === 2) finish();
		};
		expect(await callWith(client, { name: 'work' }, { onprogress })).toMatchObject({
			content: [{ text: 'done' }],
		});
		expect(seen).toEqual([1, 2]);
	});

	it('cancels a call', async () => {
		const { provider, started, canceled } = fixture();
		const { url } = await openListener({ provider });
		const { client } = await open(url);
		const controller = new AbortController();
		const hanging = callWith(client, { name: 'hang' }, { signal: controller.signal });
		await started;
		controller.abort();
		await expect(hanging).rejects.toThrow();
		await canceled;
		expect(await client.callTool({ name: 'echo', arguments: { text: 'a' } })).toMatchObject({
			content: [{ text: 'a' }],
		});
	});

	it('is notified of changed tools and of an updated resource', async () => {
		const { provider } = fixture();
		const { url } = await openListener({ provider });
		const { client, toolsChanged, resourceUpdated } = await open(url);
		await client.listTools();
		provider.notifyChange({ kind: 'tools' });
		provider.notifyChange({ kind: 'resource', uri: 'note://one' });
		await Promise.all([toolsChanged, resourceUpdated]);
	});

	it('gets the result of a slow call, whose answer is a stream without a message before it', async () => {
		const { provider, finish } = fixture();
		const { url } = await openListener({ provider, limits: { streamAfterMs: 1, commentMs: 1 } });
		const { client } = await open(url, async (input, init) => {
			const response = await fetch(input, init); // resolves with the headers, so the stream is open
			if (typeof init?.body === 'string' && init.body.includes('"wait"')) finish();
			return response;
		});
		expect(await client.callTool({ name: 'wait' })).toMatchObject({ content: [{ text: 'waited' }] });
	});

	it('makes 200 calls at once', async () => {
		const { url } = await openListener({ provider: fixture().provider });
		const { client } = await open(url);
		const texts = Array.from({ length: 200 }, (_, at) => String(at));
		const results = await Promise.all(
			texts.map((text) => client.callTool({ name: 'echo', arguments: { text } })),
		);
		expect(results.map(({ content }) => (content as { text: string }[])[0]?.text)).toEqual(texts);
	});
});

describe('a legacy SDK client', () => {
	it('ends its session on the server', async () => {
		const listener = await openListener({ provider: fixture().provider });
		const transport = new TransportV2(new URL(listener.url), { requestInit });
		const client = new ClientV2(info, { versionNegotiation: { mode: 'legacy' } });
		await client.connect(transport);
		expect(listener.sessionCount).toBe(1);
		await transport.terminateSession();
		await until('the session ended', () => listener.sessionCount === 0);
		await client.close();
	});
});

/** A server with a tool for each thing that a client can see. */
function fixture() {
	const finished = deferred();
	const started = deferred();
	const canceled = deferred();
	const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
	const provider = provide({
		name: 'fixture',
		version: '1.0.0',
		tools: {
			echo: { inputSchema: input, run: ({ text }: { text: string }) => text },
			fail: {
				run: () => {
					throw new Error('no luck');
				},
			},
			greet: {
				run: async (_input: unknown, context: CallContext) => {
					const { content } = await context.ask('elicitation/create', formFor('name').params);
					return `Hello, ${String(content?.['name'])}!`;
				},
			},
			work: {
				run: async (_input: unknown, context: CallContext) => {
					context.progress(1, 2);
					context.progress(2, 2);
					await finished.promise;
					return 'done';
				},
			},
			wait: { run: () => finished.promise.then(() => 'waited') },
			hang: {
				run: (_input: unknown, { signal }: CallContext) => {
					signal.addEventListener('abort', () => canceled.resolve());
					started.resolve();
					return new Promise(() => {});
				},
			},
		},
		resources: { 'note://one': { name: 'one', read: () => 'first' } },
		prompts: { hello: { arguments: [{ name: 'who', required: true }], get: ({ who }) => `Greet ${who}.` } },
	});
	return { provider, finish: finished.resolve, started: started.promise, canceled: canceled.promise };
}

/** The two majors take the options of a call in different places. */
function callWith(client: Judge['client'], params: { name: string }, options: object): Promise<unknown> {
	const call = client.callTool.bind(client) as (...args: unknown[]) => Promise<unknown>;
	return client instanceof ClientV1 ? call(params, undefined, options) : call(params, options);
}

async function openV1(url: string, fetcher: typeof fetch = fetch): Promise<Judge> {
	const client = new ClientV1(info, { capabilities });
	client.setRequestHandler(ElicitRequestSchema, () => answer);
	const changed = deferred();
	const updated = deferred();
	client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
	client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => updated.resolve());
	const transport = new TransportV1(new URL(url), { requestInit, fetch: fetcher });
	await client.connect(transport);
	onTestFinished(() => client.close());
	await client.subscribeResource({ uri: 'note://one' });
	const version = transport.protocolVersion;
	// The two majors name the same methods alike.
	const same = client as unknown as Judge['client'];
	return { client: same, toolsChanged: changed.promise, resourceUpdated: updated.promise, version };
}

async function openV2(
	url: string,
	mode: 'legacy' | 'auto' | { pin: '2026-07-28' },
	fetcher: typeof fetch = fetch,
): Promise<Judge> {
	const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
	client.setRequestHandler('elicitation/create', () => answer);
	const changed = deferred();
	const updated = deferred();
	client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
	client.setNotificationHandler('notifications/resources/updated', () => updated.resolve());
	await client.connect(new TransportV2(new URL(url), { requestInit, fetch: fetcher }));
	onTestFinished(() => client.close());
	if (mode === 'legacy') await client.subscribeResource({ uri: 'note://one' });
	else await client.listen({ toolsListChanged: true, resourceSubscriptions: ['note://one'] });
	const version = client.getNegotiatedProtocolVersion();
	return { client, toolsChanged: changed.promise, resourceUpdated: updated.promise, version };
}
