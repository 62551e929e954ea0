/* Calls that become tasks: clients of both eras, servers with the extension, with tasks of 2025-11-25, with none. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rpcErrorOf } from '../../../src/rpc/rpc-error.ts';
import { type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const program = resolve(import.meta.dirname, '../../fixtures/servers/task-server.mjs');
const sdkProgram = resolve(import.meta.dirname, '../../fixtures/servers/sdk-task-server.mjs');
/** A legacy server that writes progress in one piece with the message before or after it. */
const burstServer = `
	const task = { taskId: 't', status: 'working', ttl: 60000, createdAt: new Date().toISOString(), lastUpdatedAt: new Date().toISOString() };
	const inputSchema = { type: 'object' };
	const tools = [{ name: 'deploy', inputSchema, execution: { taskSupport: 'required' } }];
	let token;
	const progress = (progress) => ({ method: 'notifications/progress', params: { progressToken: token, progress } });
	const answers = {
		initialize: () => [{ result: { protocolVersion: '2025-11-25', serverInfo: { name: 'burst', version: '1' },
			capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } } } }],
		'tools/list': () => [{ result: { tools } }],
		'tools/call': ({ _meta }) => ((token = _meta.progressToken), [{ result: { task } }, progress(1)]),
		'tasks/result': () => [progress(2), { result: { content: [{ type: 'text', text: 'done' }] } }],
	};
	const unknown = () => [{ error: { code: -32601, message: 'no such method' } }];
	require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
		const { id, method, params } = JSON.parse(line);
		if (id === undefined) return;
		const messages = (answers[method] ?? unknown)(params);
		process.stdout.write(messages.map((each) => JSON.stringify({ jsonrpc: '2.0', ...(each.method ? {} : { id }), ...each }) + '\\n').join(''));
	});
`;
const forms = ['modern', 'legacy', 'plain'] as const;
const declared = { elicitation: {}, extensions: { [TASKS]: {} } };

describe.each(forms)('a modern client with tasks, and a server with %s tasks', (form) => {
	it('gets a task for a long call, and its result', async () => {
		const client = await modernClient(await serve(form));
		const created = await call(client, 'slow_compute', { seconds: 0.3, label: 'sum' });
		expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: expect.any(Number) });
		expect(created['taskId']).toMatch(/^[\da-f]{32}$/);
		const ended = await ending(client, created);
		expect(ended).toMatchObject({ status: 'completed', result: { content: [{ text: 'sum done' }] } });
		expect(ended['resultType']).toBe('complete');
		expect(JSON.stringify(ended)).not.toContain('related-task');
	});

	it('answers the input requests of the server in the task, one by one', async () => {
		const client = await modernClient(await serve(form, { tasks: { always: ['*'] } }));
		const created = await call(client, form === 'plain' ? 'slow_compute' : 'multi_input', { seconds: 0 });
		if (form === 'plain') return;
		const elicited = await reaching(client, created, 'input_required');
		const [first = '', second = ''] = Object.keys(elicited['inputRequests'] as object);
		await update(client, created, { [first]: accept({ name: 'Ada' }), unknown: accept({}) });
		const left = await reaching(client, created, 'input_required');
		expect(Object.keys(left['inputRequests'] as object)).toEqual([second]);
		await update(client, created, { [second]: accept({ color: 'red' }) });
		const { result } = await ending(client, created);
		expect(JSON.stringify(result)).toContain('Ada');
	});

	it('gets the error of the call as the error of the task', async () => {
		const client = await modernClient(await serve(form, { tasks: { always: ['*'] } }));
		const created = await call(client, 'protocol_error_job');
		const ended = await ending(client, created);
		expect(ended).toMatchObject({ status: 'failed', error: { code: -32603, message: /backend died/ } });
		expect(ended).not.toHaveProperty('result');
	});

	it('cancels a task, also one that has ended', async () => {
		const client = await modernClient(await serve(form));
		const created = await call(client, 'slow_compute', { seconds: 60 });
		const { taskId } = created;
		for (let time = 0; time < 2; time++)
			expect(await client.request('tasks/cancel', { taskId })).toEqual({ resultType: 'complete' });
		expect(await ending(client, created)).toMatchObject({ status: 'cancelled' });
	});
});

