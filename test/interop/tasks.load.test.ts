/* Tasks of 2025-11-25 through a hub: a client on the official SDK, and a server of its authors that asks during a task. */
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it, onTestFinished } from 'vitest';
import { realServer } from '../support/mcp-folder.ts';
import { main } from '../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const program = resolve(import.meta.dirname, '../fixtures/servers/task-server.mjs');
const RESEARCH = 'everything__simulate-research-query';

it('are created, asked about and read by the official client, and its plain call gets the result', async () => {
	const client = await sdkClient();
	const plain = await client.callTool({ name: RESEARCH, arguments: { topic: 'bees' } });
	expect(JSON.stringify(plain)).toContain('Research Report: bees');
	const [states, result] = await streamed(client, RESEARCH, { topic: 'ants', ambiguous: true });
	expect(states).toContain('input_required');
	expect(result).toContain('ants');
	const [, ofModern] = await streamed(client, 'hand__confirm_delete', { filename: 'f' });
	expect(ofModern).toContain('deleted f');
	const { tasks } = await client.experimental.tasks.listTasks();
	expect(tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
});

async function sdkClient(): Promise<Client> {
	const cwd = temporaryFolder();
	const hand = { command: process.execPath, args: [program, 'modern'] };
	const mcpServers = { everything: realServer('everything'), hand };
	writeFiles(cwd, { 'orchestra.json': JSON.stringify({ mcpServers }) });
	const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, ORCHESTRA_TRUST: 'all' };
	const client = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: { form: {} } } });
	client.setRequestHandler(ElicitRequestSchema, async () => ({
		action: 'accept',
		content: { interpretation: 'technical', confirm: true },
	}));
	onTestFinished(() => client.close());
	const args = [main, 'serve'];
	await client.connect(
		new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }),
	);
	return client;
}

/** The states of a task, and its result as JSON. */
async function streamed(client: Client, name: string, input: object): Promise<[string[], string]> {
	const states: string[] = [];
	const params = { name, arguments: { ...input } };
	for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
		task: { ttl: 60_000 },
	})) {
		if (message.type === 'taskStatus') states.push(message.task.status);
		if (message.type === 'result') return [states, JSON.stringify(message.result)];
		if (message.type === 'error') throw message.error;
	}
	throw new Error(`${name} has no result`);
}
