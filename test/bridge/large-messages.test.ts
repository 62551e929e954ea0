/* Messages at and over the limits of a frame and of a tunnel: one call fails, nothing else suffers. */

import { describe, expect, it } from 'vitest';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import { provide } from '../../src/mcp/define/serve.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import { EXACT_JSON, MCP_TUNNEL } from '../../src/plugin/features.ts';
import type { PluginHandlers } from '../../src/plugin/server/handlers.ts';
import { FRAME_LIMIT_BYTES, TUNNEL_MESSAGE_BYTES } from '../../src/wire/wire-limits.ts';
import { firstOf } from '../support/all-tests.ts';
import { openBridge, startHub, startOrchestrator } from '../support/bridges.ts';
import { deferred } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const MiB = 1024 * 1024;
const LINES = { limitBytes: 200 * MiB };
/** A hub of an older release: it takes no messages in parts. */
const old: PluginHandlers = { register: () => ({ accepted: true, features: [MCP_TUNNEL, EXACT_JSON] }) };

for (const kind of firstOf(['quic', 'tls'] as const)) {
	describe(`a tunnel over ${kind}`, () => {
		it('carries a result that is larger than a frame', async () => {
			const { client } = await bridgeTo(kind);
			const { result } = await client.call(1, 'tools/call', sized(FRAME_LIMIT_BYTES + 4 * MiB));
			expect(textIn(result)).toHaveLength(FRAME_LIMIT_BYTES + 4 * MiB);
		});

		it('carries a request that is larger than a frame, as the first message too', async () => {
			const { client } = await bridgeTo(kind);
			const text = 'ü'.repeat(10 * MiB);
			const { result } = await client.call(1, 'tools/call', { name: 'count', arguments: { text } });
			expect(textIn(result)).toBe(String(text.length));
		});

		it('fails one result over its limit alone, naming size and limit', async () => {
			const { client, release } = await bridgeTo(kind);
			client.send({ jsonrpc: '2.0', id: 'other', method: 'tools/call', params: { name: 'wait' } });
			const { error } = await client.call(1, 'tools/call', sized(TUNNEL_MESSAGE_BYTES));
			expect(error).toMatchObject({ code: -32603, data: { limitBytes: TUNNEL_MESSAGE_BYTES } });
			expect(error?.message).toMatch(/is 671\d+ bytes long, over the limit of 67108864 bytes/);
			release();
			expect(await client.answer('other')).toContain('released');
		});
	});
}

describe('a tunnel to a hub that takes no parts', () => {
	it('fails a result over the limit of a frame alone', async () => {
		const { client, release } = await bridgeTo('quic', old);
		client.send({ jsonrpc: '2.0', id: 'other', method: 'tools/call', params: { name: 'wait' } });
		const text = 'x'.repeat(FRAME_LIMIT_BYTES);
		const { error } = await client.call(1, 'tools/call', { name: 'count', arguments: { text } });
		expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('over the limit of') });
		release();
		expect(await client.answer('other')).toContain('released');
	});

	it('drops a log message over the limit, and the call that sent it is answered', async () => {
		const { client } = await bridgeTo('quic');
		await client.call(1, 'logging/setLevel', { level: 'debug' });
		const { result } = await client.call(2, 'tools/call', {
			name: 'log',
			arguments: { size: TUNNEL_MESSAGE_BYTES },
		});
		expect(textIn(result)).toBe('logged');
		expect(client.lines).toEqual([]);
	});

	it('fails a list over the limit alone', async () => {
		const { client } = await bridgeTo('quic');
		const { error } = await client.call(1, 'prompts/list');
		expect(error?.message).toContain('over the limit of 67108864 bytes');
		expect(
			(await client.call(2, 'tools/call', { name: 'count', arguments: { text: 'x' } })).result,
		).toBeTruthy();
	});
});

describe.each(firstOf(['tls', 'quic'] as const))('a plugin call over %s', (kind) => {
	it('that is too large for a frame fails alone, as a request and as an answer', async () => {
		const folder = temporaryFolder();
		const hold = deferred();
		const server = await startOrchestrator(
			{ folder, kind },
			{
				storageRead: async ({ path }) => {
					if (path === 'wait') await hold.promise;
					return { content: new Uint8Array(path === 'large' ? FRAME_LIMIT_BYTES : 1) };
				},
				storageWrite: () => ({ success: true }),
			},
		);
		const identity = await loadIdentity(folder, 'large-client');
		const client = await PluginClient.connect({ kind, address: server.address, identity });
		const other = client.ask({ case: 'storageRead', value: { path: 'wait' } }, 'storageRead');
		const large = client.ask({ case: 'storageRead', value: { path: 'large' } }, 'storageRead');
		await expect(large).rejects.toThrow(
			/storageRead message is 167\d+ bytes long, over the limit of 16777216/,
		);
		const content = new Uint8Array(FRAME_LIMIT_BYTES);
		const write = client.ask({ case: 'storageWrite', value: { path: 'a', content } }, 'storageWrite');
		await expect(write).rejects.toThrow(/storageWrite message is 167\d+ bytes long, over the limit/);
		hold.resolve();
		expect((await other).content).toHaveLength(1);
		await client.close();
	});
});

async function bridgeTo(
	kind: 'quic' | 'tls',
	also: PluginHandlers = {},
): Promise<ReturnType<typeof openBridge> & { release: () => void }> {
	const folder = temporaryFolder();
	const hold = deferred();
	const hub = await startHub({ folder, kind }, provide(server(hold.promise)), also);
	return { ...openBridge(hub, { kind, ...LINES }), release: hold.resolve };
}

function server(held: Promise<void>): Parameters<typeof provide>[0] {
	return {
		name: 'hub',
		version: '1',
		tools: {
			sized: { description: 'A text of this size', run: ({ size }) => 'x'.repeat(Number(size)) },
			count: { description: 'Counts', run: ({ text }) => String(String(text).length) },
			wait: { description: 'Waits', run: () => held.then(() => 'released') },
			log: {
				description: 'Logs',
				run: ({ size }, context) => {
					context.log('error', 'x'.repeat(Number(size)));
					return 'logged';
				},
			},
		},
		prompts: { huge: { description: 'x'.repeat(TUNNEL_MESSAGE_BYTES), get: () => '' } },
	};
}

function sized(size: number): object {
	return { name: 'sized', arguments: { size } };
}

function textIn(result: Record<string, unknown> | undefined): string {
	const [block] = (result?.['content'] ?? []) as { text: string }[];
	return block?.text ?? '';
}
