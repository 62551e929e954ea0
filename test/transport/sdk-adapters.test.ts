/* The official SDK, both majors, over our transports and its own, in every pairing. */

import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { OrchestraClientTransport } from '../../src/transport/sdk/sdk-transport.ts';
import { firstOf } from '../support/all-tests.ts';
import { isAlive, node } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const info = { name: 'test', version: '1.0.0' };
const sides = ['ours', 'theirs'] as const;

describe.each(['v1', 'v2'])('a server on SDK %s', (server) => {
	for (const serverSide of sides) {
		// In a short run our transport is on one side, or on both.
		for (const clientSide of serverSide === 'theirs' ? firstOf(sides) : sides) {
			it(`serves SDK v1 clients: server transport ${serverSide}, client transport ${clientSide}`, async () => {
				const client = new ClientV1(info);
				const record = recordOf(server, serverSide);
				await client.connect(
					clientSide === 'ours' ? new OrchestraClientTransport(record) : new TransportV1(record),
				);
				expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
				expect(await client.callTool({ name: 'echo', arguments: { text: 'hé' } })).toMatchObject({
					content: [{ text: 'hé' }],
				});
				await client.close();
			});

			it(`serves SDK v2 clients: server transport ${serverSide}, client transport ${clientSide}`, async () => {
				const client = new ClientV2(info);
				const record = recordOf(server, serverSide);
				await client.connect(
					clientSide === 'ours' ? new OrchestraClientTransport(record) : new TransportV2(record),
				);
				expect(
					await client.callTool({ name: 'echo', arguments: { text: 'x'.repeat(200_000) } }),
				).toMatchObject({
					content: [{ text: 'x'.repeat(200_000) }],
				});
				await client.close();
			});
		}
	}
});

describe('OrchestraClientTransport', () => {
	it('leaves no process behind when the SDK closes', async () => {
		const transport = new OrchestraClientTransport(recordOf('v1', 'ours'), {});
		expect(transport.pid).toBeNull();
		const client = new ClientV1(info);
		await client.connect(transport);
		const pid = transport.pid ?? 0;
		expect(isAlive(pid)).toBe(true);
		await client.close();
		expect(isAlive(pid)).toBe(false);
	});

	it('notifies the SDK of a dead server, so that pending calls fail', async () => {
		const transport = new OrchestraClientTransport(recordOf('v2', 'ours'), {});
		const client = new ClientV2(info);
		await client.connect(transport);
		const closed = new Promise<void>((resolve) => (client.onclose = resolve));
		process.kill(transport.pid ?? 0, 'SIGKILL');
		await closed;
		await expect(client.listTools()).rejects.toThrow();
	});

	it('reports invalid and oversize lines by onerror and continues', async () => {
		const script = `console.log('hello'); console.log('5'); console.log('   '); console.log('"' + 'x'.repeat(5000) + '"'); console.log('{"ok":1}'); process.stdin.resume()`;
		const transport = new OrchestraClientTransport(node(script), { limitBytes: 1000 });
		const errors: string[] = [];
		const messages: object[] = [];
		transport.onerror = (error) => errors.push(error.message);
		transport.onmessage = (message) => messages.push(message);
		await transport.start();
		await until('the message came', () => messages.length === 1);
		expect(errors).toEqual([
			expect.stringMatching(/^failed to parse response/),
			'message is longer than the limit of 1000 bytes',
		]);
		await transport.close();
	});

	it('cannot be started twice, nor used before start', async () => {
		const transport = new OrchestraClientTransport(node('process.stdin.resume()'));
		await expect(transport.send({})).rejects.toThrow('transport is not started');
		await transport.start();
		await expect(transport.start()).rejects.toThrow('this transport is already started');
		await transport.close();
		await transport.close();
		await expect(transport.send({})).rejects.toThrow('transport is shut down');
	});

	it('rejects start when the program cannot be started', async () => {
		await expect(
			new OrchestraClientTransport({ command: 'nonexistent_command_12345' }).start(),
		).rejects.toMatchObject({ code: 'spawn' });
	});
});

function recordOf(server: string, side: string): { command: string; args: string[] } {
	const file = fileURLToPath(new URL(`../fixtures/sdk-server-${server}.mjs`, import.meta.url));
	return { command: process.execPath, args: [file, side] };
}
