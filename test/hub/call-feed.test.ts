import { describe, expect, it } from 'vitest';
import type { CallEnd, StartedCall } from '../../src/hub/call-feed.ts';
import { Hub } from '../../src/hub/hub.ts';
import { McpSession, sharedState } from '../../src/mcp/server/mcp-session.ts';
import { deferred } from '../../src/rpc/deferred.ts';
import { Peer } from '../../src/rpc/peer.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { fakeSource } from '../support/fake-source.ts';
import { until } from '../support/waiting.ts';

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
		let count = 0;
		hub.calls.listen({
			started: () => {
				count++;
				throw new Error('broken listener');
			},
		});
		expect(await call('greet')).toMatchObject({ content: [{ text: 'greet' }] });
		await call('greet');
		expect(count).toBe(1);
		expect(hub.calls.needsValues).toBe(false);
	});

	it('in flight are reported to a listener that comes later, and end for it', async () => {
		const { hub, call, finish } = connected();
		const waiting = call('wait');
		await until('it runs', () => hub.calls.openCount === 1);
		const seen: unknown[] = [];
		hub.calls.listen({
			takesText: true,
			started: ({ name }) => seen.push(name),
			ended: ({ name }, { outcome }) => seen.push([name, outcome]),
		});
		expect([seen, hub.calls.openCount, hub.calls.needsValues]).toEqual([['wait'], 1, false]);
		finish();
		await waiting;
		expect([seen, hub.calls.openCount]).toEqual([['wait', ['wait', 'ok']], 0]);
	});

	it('are not reported to a listener that left', async () => {
		const { hub, call } = connected();
		const names: string[] = [];
		hub.calls.listen({ started: ({ name }) => names.push(name) })();
		await call('greet');
		expect(names).toEqual([]);
	});
});

/** A hub with one source, and a client in its first call. */
function connected(): { hub: Hub; call: (name: string) => Promise<unknown>; finish: () => void } {
	const finished = deferred();
	const source = fakeSource('counting', {
		lists: {
			tools: () => ['greet', 'fail', 'wait'].map((name) => ({ name, inputSchema: { type: 'object' } })),
		},
		callTool: ({ name }, context) => {
			context.forwardProgress({ progress: 1, total: 2 });
			context.forwardLog({ level: 'info', data: 'half' });
			if (name === 'fail') throw new Error('no paper');
			const result = { content: [{ type: 'text' as const, text: name }] };
			return name === 'wait' ? finished.promise.then(() => result) : result;
		},
	});
	const hub = new Hub({ sources: [source] });
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
	return {
		hub,
		call: (name) => peer.request('tools/call', { name, arguments: {}, _meta: meta }),
		finish: () => finished.resolve(),
	};
}
