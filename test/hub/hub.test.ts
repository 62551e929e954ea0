import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { Hub } from '../../src/hub/hub.ts';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import type { Source } from '../../src/hub/source.ts';
import { Log } from '../../src/log.ts';
import type { ClientConnection } from '../../src/mcp/server/call-context.ts';
import { McpSession } from '../../src/mcp/server/mcp-session.ts';
import type { CallToolParams } from '../../src/mcp/server/provider.ts';
import type { Awaitable, CallToolResult, ReadResourceResult, Tool } from '../../src/protocol/mcp-types.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { type AbleSource, type FakeAnswers, fakeSource } from '../support/fake-source.ts';
import { nextTurn, until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const object = { type: 'object' } as const;

describe('Hub', () => {
	it("routes a call to the source that has the tool, under the source's own name", async () => {
		const { request } = open([echoSource('files', true), echoSource('tools')]);
		expect(await request('tools/call', { name: 'files__echo', arguments: { a: 1 } })).toMatchObject({
			content: [{ text: 'files echo {"a":1}' }],
		});
		expect(await request('tools/call', { name: 'echo' })).toMatchObject({
			content: [{ text: 'tools echo {}' }],
		});
	});

	it('answers an unknown tool, prompt and resource with -32602', async () => {
		const others = fakeSource('others', { lists: { prompts: () => [], resources: () => [] } });
		const { request } = open([echoSource('tools'), others]);
		await expect(request('tools/call', { name: 'nope' })).rejects.toThrow(
			'JSON-RPC error -32602: Unknown tool: nope',
		);
		await expect(request('prompts/get', { name: 'nope' })).rejects.toThrow('-32602: Unknown prompt: nope');
		await expect(request('resources/read', { uri: 'x://nope' })).rejects.toThrow(
			'-32602: Resource not found: x://nope',
		);
	});

	it('is neither delayed nor emptied by a source that fails to list', async () => {
		const broken = listing('broken', () => Promise.reject(new Error('down')));
		const { request, warnings } = open([broken, echoSource('tools')]);
		expect(await request('tools/list')).toMatchObject({ tools: [{ name: 'echo' }] });
		expect(warnings.join('')).toContain('broken could not list its tools: down');
	});

	it('calls a known tool while another source has not listed its tools yet', async () => {
		let answer: (tools: never[]) => void = () => {};
		const slow = listing('slow', () => new Promise((done) => (answer = done)));
		const late = listing('late', async () => [{ name: 'x', inputSchema: object }]);
		const { hub, request } = open([slow, late, echoSource('tools')]);
		expect(await request('tools/call', { name: 'echo' })).toMatchObject({
			content: [{ text: 'tools echo {}' }],
		});
		expect(await request('tools/call', { name: 'x' })).toMatchObject({ content: [{ text: 'late x {}' }] });
		const unknown = request('tools/call', { name: 'nope' }).catch((error: unknown) => error);
		expect(await hub.hasTool('x')).toBe(true);
		answer([]);
		expect(await unknown).toMatchObject({ message: expect.stringContaining('Unknown tool: nope') });
	});

	it('returns a list without a slow source, and notifies clients when that has answered', async () => {
		let answer: (tools: Tool[]) => void = () => {};
		const slow = listing('slow', () => new Promise((done) => (answer = done)), { kind: 'plugin' });
		const { hub, request, received } = open([slow, echoSource('tools')], 20);
		await request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		expect(await request('tools/list')).toMatchObject({ tools: [{ name: 'echo' }] });
		const call = request('tools/call', { name: 'x' });
		answer([{ name: 'x', inputSchema: object }]);
		expect(await call).toMatchObject({ content: [{ text: 'slow x {}' }] });
		await until('it is announced', () => received.includes('notifications/tools/list_changed'));
		expect(await hub.list('tools')).toMatchObject([{ name: 'echo' }, { name: 'x' }]);
	});

	it('always waits for the tools and the library of the folder', async () => {
		let answer: (tools: Tool[]) => void = () => {};
		const own = listing('tools', () => new Promise((done) => (answer = done)));
		const { hub, warnings } = open(
			[own, listing('other', () => new Promise(() => {}), { kind: 'plugin' })],
			20,
		);
		const listed = hub.list('tools');
		await until('the other one is late', () => warnings.some((line) => line.includes('other did not list')));
		answer([{ name: 'own', inputSchema: object }]);
		expect(await listed).toMatchObject([{ name: 'own' }]);
	});

	it('neither asks a slow source again nor waits for it until it has answered', async () => {
		let asked = 0;
		const listTools = (): Promise<never> => {
			asked++;
			return new Promise(() => {});
		};
		const slow = listing('slow', listTools, { kind: 'plugin' });
		const { hub } = open([slow, echoSource('tools')], 20);
		for (let n = 0; n < 3; n++) {
			expect(await hub.list('tools')).toMatchObject([{ name: 'echo' }]);
			await hub.replaceSources([slow, echoSource('tools')]);
		}
		expect(asked).toBe(1);
	});

	it('sends no notification when a slow source lists the same as before', async () => {
		let answer: (tools: Tool[]) => void = () => {};
		const slow = listing('slow', () => new Promise((done) => (answer = done)), { kind: 'plugin' });
		const { hub } = open([slow], 20);
		const changes: string[] = [];
		hub.watch(({ kind }) => changes.push(kind));
		expect(await hub.list('tools')).toEqual([]);
		answer([]);
		await nextTurn();
		expect(changes).toEqual([]);
	});

	it('sends a call to a source that is down when it knows the tool, and names those that are down otherwise', async () => {
		const callTool = (): Promise<never> => Promise.reject(new Error('down is down'));
		const down = fakeSource(
			'down',
			{ callTool },
			{
				kind: 'plugin',
				status: {
					state: 'failed',
					isListed: false,
					error: new OrchestraError('closed', 'it ended'),
					nextTryAt: new Date(Date.now() + 2500),
				},
				hasDownTool: (name) => name === 'known',
			},
		);
		const { request } = open([down, echoSource('tools')]);
		await expect(request('tools/call', { name: 'known' })).rejects.toThrow('down is down');
		await expect(request('tools/call', { name: 'nope' })).rejects.toThrow(
			'Unknown tool: nope. It may belong to a plugin that is down: the plugin down is down and is started again in 3 s. it ended',
		);
	});

	it('drains the calls of a source that is replaced', async () => {
		let finish: () => void = () => {};
		const closed: string[] = [];
		const old: AbleSource = {
			...echoSource('old'),
			retire: () => new Promise<void>((done) => (finish = done)),
			close: async () => void closed.push('old'),
			processes: () => [{ backend: 'old', pid: 1, command: 'x', startedAt: new Date(), state: 'ready' }],
		};
		const { hub } = open([old]);
		await hub.replaceSources([]);
		expect([closed, hub.processes().length]).toEqual([[], 1]);
		finish();
		await until('it is gone', () => hub.processes().length === 0);
	});

	it('reads a resource by list, by template and by the source that owns the scheme', async () => {
		const { request } = open([
			readingSource('listed', { resources: () => [{ uri: 'a://1', name: '1' }] }),
			readingSource('templated', { templates: () => [{ uriTemplate: 'b://{id}', name: 'b' }] }),
			readingSource('owner', {}, { ownsUri: (uri) => uri.startsWith('c://') }),
		]);
		for (const [uri, reader] of [
			['a://1', 'listed'],
			['b://7', 'templated'],
			['c://any?x=1', 'owner'],
		]) {
			expect(await request('resources/read', { uri })).toEqual({ contents: [{ uri, text: reader }] });
		}
	});

	it('notifies clients of changes, closes removed sources and drops their tools', async () => {
		const gone = { ...echoSource('old'), isClosed: false };
		gone.close = () => {
			gone.isClosed = true;
			return Promise.resolve();
		};
		const { hub, request, received } = open([gone]);
		await request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
		await request('tools/list');
		await hub.replaceSources([echoSource('new', true)]);
		await until('it is announced', () => received.includes('notifications/tools/list_changed'));
		expect(await request('tools/list')).toMatchObject({ tools: [{ name: 'new__echo' }] });
		expect(gone.isClosed).toBe(true);
	});

	it('sends no notification when the sources are replaced by the same ones', async () => {
		const { hub } = open([echoSource('tools')]);
		const changes: string[] = [];
		hub.watch(({ kind }) => changes.push(kind));
		await hub.replaceSources([...hub.sources]);
		expect(changes).toEqual([]);
	});

	it('notifies a source of the first and the last subscription of a session', async () => {
		const seen: string[] = [];
		const { hub } = open([subscribedSource(seen, ['a://1'])]);
		for (const isSubscribed of [true, true, false, false])
			await hub.subscribeResource('a://1', isSubscribed, client);
		expect(seen).toEqual(['a://1 true', 'a://1 false']);
	});

	it('subscribes to a resource that a source has only later, and reports it as updated then', async () => {
		const [seen, uris, updates]: [string[], string[], string[]] = [[], [], []];
		const source = subscribedSource(seen, uris);
		const { hub } = open([source]);
		hub.watch((change) => change.kind === 'resource' && updates.push(change.uri));
		await hub.subscribeResource('a://1', true, client);
		expect(seen).toEqual([]);
		uris.push('a://1');
		await hub.replaceSources([{ ...source }]);
		await until('it is reported', () => updates.length === 1);
		expect([...seen, ...updates]).toEqual(['a://1 true', 'a://1']);
	});

	it('announces only capabilities that some source has', async () => {
		const tools = await open([echoSource('tools')]).request('initialize', { capabilities: {} });
		expect(tools).toMatchObject({
			capabilities: { tools: { listChanged: true } },
			serverInfo: { name: 'orchestra' },
		});
		expect(tools).not.toHaveProperty('capabilities.prompts');
	});

	it('journals one line for each call: client, name, duration and outcome, without arguments and results', async () => {
		const file = join(temporaryFolder(), 'state', 'journal.ndjson');
		const journal = fileJournal(file, Log.silent);
		const hub = new Hub({ sources: [echoSource('tools'), failingSource()], journal });
		const { request } = connect(hub);
		await request('tools/call', { name: 'echo', arguments: { token: 'secret-value' } });
		await request('tools/call', { name: 'fail' });
		await request('tools/call', { name: 'throw' }).catch(() => {});
		await hub.close();
		const text = readFileSync(file, 'utf8');
		const lines = text
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line));
		expect(lines.map(({ name, backend, outcome }) => [name, backend, outcome])).toEqual([
			['echo', 'tools', 'ok'],
			['fail', 'failing', 'failed'],
			['throw', 'failing', 'error'],
		]);
		expect(text).not.toContain('secret-value');
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});
});