describe.each(forms)('a modern client without tasks, and a server with %s tasks', (form) => {
	it('gets the result of a call that need not be a task, and an error for one that must', async () => {
		const client = await (await serve(form)).client({ era: 'modern', capabilities: {} });
		expect(await client.call('work__slow_compute', { seconds: 0.2, label: 'sum' })).toBe('sum done');
		if (form === 'plain') return;
		const { code, data } = await client.failure('work__failing_job');
		expect(code).toBe(-32021);
		expect(data).toEqual({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
	});

	it('may use no method of tasks', async () => {
		const client = await (await serve(form)).client({ era: 'modern', capabilities: {} });
		for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
			expect(await codeOf(client.request(method, { taskId: 'x', inputResponses: {} }))).toBe(-32021);
		for (const method of ['tasks/result', 'tasks/list'])
			expect(await codeOf(client.request(method, { taskId: 'x' }))).toBe(-32601);
	});
});

describe.each(forms)('a legacy client, and a server with %s tasks', (form) => {
	it('gets the plain result of a call that the server makes a task of', async () => {
		const client = await (await serve(form)).client();
		expect(await client.call('work__slow_compute', { seconds: 0.1, label: 'sum' })).toBe('sum done');
		expect(await client.call('work__failing_job')).toBe('it went wrong');
	});

	it('gets a task when it asks for one, and its result from tasks/result', async () => {
		const client = await (await serve(form)).client();
		const { task } = await legacyTask(client, 'slow_compute', { seconds: 0.2, label: 'sum' });
		expect(task).toMatchObject({ status: 'working', ttl: 5000 });
		const { taskId } = task;
		expect(await client.request('tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' });
		const result = await client.request('tasks/result', { taskId });
		expect(result).toMatchObject({
			content: [{ text: 'sum done' }],
			_meta: { 'io.modelcontextprotocol/related-task': { taskId } },
		});
		const { tasks } = (await client.request('tasks/list')) as { tasks: object[] };
		expect(tasks).toMatchObject([{ taskId, status: 'completed' }]);
		expect(await codeOf(client.request('tasks/cancel', { taskId }))).toBe(-32602);
		expect(await codeOf(client.request('tasks/update', { taskId }))).toBe(-32601);
	});

	it('gets the input requests of the task while it waits for the result', async () => {
		const elicited: unknown[] = [];
		const onClientRequest = (_method: string, params: unknown): unknown => {
			elicited.push(params);
			return accept({ confirm: true });
		};
		const client = await (await serve(form)).client({ capabilities: { elicitation: {} }, onClientRequest });
		const { task } = await legacyTask(client, 'confirm_delete', { filename: 'a.txt' });
		const { content } = await client.request('tasks/result', { taskId: task.taskId });
		expect(content).toMatchObject([{ text: 'deleted a.txt' }]);
		expect(elicited).toMatchObject([
			{ _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } } },
		]);
	});

	it('sees a result that reports an error as a failed task', async () => {
		const client = await (await serve(form)).client();
		const { task } = await legacyTask(client, 'failing_job');
		expect(await client.request('tasks/result', { taskId: task.taskId })).toMatchObject({ isError: true });
		expect(await client.request('tasks/get', { taskId: task.taskId })).toMatchObject({ status: 'failed' });
	});
});

