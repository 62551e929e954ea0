/* The official SDK, both majors and every way of negotiating, through the real `mctl bridge`. */

import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { provide } from '../../src/mcp/define/serve.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';
import { type Orchestrator, startHub, startOrchestrator } from '../support/bridges.ts';
import { temporaryFolder } from '../support/workspace.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const info = { name: 'test', version: '1.0.0' };
const text = 'é'.repeat(100_000);
const call = { name: 'echo', arguments: { text } };
const modes = ['legacy', 'auto', { pin: '2026-07-28' }] as const;

describe.each([
	['a hub with a tunnel', tunnelHub],
	['an orchestrator that is translated', plainOrchestrator],
])('through the bridge to %s', (_, start) => {
	it('SDK v1 lists and calls tools', async () => {
		const client = new ClientV1(info);
		await client.connect(new TransportV1(bridgeTo(await start())));
		expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
		expect(await client.callTool(call)).toMatchObject({ content: [{ text }] });
		await client.close();
	});

	it.each(modes)('SDK v2 lists and calls tools, negotiating %j', async (mode) => {
		const client = new ClientV2(info, { versionNegotiation: { mode } });
		await client.connect(new TransportV2(bridgeTo(await start())));
		expect(client.getProtocolEra()).toBe(mode === 'legacy' ? 'legacy' : 'modern');
		expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
		expect(await client.callTool(call)).toMatchObject({ content: [{ text }] });
		await client.close();
	});
});

describe('an elicitation of a tool behind the hub', () => {
	const capabilities = { elicitation: {} };
	const answer = { action: 'accept' as const, content: { name: 'Ann' } };
	const greeting = { content: [{ text: 'Hello, Ann!' }] };

	it('is answered by SDK v1', async () => {
		const client = new ClientV1(info, { capabilities });
		client.setRequestHandler(ElicitRequestSchema, () => answer);
		await client.connect(new TransportV1(bridgeTo(await askingHub())));
		expect(await client.callTool({ name: 'greet' })).toMatchObject(greeting);
		await client.close();
	});

	it.each(modes)('is answered by SDK v2, negotiating %j', async (mode) => {
		const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
		client.setRequestHandler('elicitation/create', () => answer);
		await client.connect(new TransportV2(bridgeTo(await askingHub())));
		expect(await client.callTool({ name: 'greet' })).toMatchObject(greeting);
		await client.close();
	});
});

function bridgeTo({ address, folder }: Orchestrator): { command: string; args: string[]; stderr: 'ignore' } {
	const args = [main, 'bridge', `--orchestrator-addr=${address}`, `--certs-dir=${folder}`];
	return { command: process.execPath, args, stderr: 'ignore' };
}

async function askingHub(): Promise<Orchestrator> {
	const requestedSchema = {
		type: 'object' as const,
		properties: { name: { type: 'string' } },
		required: ['name'],
	};
	const greet = {
		description: 'Asks for a name',
		run: async (_input: unknown, context: CallContext): Promise<string> => {
			const { content } = await context.ask('elicitation/create', { message: 'Who?', requestedSchema });
			return `Hello, ${String(content?.['name'])}!`;
		},
	};
	const provider = provide({ name: 'hub', version: '1.0.0', tools: { greet } });
	return startHub({ folder: temporaryFolder() }, provider);
}

async function tunnelHub(): Promise<Orchestrator> {
	const run = (input: Record<string, unknown>): string => String(input['text']);
	const tools = { echo: { description: 'Says it again', run } };
	return startHub({ folder: temporaryFolder() }, provide({ name: 'hub', version: '1.0.0', tools }));
}

async function plainOrchestrator(): Promise<Orchestrator> {
	return startOrchestrator(
		{ folder: temporaryFolder() },
		{
			listTools: () => ({ tools: [{ name: 'echo', description: 'Says it again' }] }),
			toolCall: ({ arguments: input }) => ({ success: true, result: { text: input?.['text'] ?? '' } }),
		},
	);
}
