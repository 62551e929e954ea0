/* The relay between a client and hubs that come and go, over memory transports. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Relay, type RelayOptions } from '../../src/bridge/relay.ts';
import { OrchestraError } from '../../src/errors.ts';
import { Log } from '../../src/log.ts';
import type { Tool } from '../../src/protocol/mcp-types.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { deferred, nextTurn } from '../support/waiting.ts';

const gone = new OrchestraError('closed', 'the hub was stopped');

describe('Relay', () => {
	it('passes text both ways as it came', async () => {
		const { client, hub } = await connected();
		const odd = '{ "jsonrpc" : "2.0", "id" : 1e0, "method":"x", "unknown":[1.50, 9007199254740993] }';
		client.post(odd);
		expect(await hub.next()).toBe(odd);
		const answer = '{"jsonrpc":"2.0","id":1,"result":{"b":1,"a":9007199254740993}}';
		hub.post(answer);
		expect(await client.next()).toBe(answer);
	});

	it('answers everything in flight when the hub is lost, and repeats nothing', async () => {
		const { client, hub, relay } = await connected();
		client.post(request(1, 'tools/call'), request(2, 'subscriptions/listen'), request('a', 'tools/list'));
		for (let n = 0; n < 3; n++) await hub.next();
		hub.post('{"jsonrpc":"2.0","id":"a","result":{}}');
		await client.next();
		relay.detach(gone);
		for (const id of [1, 2]) {
			const { error } = JSON.parse(await client.next());
			expect(error.code, `request ${id}`).toBe(-32603);
			expect(error.message).toMatch(/the hub was stopped; outcome unknown/);
		}
		const second = attach(relay);
		client.post(request(5, 'tools/list'));
		expect(await second.next()).toBe(request(5, 'tools/list'));
		expect(client.waiting).toBe(0);
	});

	it('gives a client that works with its first list the search tools while the hub starts', async () => {
		const earlyTools = (name: string): Promise<Tool[]> =>
			Promise.resolve([{ name: `find_${name}`, inputSchema: { type: 'object' } }]);
		const { client, relay } = open({ earlyTools });
		client.post(
			request(1, 'initialize', { clientInfo: { name: 'codex-mcp-client', version: '1' } }),
			request(2, 'tools/list'),
			request(3, 'prompts/list'),
		);
		expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { capabilities: { tools: {} } } });
		expect(JSON.parse(await client.next())).toMatchObject({
			id: 2,
			result: { tools: [{ name: 'find_codex-mcp-client' }] },
		});
		const hub = attach(relay);
		expect(JSON.parse(await hub.next())).toMatchObject({ method: 'initialize' });
		expect(await hub.next()).toBe(request(3, 'prompts/list'));
	});

	it('leaves the list to a hub that is connected in time, and to one that another client waits for', async () => {
		const earlyTools = (): Promise<Tool[]> => Promise.resolve([]);
		for (const name of ['codex-mcp-client', 'claude-code']) {
			const { client, relay } = open({ earlyTools });
			client.post(request(1, 'initialize', { clientInfo: { name, version: '1' } }), request(2, 'tools/list'));
			await nextTurn();
			const hub = attach(relay);
			expect(JSON.parse(await hub.next())).toMatchObject({ id: 1 });
			expect(await hub.next()).toBe(request(2, 'tools/list'));
		}
	});

	it('answers a batch in flight with one array', async () => {
		const { client, hub, relay } = await connected();
		await openBatches(client, hub);
		client.post(`[${request(1, 'tools/list')},${request(2, 'ping')},${notice('notifications/x')}]`);
		await hub.next();
		relay.detach(gone);
		expect(JSON.parse(await client.next())).toMatchObject([{ id: 1 }, { id: 2 }]);
		expect(relay.isIdle).toBe(true);
	});

	it('forgets a batch that was answered', async () => {
		const { client, hub, relay } = await connected();
		await openBatches(client, hub);
		client.post(`[${request(1, 'a')},${request(2, 'b')}]`);
		await hub.next();
		hub.post('[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]');
		await client.next();
		expect(relay.isIdle).toBe(true);
	});

	it('replays the session to a new hub, drops the responses and notifies the client that lists may have changed', async () => {
		const { client, hub, relay } = await connected();
		await openSession(client, hub);
		for (const kind of ['tools', 'prompts', 'resources'])
			await grant(client, hub, request(6, `${kind}/list`));
		relay.detach(gone);
		const second = attach(relay);
		const received = await Promise.all(Array.from({ length: 4 }, () => second.next()));
		expect(received.map((text) => JSON.parse(text).method)).toEqual([
			'initialize',
			'notifications/initialized',
			'logging/setLevel',
			'resources/subscribe',
		]);
		expect(JSON.parse(received[3] ?? '').params).toEqual({ uri: 'b' });
		const capabilities = { tools: { listChanged: true }, prompts: {}, resources: { listChanged: true } };
		for (const text of received) {
			const { id } = JSON.parse(text);
			if (id !== undefined) second.post(JSON.stringify({ jsonrpc: '2.0', id, result: { capabilities } }));
		}
		expect(await client.next()).toBe(notice('notifications/tools/list_changed'));
		expect(await client.next()).toBe(notice('notifications/resources/list_changed'));
		expect(client.waiting).toBe(0);
	});

	it('does not repeat an initialize that failed', async () => {
		const { client, hub, relay } = await connected();
		client.post(request(1, 'initialize'));
		await hub.next();
		hub.post('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}');
		await client.next();
		relay.detach(gone);
		const second = attach(relay);
		client.post(request(2, 'initialize'));
		expect(await second.next()).toBe(request(2, 'initialize'));
	});

	it('cancels the requests of a lost hub, and forwards no late response to the next one', async () => {
		const { client, hub, relay } = await connected();
		hub.post(request(1, 'elicitation/create'));
		expect(await client.next()).toBe(request(1, 'elicitation/create'));
		relay.detach(gone);
		expect(JSON.parse(await client.next())).toMatchObject({
			method: 'notifications/cancelled',
			params: { requestId: 1 },
		});
		const second = attach(relay);
		second.post(request(1, 'roots/list'));
		const { id } = JSON.parse(await client.next());
		client.post('{"jsonrpc":"2.0","id":1,"result":{"late":true}}');
		client.post(`{"result":{"roots":[]},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
		expect(await second.next()).toBe('{"result":{"roots":[]},"jsonrpc":"2.0","id":1}');
		second.post(request(2, 'elicitation/create'));
		const other = JSON.parse(await client.next()).id;
		second.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
		expect(JSON.parse(await client.next()).params.requestId).toBe(other);
	});

	it('forgets a request that either side cancels', async () => {
		const { client, hub, relay } = await connected();
		client.post(request(1, 'tools/call'), request(2, 'subscriptions/listen'));
		client.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
		for (let n = 0; n < 3; n++) await hub.next();
		hub.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
		await client.next();
		relay.detach(gone);
		client.post(request(3, 'ping'));
		expect(await client.next()).toBe('{"jsonrpc":"2.0","id":3,"result":{}}');
		expect(client.waiting).toBe(0);
	});

	it('queues messages until there is a hub, in order, except canceled ones', async () => {
		const { client, relay } = open();
		client.post(request(1, 'initialize'), request(2, 'tools/list'), request(3, 'tools/list'));
		client.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
		client.post(request(4, 'ping'));
		await client.next();
		const hub = attach(relay);
		expect(await hub.next()).toBe(request(1, 'initialize'));
		expect(await hub.next()).toBe(request(3, 'tools/list'));
	});

	it('refuses what has waited too long, with the reason, and garbage at once', async () => {
		const { client, relay } = open({ queueMs: 20 });
		client.post(request('i', 'initialize', { protocolVersion: '2025-03-26' }));
		relay.unreachable(new OrchestraError('closed', 'nothing listens there', { hint: 'Start it.' }));
		expect(JSON.parse(await client.next())).toMatchObject({ id: 'i', result: {} });
		client.post('{', '7');
		expect(JSON.parse(await client.next())).toMatchObject({ id: null, error: { code: -32700 } });
		expect(JSON.parse(await client.next())).toMatchObject({ id: null, error: { code: -32600 } });
		client.post(request(1, 'tools/list'), notice('notifications/x'), `[${request(2, 'a')}]`);
		expect(JSON.parse(await client.next())).toMatchObject({
			id: 1,
			error: {
				code: -32603,
				message: expect.stringContaining('nothing listens there'),
				data: { hint: 'Start it.' },
			},
		});
		expect(JSON.parse(await client.next())).toMatchObject([{ id: 2, error: { code: -32603 } }]);
		expect(relay.isIdle).toBe(true);
	});

	it('shortens the long wait of the start once an attempt has failed', async () => {
		const { client, relay } = open({ queueMs: 20 });
		client.post(request(1, 'tools/list'));
		await nextTurn();
		relay.unreachable(gone);
		expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { code: -32603 } });
	});

	it('answers initialize itself without a hub, and replays it to the hub later', async () => {
		const { client, relay } = open({ queueMs: 20 });
		client.post(request(1, 'initialize', { protocolVersion: '2024-11-05' }), request(2, 'tools/list'));
		relay.unreachable(gone);
		expect(JSON.parse(await client.next())).toMatchObject({
			id: 1,
			result: { protocolVersion: '2024-11-05', serverInfo: { name: 'orchestra' } },
		});
		expect(JSON.parse(await client.next())).toMatchObject({ id: 2, error: { code: -32603 } });
		client.post(request(3, 'initialize'));
		expect(JSON.parse(await client.next())).toMatchObject({ id: 3, result: {} });
		const hub = attach(relay);
		const { id, method } = JSON.parse(await hub.next());
		expect(method).toBe('initialize');
		hub.post(JSON.stringify({ jsonrpc: '2.0', id, result: { capabilities: { tools: {} } } }));
		expect(await client.next()).toBe(notice('notifications/tools/list_changed'));
	});

	it('opens the session itself when the hub is lost before it answered', async () => {
		const { client, hub, relay } = await connected();
		client.post(request(1, 'initialize'), request(2, 'tools/list'));
		await hub.next();
		relay.detach(gone);
		expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: {} });
		expect(JSON.parse(await client.next())).toMatchObject({ id: 2, error: { code: -32603 } });
	});

	it('answers an invalid message itself, once, and has nothing in flight after it', async () => {
		const { client, hub, relay } = await connected();
		const lines: [string, unknown, number][] = [
			['{"jsonrpc":"2.0","id":"a\u0001","method":"ping"}', null, -32700],
			['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{x}}', null, -32700],
			['{"jsonrpc":"2.0","id":20}', 20, -32600],
			['{"jsonrpc":"2.0","id":21,"method":5}', 21, -32600],
			['[]', null, -32600],
			[`[${request(5, 'tools/list')}]`, null, -32600],
		];
		for (const [line, id, code] of lines) {
			client.post(line);
			expect(JSON.parse(await client.next()), line).toMatchObject({ id, error: { code } });
		}
		client.post('{"id":76,"method":"notifications/odd"}');
		client.post('{"jsonrpc":"2.0","id":77,"method":"notifications/odd"}');
		expect(await hub.next()).toContain('77');
		expect(relay.isIdle).toBe(true);
		relay.finish(gone);
		await nextTurn();
		expect(client.waiting).toBe(0);
	});

	it('refuses an id that is in flight, and the first request under it is answered', async () => {
		const { client, hub } = await connected();
		client.post(request(1, 'tools/call'), request(1, 'tools/call'));
		expect(await client.next()).toContain('id 1 is already in flight');
		await hub.next();
		hub.post('{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":1,"result":{"again":1}}');
		expect(await client.next()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
		await nextTurn();
		expect(client.waiting).toBe(0);
	});

	it('answers a line that is too long under its id, and none that is an answer itself', async () => {
		const { client, relay } = open();
		const limitBytes = 100;
		relay.oversize({ limitBytes, head: '{"jsonrpc":"2.0","id":"big","method":"x","params":"' });
		expect(JSON.parse(await client.next())).toMatchObject({ id: 'big', error: { code: -32600 } });
		relay.oversize({ limitBytes, head: '{"jsonrpc":"2.0","id":1,"result":"' });
		relay.oversize({ limitBytes, head: '{"method":"tools/call","params":"' });
		expect(JSON.parse(await client.next())).toMatchObject({ id: null, error: { code: -32600 } });
	});

	it('leaves an unknown id out for a client that has only spoken modern', async () => {
		const { client, hub, relay } = await connected();
		client.post(
			request(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
		);
		await hub.next();
		relay.oversize({ limitBytes: 1, head: '{"method":"' });
		expect(JSON.parse(await client.next())).not.toHaveProperty('id');
	});

	it('ends subscriptions with a response, and waits for calls only', async () => {
		const { client, hub, relay } = await connected();
		client.post(request(1, 'tools/call'), request('s', 'subscriptions/listen'));
		await hub.next();
		await hub.next();
		const drained = relay.drained(1000);
		hub.post('{"jsonrpc":"2.0","id":1,"result":{}}');
		expect(await drained).toBe(true);
		await client.next();
		relay.finish(gone);
		expect(JSON.parse(await client.next())).toEqual({
			jsonrpc: '2.0',
			id: 's',
			result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 's' } },
		});
		// A hub that is closed answers its subscriptions as well.
		hub.post('{"jsonrpc":"2.0","id":"s","result":{"resultType":"complete"}}');
		await nextTurn();
		expect(client.waiting).toBe(0);
	});

	it('makes one line of a message that has several', async () => {
		const { client, hub } = await connected();
		hub.post('{\n"jsonrpc":"2.0",\r\n"method":"notifications/x"}');
		expect(await client.next()).toBe('{ "jsonrpc":"2.0",  "method":"notifications/x"}');
	});

	it('queues new requests in order while the pipe to the hub is full, and continues to read', async () => {
		const { client, hub, relay } = await connected();
		hub.pause();
		const sent = Array.from({ length: 3000 }, (_, index) => request(index, 'tools/call'));
		client.post(...sent);
		await nextTurn();
		expect(client.unread).toBe(0);
		client.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2500}}');
		hub.resume();
		const rest = sent.filter((_, index) => index !== 2500);
		expect(await Promise.all(rest.map(() => hub.next()))).toEqual(rest);
		expect(relay.isIdle).toBe(false);
	});

	it('reads responses and answers to elicitations while the client takes nothing, and no new requests', async () => {
		const { client, hub } = await connected();
		client.pause();
		const notices = Array.from({ length: 3000 }, (_, index) => notice(`notifications/${index}`));
		hub.post(request('q', 'elicitation/create'), ...notices);
		await nextTurn();
		expect(hub.unread).toBe(0);
		client.post(request(1, 'ping'), request(2, 'tools/call'), '{"jsonrpc":"2.0","id":"q","result":{}}');
		expect(await hub.next()).toBe('{"jsonrpc":"2.0","id":"q","result":{}}');
		client.resume();
		expect(await hub.next()).toBe(request(2, 'tools/call'));
		for (let n = 0; n <= notices.length; n++) await client.next();
		expect(await client.next()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
	});

	it('reports a client that reads nothing, with one log line', async () => {
		const lines: string[] = [];
		const log = Log.fromEnvironment('relay', {}, (line) => lines.push(line));
		const unread = deferred();
		const { client, relay } = open({ stalledMs: 20, log, onStalled: unread.resolve });
		const hub = attach(relay);
		client.pause();
		hub.post(...Array.from({ length: 1500 }, () => notice('notifications/x')));
		await unread.promise;
		expect(lines).toEqual([
			expect.stringMatching(/the client has read nothing for 0.02 s while \d+ characters/),
		]);
	});
});

describe('whatever hubs do', () => {
	it('every request is answered exactly once, and sent at most once', async () => {
		const step = fc.constantFrom('ask', 'answer', 'lose', 'find', 'cancel', 'batch');
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
				const world = new World();
				for (const name of steps) await world[name]();
				await world.close();
				const rising = (one: number, other: number): number => one - other;
				expect(world.answers.toSorted(rising)).toEqual(world.expected.toSorted(rising));
				expect(new Set(world.reached).size).toBe(world.reached.length);
			}),
			{ numRuns: 100 },
		);
	});
});

/** A client, a relay, and hubs that answer on demand. */
class World {
	readonly answers: number[] = [];
	/** Ids of all requests but the canceled ones. */
	readonly expected: number[] = [];
	/** Ids that any hub has seen. */
	readonly reached: number[] = [];
	readonly #relay: Relay;
	readonly #client: Transport;
	#hub: Transport | undefined;
	#unanswered: number[] = [];
	#id = 0;

