/* Whatever a client writes, a bridge answers what a server without a bridge would: the same ids, the same kinds. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Relay } from '../../src/bridge/relay.ts';
import { OrchestraError } from '../../src/errors.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import { McpSession } from '../../src/mcp/server/mcp-session.ts';
import type { Provider } from '../../src/mcp/server/provider.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { nextTurn } from '../support/waiting.ts';

const odd = fc.oneof(
	fc.string(),
	fc.string({ unit: 'binary' }),
	fc.json(),
	fc.constantFrom(
		'',
		' ',
		'{}',
		'[]',
		'null',
		'[1]',
		'{"jsonrpc":"2.0"}',
		'{"jsonrpc":"1.0","id":1,"method":"ping"}',
	),
);
const id = fc.oneof(
	fc.integer().map(String),
	fc.string().map((text) => JSON.stringify(text)),
	fc.constantFrom(
		'"a\u0001"',
		'"\t"',
		'9007199254740993',
		'1.50',
		'-0',
		'1e3',
		'null',
		'true',
		'{}',
		'"\\u0041"',
	),
);
const method = fc.constantFrom(
	...['initialize', 'ping', 'tools/list', 'tools/call', 'resources/read', 'server/discover'],
	...[
		'some/unknown',
		'notifications/odd',
		'notifications/initialized',
		'notifications/cancelled',
		'a\\tb',
		'a\tb',
	],
);
const params = fc.constantFrom(
	...['', ',"params":{}', ',"params":[]', ',"params":5', ',"params":{x}', ',"params":{"name":""}'],
	...[
		',"params":{"name":"echo","arguments":{"text":"x"}}',
		',"params":{"name":"none"}',
		',"id":7',
		',"method":"ping"',
	],
	...[',"params":{"protocolVersion":"2025-03-26"}', ',"params":{"protocolVersion":"2024-11-05"}'],
	',"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}',
	',"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}',
);
const call = fc
	.tuple(id, method, params, fc.constantFrom('jsonrpc first', 'id last', 'no id', 'cut'))
	.map(([id, method, params, form]) => {
		if (form === 'id last') return `{"method":"${method}"${params},"jsonrpc":"2.0","id":${id}}`;
		if (form === 'no id') return `{"jsonrpc":"2.0","method":"${method}"${params}}`;
		const line = `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params}}`;
		return form === 'cut' ? line.slice(0, -1 - (params.length % 7)) : line;
	});
const answer = id.map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`);
const bare = id.map((id) => `{"jsonrpc":"2.0","id":${id}}`);
const batch = fc
	.array(fc.oneof(call, answer, fc.json()), { maxLength: 3 })
	.map((parts) => `[${parts.join(',')}]`);
const line = fc.oneof({ weight: 4, arbitrary: call }, odd, answer, bare, batch);

it('a bridge answers every line as the server behind it would, and each exactly once', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
			const direct = new Client(serve);
			const bridged = new Client(serveThroughRelay);
			for (const text of lines) {
				// A pipe carries lines.
				const sent = text.replaceAll(/[\r\n]/g, ' ');
				expect(await bridged.answersTo(sent), JSON.stringify(sent)).toEqual(await direct.answersTo(sent));
			}
			bridged.relay?.finish(new OrchestraError('closed', 'the bridge is closing'));
			expect(await bridged.answersTo('')).toEqual([]);
		}),
		{ numRuns: 1000 },
	);
});

/** Sends lines and takes what is answered to each. */
class Client {
	readonly relay: Relay | undefined;
	readonly #transport: Transport;
	#answers: string[] = [];

	constructor(open: (transport: Transport) => Relay | undefined) {
		const [near, far] = memoryPair();
		this.#transport = near;
		this.relay = open(far);
		near.start({ message: (text) => this.#answers.push(text), oversize: () => {}, end: () => {} });
	}

	/** The ids and kinds of the answers, in order. */
	async answersTo(text: string): Promise<unknown[]> {
		this.#transport.post(text);
		for (let turn = 0; turn < 3; turn++) await nextTurn();
		return this.#answers.splice(0).map((answer) => kindsOf(answer));
	}
}

/** An answer that is not JSON fails the test here. */
function kindsOf(text: string): unknown {
	const value: unknown = JSON.parse(text);
	return Array.isArray(value) ? value.map(kindOf) : kindOf(value);
}

function kindOf(value: unknown): unknown {
	const { id, error } = Object(value);
	return { id, kind: error?.code ?? 'result' };
}

function serve(transport: Transport): undefined {
	const session = new McpSession(server());
	const peer = new Peer(transport, session.peerOptions);
	session.connect(peer);
	transport.start(peer);
}

function serveThroughRelay(transport: Transport): Relay {
	const [near, far] = memoryPair();
	serve(far);
	const relay = new Relay(transport);
	void relay.attach(near);
	transport.start(relay);
	return relay;
}

function server(): Provider {
	return provide({
		name: 'hub',
		version: '1.0.0',
		resources: { 'note:a': { read: () => 'a' } },
		tools: { echo: { description: 'Says it again', run: ({ text }) => String(text) } },
	});
}
