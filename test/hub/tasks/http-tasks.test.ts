/* Tasks over HTTP belong to the token that made the call, and the dashboard shows those of the project. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Authenticate, bearerToken } from '../../../src/http/authenticate.ts';
import { openTestDashboard } from '../../support/dashboard.ts';
import { openListener, send } from '../../support/http-listener.ts';
import { type Fields, MODERN, modernMeta, type Wire } from '../../support/raw-client.ts';
import { serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const program = resolve(import.meta.dirname, '../../fixtures/servers/task-server.mjs');
const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const servers = { work: { command: process.execPath, args: [program, 'modern'] } };
const slow = { name: 'work__slow_compute', arguments: { seconds: 0.3, label: 'sum' } };

describe('over HTTP', () => {
	it('a task is unknown to every other token, and stays with its own', async () => {
		const { opened } = await serveServers(servers);
		const ways = ['one', 'other'].map(bearerToken);
		const authenticate: Authenticate = (request) =>
			ways.map((way) => way(request)).find((principal) => principal !== undefined);
		const { url } = await openListener({ provider: opened.hub, authenticate });
		const { result: task } = await post(url, 'one', 'tools/call', slow);
		expect(task).toMatchObject({ resultType: 'task' });
		const { taskId } = task;
		for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
			const { error } = await post(url, 'other', method, { taskId, inputResponses: {} });
			expect([method, error?.code]).toEqual([method, -32602]);
		}
		const status = async (): Promise<unknown> =>
			(await post(url, 'one', 'tasks/get', { taskId }))['result'].status;
		await until('it is completed', async () => (await status()) === 'completed');
	});
});

describe('the dashboard', () => {
	it('lists tasks, shows one with its result, and cancels one', async () => {
		const { login, served } = await openTestDashboard({ servers });
		const client = await served.client({ era: 'modern', capabilities, name: 'agent' });
		const browser = await login();
		const { taskId: first } = await client.request('tools/call', slow);
		await until('it ended', async () => (await browser.get(`/api/tasks/${first}`))['status'] === 'completed');
		expect(await browser.get(`/api/tasks/${first}`)).toMatchObject({
			tool: 'work__slow_compute',
			client: 'agent',
			result: { content: [{ text: 'sum done' }] },
		});
		const long = { ...slow, arguments: { seconds: 60 } };
		const { taskId: second } = await client.request('tools/call', long);
		const canceled = await browser.post(`/api/tasks/${second}`);
		expect(canceled.status).toBe(200);
		const { tasks } = await browser.get('/api/tasks');
		expect(tasks.map(({ id, status }: Fields) => [id, status])).toEqual([
			[second, 'cancelled'],
			[first, 'completed'],
		]);
		expect(JSON.stringify(tasks)).not.toContain('sum done');
		expect((await browser.post(`/api/tasks/${'0'.repeat(32)}`)).status).toBe(404);
	});
});

/** A modern request with the token of a principal. */
async function post(url: string, token: string, method: string, params: Fields): Promise<Wire> {
	const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta(capabilities) } };
	const answer = await send(url, {
		token,
		body,
		headers: {
			Accept: 'application/json, text/event-stream',
			'MCP-Protocol-Version': MODERN,
			'Mcp-Method': method,
			'Mcp-Name': String(params['name'] ?? params['taskId']),
		},
	});
	if (!answer.isStream) return answer.json();
	const messages = await answer.messages();
	return messages.at(-1) ?? {};
}
