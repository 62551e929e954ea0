/*
 * A request that two parsers may read differently, with a number that is passed on as it was
 * written: the user who approves the call and the server see one and the same value.
 */
import { expect, it } from 'vitest';
import { Relay } from '../../src/bridge/relay.ts';
import { McpSession, sharedState } from '../../src/mcp/server/mcp-session.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { openListener, send, TOKEN } from '../support/http-listener.ts';
import { gateway, type ServedHub, serveServers } from '../support/served-hub.ts';
import { until } from '../support/waiting.ts';

/** `\u0070ath` is `path`. */
const input = '{"path":"/tmp/harmless","n":1.0,"inner":{"x":1,"\\u0078":2},"\\u0070ath":"/etc/passwd"}';
const initialize = {
	jsonrpc: '2.0',
	id: 'i',
	method: 'initialize',
	params: {
		protocolVersion: '2025-06-18',
		capabilities: { elicitation: {} },
		clientInfo: { name: 'c', version: '1' },
	},
};

it('a call with two members of one name is the same for approval and server, by every way', async () => {
	const policy = [{ tools: 'asked__*', action: 'ask' }];
	const servers = { free: gateway(), asked: gateway() };
	const served = await serveServers(servers, { more: { policy } });
	for (const open of [overPipe, overBridge]) {
		const { shown, line } = await calledOver(open(served), 'asked__line');
		expect(shown).toContain('/etc/passwd');
		expect(shown).not.toContain('harmless');
		expectOneReading(line);
	}
	for (const isModern of [false, true]) expectOneReading(await calledOverHttp(served, isModern));
});

function expectOneReading(line: string): void {
	expect(JSON.parse(line).params.arguments).toEqual({ path: '/etc/passwd', n: 1, inner: { x: 2 } });
	// A parser that takes the first of two members finds nothing else.
	expect(line).not.toContain('harmless');
	expect(line).not.toContain('\\u00');
}

function overPipe(served: ServedHub): Transport {
	const [ours, theirs] = memoryPair();
	const session = new McpSession(served.opened.hub, { shared: sharedState() });
	const peer = new Peer(theirs, session.peerOptions);
	session.connect(peer);
	theirs.start(peer);
	return ours;
}

function overBridge(served: ServedHub): Transport {
	const [ours, theirs] = memoryPair();
	const relay = new Relay(theirs);
	theirs.start(relay);
	void relay.attach(overPipe(served));
	return ours;
}

/** What the client was asked to approve, and the line that the server got. */
async function calledOver(client: Transport, tool: string): Promise<{ shown: string; line: string }> {
	const received: { id?: unknown; method?: string; result?: { content: { text: string }[] } }[] = [];
	client.start({ message: (text) => received.push(JSON.parse(text)), oversize: () => {}, end: () => {} });
	client.post(JSON.stringify(initialize));
	await until('it is initialized', () => received.some(({ id }) => id === 'i'));
	client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
	client.post(callOf(tool));
	await until('it asks', () => received.some(({ method }) => method === 'elicitation/create'));
	const elicited = received.find(({ method }) => method === 'elicitation/create');
	const result = { action: 'accept', content: { decision: 'allow once' } };
	client.post(JSON.stringify({ jsonrpc: '2.0', id: elicited?.id, result }));
	await until('it is answered', () => received.some(({ id }) => id === 7));
	const line = received.find(({ id }) => id === 7)?.result?.content[0]?.text ?? '';
	await client.close();
	return { shown: JSON.stringify(elicited), line };
}

async function calledOverHttp(served: ServedHub, isModern: boolean): Promise<string> {
	const { url } = await openListener({ provider: served.opened.hub });
	const opened = isModern ? undefined : await send(url, { body: initialize, token: TOKEN });
	await opened?.text();
	const version = 'io.modelcontextprotocol/protocolVersion';
	const meta = { [version]: '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
	const headers: Record<string, string> = isModern
		? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'free__line' }
		: { 'Mcp-Session-Id': opened?.header('mcp-session-id') ?? '' };
	const body = callOf('free__line', isModern ? `,"_meta":${JSON.stringify(meta)}` : '');
	const text = await (await send(url, { body, headers, token: TOKEN })).text();
	const [, json = text] = /^data: (\{.*"result".*)$/m.exec(text) ?? [];
	return JSON.parse(json).result.content[0].text;
}

function callOf(tool: string, more = ''): string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${tool}","arguments":${input}${more}}}`;
}
