/* A client is notified of changes to the lists that it has seen, and never before it has seen them. */

import { expect, it } from 'vitest';
import type { Backend } from '../../src/hub/backends/backend.ts';
import { Hub } from '../../src/hub/hub.ts';
import { McpSession } from '../../src/mcp/server/mcp-session.ts';
import type { Change } from '../../src/mcp/server/provider.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { nextTurn } from '../support/waiting.ts';

it('sends no list_changed for a backend that starts while the first list is made', async () => {
	const backend = new Plugin();
	const client = connect(new Hub({ backends: [backend] }));
	client.send('initialize');
	client.send('tools/list');
	await settled();
	backend.start('a');
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2']);
});

it('sends no list_changed for several backends that start one after the other while the first list is made', async () => {
	const backends = [new Plugin('one'), new Plugin('two'), new Plugin('three')];
	const client = connect(new Hub({ backends }));
	client.send('initialize');
	client.send('tools/list');
	for (const backend of backends) {
		await settled();
		backend.start(backend.id);
	}
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2']);
	backends[1]?.start('other');
	await settled();
	expect(client.seen.slice(2)).toEqual(['notifications/tools/list_changed']);
});

it('announces changes of several backends at the same moment', async () => {
	const backends = [new Plugin('one'), new Plugin('two')];
	const client = connect(new Hub({ backends }));
	client.send('initialize');
	for (const backend of backends) backend.start(backend.id);
	client.send('tools/list');
	await settled();
	for (const backend of backends) backend.start(`${backend.id} again`);
	await settled();
	expect(client.seen.slice(2)).toContain('notifications/tools/list_changed');
	client.send('tools/list');
	await settled();
	expect(client.answers.get(3)).toContain('two again');
});

it('sends no list_changed for a backend that starts again with the same tools', async () => {
	const backend = new Plugin();
	const client = connect(new Hub({ backends: [backend] }));
	client.send('initialize');
	backend.start('a');
	client.send('tools/list');
	await settled();
	backend.start('a');
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2']);
});

it('announces a real difference, once, of a list that was seen', async () => {
	const backend = new Plugin();
	const client = connect(new Hub({ backends: [backend] }));
	client.send('initialize');
	backend.start('a');
	client.send('tools/list');
	await settled();
	backend.start('a', 'b');
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2', 'notifications/tools/list_changed']);
});

it('announces nothing to a client that has listed nothing', async () => {
	const backend = new Plugin();
	const client = connect(new Hub({ backends: [backend] }));
	client.send('initialize');
	backend.start('a');
	await settled();
	backend.start('b');
	await settled();
	expect(client.seen).toEqual(['answer 1']);
});

it('announces a change that comes while a list is made right after the answer', async () => {
	const backend = new Plugin();
	const client = connect(new Hub({ backends: [backend] }));
	client.send('initialize');
	client.send('prompts/list');
	backend.start('a');
	client.send('tools/list');
	await settled();
	backend.hold();
	client.send('tools/list');
	backend.start('c');
	await settled();
	expect(client.seen.slice(0, 3)).toEqual(['answer 1', 'answer 2', 'answer 3']);
	backend.release();
	await settled();
	expect(client.seen.at(-1)).toBe('notifications/tools/list_changed');
});

it('gives the calls of one connection one session id, and those of another another', async () => {
	const seen: string[] = [];
	const backend: Backend = {
		...base,
		listTools: () => [{ name: 'a', inputSchema: { type: 'object' } }],
		callTool: (_, { sessionId }) => {
			seen.push(sessionId);
			return { content: [] };
		},
	};
	const hub = new Hub({ backends: [backend] });
	for (const client of [connect(hub), connect(hub)]) {
		for (let n = 0; n < 2; n++) client.send('tools/call', { name: 'a' });
		await settled();
	}
	expect(seen).toHaveLength(4);
	expect(seen[0]).toBe(seen[1]);
	expect(seen[2]).toBe(seen[3]);
	expect(new Set(seen).size).toBe(2);
	expect(seen).not.toContain('');
});

const base = {
	id: 'plugin',
	kind: 'plugin',
	qualifiesNames: false,
	state: 'up',
	close: async () => {},
} as const;

/** Offers what it was last started with; until then requests wait. */
class Plugin implements Backend {
	readonly id: string;
	readonly kind = base.kind;
	readonly qualifiesNames = false;
	readonly state = 'up';
	#listener: (change: Change) => void = () => {};
	#names: Promise<string[]>;
	#begin: (names: string[]) => void = () => {};
	#gate: Promise<void> = Promise.resolve();
	#open: () => void = () => {};

	constructor(id: string = base.id) {
		this.id = id;
		this.#names = new Promise((resolve) => {
			this.#begin = resolve;
		});
	}

	start(...names: string[]): void {
		this.#begin(names);
		this.#names = Promise.resolve(names);
		this.#listener({ kind: 'tools' });
		this.#listener({ kind: 'prompts' });
	}

	/** Lists are not answered until `release`. */
	hold(): void {
		this.#gate = new Promise((resolve) => {
			this.#open = resolve;
		});
	}

	release(): void {
		this.#open();
	}

	async listTools(): Promise<{ name: string; inputSchema: { type: 'object' } }[]> {
		const names = await this.#names;
		await this.#gate;
		return names.map((name) => ({ name, inputSchema: { type: 'object' } }));
	}

	async listPrompts(): Promise<[]> {
		await this.#names;
		return [];
	}

	onChange(listener: (change: Change) => void): () => void {
		this.#listener = listener;
		return () => {};
	}

	async close(): Promise<void> {}
}

interface Client {
	/** What came, in order: `answer <id>` or the method. */
	readonly seen: string[];
	/** The text of each answer, by id. */
	readonly answers: ReadonlyMap<number, string>;
	send(method: string, params?: object): void;
}

function connect(hub: Hub): Client {
	const [near, far]: [Transport, Transport] = memoryPair();
	const session = new McpSession(hub);
	const peer = new Peer(far, session.peerOptions);
	session.connect(peer);
	far.start(peer);
	const seen: string[] = [];
	const answers = new Map<number, string>();
	near.start({
		message: (text) => {
			const { id, method } = JSON.parse(text);
			if (method === undefined) answers.set(id, text);
			seen.push(method ?? `answer ${id}`);
		},
		oversize: () => {},
		end: () => {},
	});
	let id = 0;
	return {
		seen,
		answers,
		send: (method, params = {}) =>
			void near.post(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })),
	};
}

/** Everything that needs no outside event has happened. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 10; turn++) await nextTurn();
}
