/* A bridge ends promptly and with 0, at whatever moment and in whatever way; each id is answered at most once. */

import { describe, expect, it } from 'vitest';
import { provide } from '../../src/mcp/define/serve.ts';
import { someOf } from '../support/all-tests.ts';
import {
	type BridgeProcess,
	initialize,
	type Orchestrator,
	startBridge,
	startHub,
} from '../support/bridges.ts';
import { temporaryFolder } from '../support/workspace.ts';

const modern = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientCapabilities': {},
};
const listen = {
	jsonrpc: '2.0',
	id: 's',
	method: 'subscriptions/listen',
	params: { _meta: modern, notifications: { toolsListChanged: true } },
};

/** What was going on when the bridge has to end. Nothing of it needs a wait. */
const moments: Record<string, (bridge: BridgeProcess) => Promise<unknown>> = {
	'before any message': async () => {},
	'while it connects': async ({ client }) => client.send(initialize),
	'after initialize': async ({ client }) => {
		client.send(initialize);
		await client.answer(1);
	},
	'with a subscription open': async ({ client }) => {
		client.send(listen);
		await client.line(({ method }) => method === 'notifications/subscriptions/acknowledged');
	},
	'after a notification with an id, a refused batch and garbage': async ({ client }) => {
		client.send(initialize);
		await client.answer(1);
		client.send('{"jsonrpc":"2.0","id":77,"method":"notifications/odd"}', '{');
		client.send('[{"jsonrpc":"2.0","id":2,"method":"tools/list"}]');
		await client.line(({ error }) => Object(error).code === -32600);
	},
	'after a call that was canceled': async ({ client }) => {
		client.send(initialize, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hang' } });
		client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
		await client.answer(1);
	},
};

const ways: Record<string, (bridge: BridgeProcess) => void> = {
	'the end of its input': ({ child }) => child.stdin.end(),
	SIGTERM: ({ child }) => child.kill('SIGTERM'),
	SIGINT: ({ child }) => child.kill('SIGINT'),
	'its input closed and a signal': ({ child }) => {
		child.stdin.end();
		child.kill('SIGTERM');
	},
	'two signals': ({ child }) => {
		child.kill('SIGTERM');
		child.kill('SIGTERM');
	},
	'a closed output': ({ child }) => {
		child.stdout.destroy();
		child.stdin.end();
	},
};

describe.each(Object.keys(moments))('a bridge %s', (moment) => {
	// In a short run every way is tried at one moment, and two of them at the others.
	const tried = moment === 'after initialize' ? Object.keys(ways) : someOf(Object.keys(ways));
	it.each(tried)('ends at %s', async (way) => {
		const folder = temporaryFolder();
		const bridge = startBridge(await startHub({ folder }, provide(server())));
		// Until it is connected a signal may come before anybody takes it.
		const isEarly = moment === 'before any message' || moment === 'while it connects';
		if (isEarly) await bridge.client.call('up', 'ping');
		await moments[moment]?.(bridge);
		ways[way]?.(bridge);
		const [code] = await bridge.exited;
		// The second signal ends it at once, unless it has ended by then.
		expect(way === 'two signals' ? [0, 143] : [0]).toContain(code);
		expect(bridge.stderr()).not.toMatch(/still running|Error/);
		expectOneAnswerEach(bridge.client.lines);
	});
});

it('a bridge that finds no hub ends with 0 as soon as its input does', async () => {
	const folder = temporaryFolder();
	const bridge = startBridge({ address: 'localhost:1', folder } as Orchestrator);
	bridge.client.send(initialize);
	expect(JSON.parse(await bridge.client.answer(1))).toMatchObject({
		result: { protocolVersion: '2024-11-05', serverInfo: { name: 'orchestra', version: '1.0.0' } },
	});
	bridge.client.end();
	expect(await bridge.exited).toEqual([0, null]);
});

it('answers a subscription once when its input ends', async () => {
	const folder = temporaryFolder();
	const bridge = startBridge(await startHub({ folder }, provide(server())));
	bridge.client.send(listen);
	await bridge.client.line(({ method }) => method === 'notifications/subscriptions/acknowledged');
	bridge.client.end();
	await bridge.exited;
	expect(bridge.client.lines.map((line) => JSON.parse(line).id)).toEqual(['s']);
});

function expectOneAnswerEach(lines: readonly string[]): void {
	const ids = lines
		.map((line) => JSON.parse(line))
		.filter(({ method, id }) => method === undefined && id !== null);
	expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length);
}

function server(): Parameters<typeof provide>[0] {
	return {
		name: 'hub',
		version: '1.0.0',
		tools: { hang: { description: 'Never ends', run: () => new Promise<string>(() => {}) } },
	};
}