describe('a legacy client, and a server on the official SDK that asks during a task', () => {
	const _meta = { progressToken: 'p' };
	const open = async (): Promise<HubClient> => {
		const served = await serveServers({ work: { command: process.execPath, args: [sdkProgram] } });
		const onClientRequest = (): unknown => accept({ ok: true });
		return served.client({ capabilities: { elicitation: {} }, onClientRequest });
	};

	it('answers it without knowing tasks, and gets the progress', async () => {
		const client = await open();
		const { content } = await client.request('tools/call', { name: 'work__deploy', arguments: {}, _meta });
		expect(content).toMatchObject([{ text: 'accept' }]);
		expect(client.notifications).toContainEqual({
			method: 'notifications/progress',
			params: { progressToken: 'p', progress: 1, message: 'built' },
		});
	});

	it('gets the progress that comes with the creation and with the result of the task, before the result', async () => {
		const served = await serveServers({ work: { command: process.execPath, args: ['-e', burstServer] } });
		const client = await served.client();
		const { content } = await client.request('tools/call', { name: 'work__deploy', arguments: {}, _meta });
		expect(content).toMatchObject([{ text: 'done' }]);
		const progress = client.notifications.filter(({ method }) => method === 'notifications/progress');
		expect(progress.map(({ params }) => params)).toMatchObject([{ progress: 1 }, { progress: 2 }]);
	});

	it('gets the progress of the task that it asked for, with the id that it has', async () => {
		const client = await open();
		const params = { name: 'work__deploy', arguments: {}, task: {}, _meta };
		const { task } = (await client.request('tools/call', params)) as { task: { taskId: string } };
		await client.request('tasks/result', { taskId: task.taskId });
		const own = { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } };
		expect(client.notifications).toContainEqual({
			method: 'notifications/progress',
			params: { progressToken: 'p', progress: 1, message: 'built', _meta: own },
		});
	});
});

it('a modern client is notified of what a legacy server says about its task', async () => {
	const client = await modernClient(await serve('legacy'));
	const { taskId } = await call(client, 'slow_compute', { seconds: 60 });
	const message = async (): Promise<unknown> =>
		(await client.request('tasks/get', { taskId }))['statusMessage'];
	await until('it is notified', async () => (await message()) === 'it began');
});

describe('two servers with equal ids of tasks', () => {
	it('never meet', async () => {
		const served = await serveServers(
			{ one: entry('modern'), two: entry('modern') },
			{ more: { tasks: { detachAfterMs: 50 } } },
		);
		const client = await modernClient(served);
		const made = await Promise.all(
			['one', 'two'].map((name) =>
				client.request('tools/call', {
					name: `${name}__slow_compute`,
					arguments: { seconds: 0.3, label: name },
				}),
			),
		);
		const ended = await Promise.all(made.map((task) => ending(client, task)));
		expect(ended.map(({ result }) => JSON.stringify(result))).toEqual([
			expect.stringContaining('one done'),
			expect.stringContaining('two done'),
		]);
	});
});

function entry(form: string): object {
	return { command: process.execPath, args: [program, form] };
}

/** Calls become tasks after 100 ms. */
function serve(form: string, more: object = { tasks: { detachAfterMs: 100 } }): Promise<ServedHub> {
	return serveServers({ work: entry(form) }, { more });
}

function modernClient(served: ServedHub): Promise<HubClient> {
	return served.client({ era: 'modern', capabilities: declared });
}

function call(client: HubClient, tool: string, input: object = {}): Promise<Record<string, unknown>> {
	return client.request('tools/call', { name: `work__${tool}`, arguments: input });
}

async function legacyTask(
	client: HubClient,
	tool: string,
	input: object = {},
): Promise<{ task: Record<string, unknown> }> {
	const params = { name: `work__${tool}`, arguments: input, task: { ttl: 5000 } };
	return (await client.request('tools/call', params)) as { task: Record<string, unknown> };
}

function update(
	client: HubClient,
	{ taskId }: Record<string, unknown>,
	inputResponses: object,
): Promise<object> {
	return client.request('tasks/update', { taskId, inputResponses });
}

function accept(content: object): object {
	return { action: 'accept', content };
}

async function reaching(
	client: HubClient,
	{ taskId }: Record<string, unknown>,
	...statuses: string[]
): Promise<Record<string, unknown>> {
	let state: Record<string, unknown> = {};
	await until(`the task is ${statuses.join(' or ')}`, async () => {
		state = await client.request('tasks/get', { taskId });
		return statuses.includes(String(state['status']));
	});
	return state;
}

function ending(client: HubClient, task: Record<string, unknown>): Promise<Record<string, unknown>> {
	return reaching(client, task, 'completed', 'failed', 'cancelled');
}

async function codeOf(answer: Promise<unknown>): Promise<number | undefined> {
	return answer.then(
		() => undefined,
		(error: unknown) => rpcErrorOf(error)?.code,
	);
}