interface Connected {
	request: (method: string, params?: unknown) => Promise<unknown>;
	received: string[];
}

function open(sources: readonly Source[], listWaitMs?: number): Connected & { hub: Hub; warnings: string[] } {
	const warnings: string[] = [];
	const log = new Log('hub', {
		level: 'info',
		format: 'text',
		now: () => new Date(),
		write: (line) => warnings.push(line),
	});
	const hub = new Hub({ sources, log, listWaitMs: () => listWaitMs });
	return { hub, warnings, ...connect(hub) };
}

function connect(hub: Hub): Connected {
	const [left, right] = memoryPair();
	const session = new McpSession(hub);
	const server = new Peer(right, session.peerOptions);
	session.connect(server);
	right.start(server);
	const received: string[] = [];
	const client = new Peer(left, { onNotification: (method) => received.push(method) });
	left.start(client);
	return { received, request: (method, params) => client.request(method, params) };
}

function echoSource(id: string, qualifiesNames = false): Source {
	const kind = qualifiesNames ? 'mcp' : 'tools';
	return listing(id, () => [{ name: 'echo', inputSchema: { type: 'object' } }], { kind, qualifiesNames });
}

/** Its tools answer with their names and arguments. */
function listing(
	id: string,
	tools: () => Awaitable<readonly Tool[]>,
	more: Partial<AbleSource> = {},
): Source {
	const callTool = ({ name, arguments: input }: CallToolParams): CallToolResult => ({
		content: [{ type: 'text', text: `${id} ${name} ${JSON.stringify(input)}` }],
	});
	return fakeSource(id, { lists: { tools }, callTool }, more);
}

const client = { sessionId: 's' } as ClientConnection;

function subscribedSource(seen: string[], uris: readonly string[]): Source {
	return readingSource(
		'notes',
		{ resources: () => uris.map((uri) => ({ uri, name: uri })) },
		{ subscribeResource: (uri, isSubscribed) => void seen.push(`${uri} ${isSubscribed}`) },
	);
}

function failingSource(): Source {
	return fakeSource('failing', {
		lists: { tools: () => ['fail', 'throw'].map((name) => ({ name, inputSchema: {} })) },
		callTool: ({ name }) =>
			name === 'throw' ? Promise.reject(new Error('secret-value')) : { content: [], isError: true },
	});
}

function readingSource(id: string, lists: FakeAnswers['lists'], more: Partial<AbleSource> = {}): Source {
	const readResource = (uri: string): ReadResourceResult => ({ contents: [{ uri, text: id }] });
	return fakeSource(id, { lists: lists ?? {}, readResource }, { kind: 'library', ...more });
}
