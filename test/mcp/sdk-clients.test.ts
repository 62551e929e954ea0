/* The official clients as judges: both majors, every way of agreeing on a version. */
import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { Judge as InteropJudge } from '../support/judges.ts';

const record = {
	command: process.execPath,
	args: [fileURLToPath(new URL('../fixtures/mcp-server.mjs', import.meta.url))],
};
const info = { name: 'judge', version: '1.0.0' };
const capabilities = { elicitation: {} };
const answer = { action: 'accept' as const, content: { name: 'Ann' } };

interface Judge {
	client: InteropJudge['client'];
	/** Resolves when the client is notified that the tools changed. */
	toolsChanged: Promise<void>;
	version: string | undefined;
}

const judges: Record<string, () => Promise<Judge>> = {
	'SDK v1': openV1,
	'SDK v2, legacy': () => openV2('legacy'),
	'SDK v2, auto': () => openV2('auto'),
	'SDK v2, pinned to 2026-07-28': () => openV2({ pin: '2026-07-28' }),
};

describe.each(Object.entries(judges))('%s', (name, open) => {
	it('finds everything, calls it and gets what it expects', async () => {
		const { client, version } = await open();
		expect(version).toBe(name.includes('auto') || name.includes('pinned') ? '2026-07-28' : '2025-11-25');
		const { tools } = await client.listTools();
		expect(tools.map((tool) => tool.name)).toEqual([
			'change',
			'echo',
			'fail',
			'go',
			'greet',
			'hang',
			'sum',
			'work',
		]);
		expect(await client.callTool({ name: 'echo', arguments: { text: 'hé' } })).toMatchObject({
			content: [{ type: 'text', text: 'hé' }],
		});
		expect(await client.callTool({ name: 'sum', arguments: { a: 1, b: 2 } })).toMatchObject({
			structuredContent: { sum: 3 },
		});
		expect(await client.callTool({ name: 'fail' })).toMatchObject({ isError: true });
		expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({ isError: true });
		await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 });
		await client.close();
	});

	it('reads resources, gets prompts and completes arguments', async () => {
		const { client } = await open();
		expect((await client.listResources()).resources).toMatchObject([{ uri: 'note://one' }]);
		expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
		expect((await client.readResource({ uri: 'note://by-id/7' })).contents).toMatchObject([{ text: '7' }]);
		await expect(client.readResource({ uri: 'note://none' })).rejects.toMatchObject({ code: -32602 });
		expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'hello' }]);
		const prompt = await client.getPrompt({ name: 'hello', arguments: { who: 'Bo' } });
		expect(prompt.messages).toMatchObject([{ content: { text: 'Say hello to Bo.' } }]);
		const completed = await client.complete({
			ref: { type: 'ref/prompt', name: 'hello' },
			argument: { name: 'who', value: 'An' },
		});
		expect(completed.completion.values).toEqual(['Ann', 'Anton']);
		await client.close();
	});

	it('is asked, and its answer reaches the tool', async () => {
		const { client } = await open();
		expect(await client.callTool({ name: 'greet' })).toMatchObject({ content: [{ text: 'Hello, Ann!' }] });
		await client.close();
	});

	it('is notified of changed tools', async () => {
		const { client, toolsChanged } = await open();
		await client.listTools();
		await client.callTool({ name: 'change' });
		await toolsChanged;
		await client.close();
	});
});

describe.each(['legacy', 'auto', { pin: '2026-07-28' }] as const)('SDK v2 in mode %j', (mode) => {
	it('gets progress, and gives a call up', async () => {
		const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
		await client.connect(new TransportV2(record));
		const seen: number[] = [];
		const worked = client.callTool(
			{ name: 'work' },
			{
				onprogress: ({ progress }) => {
					seen.push(progress);
					if (progress === 3) void client.callTool({ name: 'go' });
				},
			},
		);
		expect(await worked).toMatchObject({ content: [{ text: 'done' }] });
		expect(seen).toEqual([1, 2, 3]);
		const controller = new AbortController();
		const hanging = client.callTool({ name: 'hang' }, { signal: controller.signal });
		controller.abort();
		await expect(hanging).rejects.toThrow();
		expect(await client.callTool({ name: 'echo', arguments: { text: 'still here' } })).toMatchObject({
			content: [{ text: 'still here' }],
		});
		await client.close();
	});
});

async function openV1(): Promise<Judge> {
	const client = new ClientV1(info, { capabilities });
	client.setRequestHandler(ElicitRequestSchema, () => answer);
	const toolsChanged = new Promise<void>((resolve) => {
		client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
	});
	const transport = new TransportV1(record);
	let version: string | undefined;
	Object.assign(transport, { setProtocolVersion: (agreed: string) => (version = agreed) });
	await client.connect(transport);
	// The two majors name the same methods alike.
	return { client: client as unknown as Judge['client'], toolsChanged, version };
}

async function openV2(mode: 'legacy' | 'auto' | { pin: '2026-07-28' }): Promise<Judge> {
	const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
	client.setRequestHandler('elicitation/create', () => answer);
	const toolsChanged = new Promise<void>((resolve) => {
		client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
	});
	await client.connect(new TransportV2(record));
	if (mode !== 'legacy') await client.listen({ toolsListChanged: true });
	const version = client.getNegotiatedProtocolVersion();
	return { client, toolsChanged, version };
}