	constructor() {
		const [near, far] = memoryPair();
		this.#relay = new Relay(near);
		near.start(this.#relay);
		far.start({ message: (text) => this.#answered(JSON.parse(text)), oversize: () => {}, end: () => {} });
		this.#client = far;
		// The one revision that has batches.
		far.post(request('i', 'initialize', { protocolVersion: '2025-03-26' }));
		this.#relay.unreachable(gone);
	}

	async ask(): Promise<void> {
		this.#client.post(request(++this.#id, 'tools/call'));
		this.expected.push(this.#id);
		await nextTurn();
	}

	async batch(): Promise<void> {
		const ids = [++this.#id, ++this.#id];
		this.#client.post(`[${ids.map((id) => request(id, 'tools/list')).join(',')}]`);
		this.expected.push(...ids);
		await nextTurn();
	}

	async answer(): Promise<void> {
		const id = this.#unanswered.shift();
		if (id !== undefined) this.#hub?.post(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
		await nextTurn();
	}

	/** Cancel the latest request, if it is not answered yet. */
	async cancel(): Promise<void> {
		const at = this.expected.indexOf(this.#id);
		if (at === -1 || this.answers.includes(this.#id)) return;
		this.expected.splice(at, 1);
		this.#unanswered = this.#unanswered.filter((id) => id !== this.#id);
		this.#client.post(
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${this.#id}}}`,
		);
		await nextTurn();
	}

	async lose(): Promise<void> {
		this.#relay.detach(gone);
		this.#hub = undefined;
		this.#unanswered = [];
		await nextTurn();
	}

	async find(): Promise<void> {
		if (this.#hub) return;
		const [near, far] = memoryPair();
		void this.#relay.attach(near);
		far.start({ message: (text) => this.#reached(JSON.parse(text)), oversize: () => {}, end: () => {} });
		this.#hub = far;
		await nextTurn();
	}

	/** What waits is refused, and what is in flight is lost. */
	async close(): Promise<void> {
		await this.lose();
		this.#relay.finish(gone);
		await nextTurn();
	}

	#reached(message: unknown): void {
		const { method, params } = Object(message);
		if (method === 'notifications/cancelled')
			this.#unanswered = this.#unanswered.filter((id) => id !== params.requestId);
		const ids = numbersIn(message);
		this.reached.push(...ids);
		this.#unanswered.push(...ids);
	}

	#answered(message: unknown): void {
		this.answers.push(...numbersIn(message));
	}
}

/** The ids of a message or of its parts; those of the session itself are texts. */
function numbersIn(message: unknown): number[] {
	return [message]
		.flat()
		.map((part) => Object(part).id)
		.filter((id) => typeof id === 'number');
}

/** The far end of one of the relay's pipes. */
class End {
	readonly #transport: Transport;
	readonly #lines: string[] = [];
	readonly #takers: ((text: string) => void)[] = [];
	#isFull = false;
	#backlog: string[] = [];

	constructor(transport: Transport) {
		this.#transport = transport;
		transport.start({
			message: (text) => {
				const taker = this.#takers.shift();
				if (taker) taker(text);
				else this.#lines.push(text);
			},
			oversize: () => {},
			end: () => {},
		});
	}

	get waiting(): number {
		return this.#lines.length;
	}

	/** Messages that the relay has not let in yet. */
	get unread(): number {
		return this.#backlog.length;
	}

	/** Respect backpressure: pause when `post` returns false, continue after a drain. */
	post(...texts: string[]): void {
		this.#backlog.push(...texts);
		this.#pump();
	}

	next(): Promise<string> {
		const line = this.#lines.shift();
		return line === undefined ? new Promise((resolve) => this.#takers.push(resolve)) : Promise.resolve(line);
	}

	pause(): void {
		this.#transport.pause();
	}

	resume(): void {
		this.#transport.resume();
	}

	#pump(): void {
		while (!this.#isFull && this.#backlog.length > 0) {
			if (this.#transport.post(this.#backlog.shift() ?? '')) continue;
			this.#isFull = true;
			void this.#transport.flushed().then(() => {
				this.#isFull = false;
				this.#pump();
			});
		}
	}
}

function open(options: RelayOptions = {}): { client: End; relay: Relay } {
	const [near, far] = memoryPair();
	const relay = new Relay(near, options);
	near.start(relay);
	return { client: new End(far), relay };
}

async function connected(): Promise<{ client: End; hub: End; relay: Relay }> {
	const { client, relay } = open();
	return { client, hub: attach(relay), relay };
}

function attach(relay: Relay): End {
	const [near, far] = memoryPair();
	void relay.attach(near);
	return new End(far);
}

/** A request that the hub answers with a result. */
async function grant(client: End, hub: End, text: string): Promise<void> {
	client.post(text);
	await hub.next();
	hub.post(`{"jsonrpc":"2.0","id":${JSON.stringify(JSON.parse(text).id)},"result":{}}`);
	await client.next();
}

/** Open a session of the one revision that has batches. */
function openBatches(client: End, hub: End): Promise<void> {
	return grant(client, hub, request('i', 'initialize', { protocolVersion: '2025-03-26' }));
}

async function openSession(client: End, hub: End): Promise<void> {
	const granted = (text: string): Promise<void> => grant(client, hub, text);
	await granted(request(1, 'initialize'));
	client.post(notice('notifications/initialized'));
	await hub.next();
	await granted(request(2, 'logging/setLevel', { level: 'debug' }));
	await granted(request(3, 'resources/subscribe', { uri: 'a' }));
	await granted(request(4, 'resources/subscribe', { uri: 'b' }));
	await granted(request(5, 'resources/unsubscribe', { uri: 'a' }));
}

function request(id: number | string, method: string, params: unknown = {}): string {
	return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

function notice(method: string): string {
	return JSON.stringify({ jsonrpc: '2.0', method });
}
