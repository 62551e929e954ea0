/* A client is notified of changes to the lists that it has seen, and never before it has seen them. */

import { expect, it } from 'vitest';
import { Hub } from '../../src/hub/hub.ts';
import type { Source } from '../../src/hub/source.ts';
import { McpSession } from '../../src/mcp/server/mcp-session.ts';
import type { Change } from '../../src/mcp/server/provider.ts';
import type { Item, ItemKind } from '../../src/protocol/item-lists.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { fakeSource } from '../support/fake-source.ts';
import { nextTurn } from '../support/waiting.ts';

it('sends no list_changed for a source that starts while the first list is made', async () => {
	const source = new Plugin();
	const client = connect(new Hub({ sources: [source] }));
	client.send('initialize');
	client.send('tools/list');
	await settled();
	source.start('a');
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2']);
});

it('sends no list_changed for several sources that start one after the other while the first list is made', async () => {
	const sources = [new Plugin('one'), new Plugin('two'), new Plugin('three')];
	const client = connect(new Hub({ sources }));
	client.send('initialize');
	client.send('tools/list');
	for (const source of sources) {
		await settled();
		source.start(source.id);
	}
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2']);
	sources[1]?.start('other');
	await settled();
	expect(client.seen.slice(2)).toEqual(['notifications/tools/list_changed']);
});

it('announces changes of several sources at the same moment', async () => {
	const sources = [new Plugin('one'), new Plugin('two')];
	const client = connect(new Hub({ sources }));
	client.send('initialize');
	for (const source of sources) source.start(source.id);
	client.send('tools/list');
	await settled();
	for (const source of sources) source.start(`${source.id} again`);
	await settled();
	expect(client.seen.slice(2)).toContain('notifications/tools/list_changed');
	client.send('tools/list');
	await settled();
	expect(client.answers.get(3)).toContain('two again');
});

it('sends no list_changed for a source that starts again with the same tools', async () => {
	const source = new Plugin();
	const client = connect(new Hub({ sources: [source] }));
	client.send('initialize');
	source.start('a');
	client.send('tools/list');
	await settled();
	source.start('a');
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2']);
});

it('announces a real difference, once, of a list that was seen', async () => {
	const source = new Plugin();
	const client = connect(new Hub({ sources: [source] }));
	client.send('initialize');
	source.start('a');
	client.send('tools/list');
	await settled();
	source.start('a', 'b');
	await settled();
	expect(client.seen).toEqual(['answer 1', 'answer 2', 'notifications/tools/list_changed']);
});

it('announces nothing to a client that has listed nothing', async () => {
	const source = new Plugin();
	const client = connect(new Hub({ sources: [source] }));
	client.send('initialize');
	source.start('a');
	await settled();
	source.start('b');
	await settled();
	expect(client.seen).toEqual(['answer 1']);
});

it('announces a change that comes while a list is made right after the answer', async () => {
	const source = new Plugin();
	const client = connect(new Hub({ sources: [source] }));
	client.send('initialize');
	client.send('prompts/list');
	source.start('a');
	client.send('tools/list');
	await settled();
	source.hold();
	client.send('tools/list');
	source.start('c');
	await settled();
	expect(client.seen.slice(0, 3)).toEqual(['answer 1', 'answer 2', 'answer 3']);
	source.release();
	await settled();
	expect(client.seen.at(-1)).toBe('notifications/tools/list_changed');
});

it('gives the calls of one connection one session id, and those of another another', async () => {
	const seen: string[] = [];
	const source = fakeSource('plugin', {
		lists: { tools: () => [{ name: 'a', inputSchema: { type: 'object' } }] },
		callTool: (_, { sessionId }) => {
			seen.push(sessionId);
			return { content: [] };
		},
	});
	const hub = new Hub({ sources: [source] });
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

/** Offers what it was last started with; until then requests wait. */
class Plugin implements Source {
	readonly id: string;
	readonly kind = 'plugin';
	readonly capabilities = ['tools', 'prompts'] as const;
	readonly qualifiesNames = false;
	readonly status = { state: 'ready' } as const;
	#listener: (change: Change) => void = () => {};
	#names: Promise<string[]>;
	#begin: (names: string[]) => void = () => {};
	#gate: Promise<void> = Promise.resolve();
	#open: () => void = () => {};

	constructor(id: string = 'plugin') {
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

	async list(kind: ItemKind): Promise<readonly Item[]> {
		const names = await this.#names;
		if (kind !== 'tools') return [];
		await this.#gate;
		return names.map((name) => ({ name, inputSchema: { type: 'object' } }));
	}

	request(): never {
		throw new Error('nothing calls it');
	}

	watch(listener: (change: Change) => void): () => void {
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
