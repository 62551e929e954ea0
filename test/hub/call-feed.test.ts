import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/hub/backends/backend.ts';
import type { CallEnd, StartedCall } from '../../src/hub/call-feed.ts';
import { Hub } from '../../src/hub/hub.ts';
import { McpSession, sharedState } from '../../src/mcp/server/mcp-session.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';

describe('the calls of a hub', () => {
	it('are reported with start, notifications and end, also when the client wants no progress', async () => {
		const { hub, call } = connected();
		const seen: unknown[] = [];
		hub.calls.listen({
			started: ({ number, name, backend, client }) => seen.push({ number, name, backend, client }),
			notified: ({ number }, method, params) => seen.push({ number, method, params }),
			ended: ({ number }, { outcome }) => seen.push({ number, outcome }),
		});
		await call('greet');
		expect(seen).toEqual([
			{ number: 1, name: 'greet', backend: 'counting', client: 'agent' },
			{ number: 1, method: 'notifications/progress', params: { progress: 1, total: 2 } },
			{ number: 1, method: 'notifications/message', params: { level: 'info', data: 'half' } },
			{ number: 1, outcome: 'ok' },
		]);
	});

	it('end with what was thrown', async () => {
		const { hub, call } = connected();
		const ends: [StartedCall, CallEnd][] = [];
		hub.calls.listen({ ended: (...end) => ends.push(end) });
		await expect(call('fail')).rejects.toThrow('no paper');
		expect(ends).toMatchObject([[{ name: 'fail' }, { outcome: 'error', thrown: { message: 'no paper' } }]]);
	});

	it('go on when a listener throws, and that one is removed', async () => {
		const { hub, call } = connected();
		hub.calls.listen({
			started: () => {
				throw new Error('broken listener');
			},
		});
		expect(await call('greet')).toMatchObject({ content: [{ text: 'greet' }] });
		expect(hub.calls.isUsed).toBe(false);
	});

	it('are not reported to a listener that left', async () => {
		const { hub, call } = connected();
		const names: string[] = [];
		hub.calls.listen({ started: ({ name }) => names.push(name) })();
		await call('greet');
		expect(names).toEqual([]);
	});
});

/** A hub with one backend, and a client in its first call. */
function connected(): { hub: Hub; call: (name: string) => Promise<unknown> } {
	const backend: Backend = {
		id: 'counting',
		kind: 'tools',
		state: 'ready',
		qualifiesNames: false,
		listTools: () => ['greet', 'fail'].map((name) => ({ name, inputSchema: { type: 'object' } })),
		callTool: ({ name }, context) => {
			context.forwardProgress({ progress: 1, total: 2 });
			context.forwardLog({ level: 'info', data: 'half' });
			if (name === 'fail') throw new Error('no paper');
			return { content: [{ type: 'text', text: name }] };
		},
		close: async () => {},
	};
	const hub = new Hub({ backends: [backend] });
	const [ours, theirs] = memoryPair();
	const session = new McpSession(hub, { shared: sharedState() });
	const server = new Peer(theirs, session.peerOptions);
	session.connect(server);
	theirs.start(server);
	const peer = new Peer(ours, {});
	ours.start(peer);
	const meta = {
		'io.modelcontextprotocol/protocolVersion': '2026-07-28',
		'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
		'io.modelcontextprotocol/clientCapabilities': {},
	};
	return { hub, call: (name) => peer.request('tools/call', { name, arguments: {}, _meta: meta }) };
}
