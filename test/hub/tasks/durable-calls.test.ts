/* Tasks that outlive their client, and the hub. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { able } from '../../../src/hub/source.ts';
import { rpcErrorOf } from '../../../src/rpc/rpc-error.ts';
import { type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const program = resolve(import.meta.dirname, '../../fixtures/servers/task-server.mjs');
const capabilities = { elicitation: {}, extensions: { [TASKS]: {} } };
const soon = { tasks: { detachAfterMs: 50 } };

describe('a task', () => {
	it('goes on when its client is gone, and another client of the principal gets the result', async () => {
		const served = await serve();
		const first = await modern(served);
		const task = await slow(first, 0.4);
		first.close();
		const second = await modern(served);
		expect(await ended(second, task)).toMatchObject({ status: 'completed' });
		expect(runs(served)).toHaveLength(1);
	});

	it('outlives the session of its client, with the process of that session', async () => {
		const served = await serve({ scope: 'session' });
		const first = await served.client({ era: 'modern', capabilities, sessionId: 'first' });
		const task = await slow(first, 0.5);
		first.close();
		for (const source of served.opened.hub.sources) able(source, 'endSession')?.endSession('first');
		expect(await ended(await modern(served), task)).toMatchObject({ status: 'completed' });
	});

	it('can be read by the next hub, with its result', async () => {
		const served = await serve();
		const client = await modern(served);
		const task = await slow(client, 0.1);
		await ended(client, task);
		const next = await served.again();
		expect(await ended(await modern(next), task)).toMatchObject({
			status: 'completed',
			result: { content: [{ text: 'sum done' }] },
		});
	});

	it('that runs when the hub ends has failed, and its outcome is unknown', async () => {
		const served = await serve();
		const task = await slow(await modern(served), 60);
		const next = await served.again();
		expect(await ended(await modern(next), task)).toMatchObject({
			status: 'failed',
			error: { code: -32603, data: { outcome: 'unknown' } },
		});
	});

	it('has failed with an unknown outcome when its server dies', async () => {
		const served = await serve({}, { tasks: { always: ['*'] } });
		const client = await modern(served);
		const task = await client.request('tools/call', { name: 'work__die', arguments: {} });
		expect(await ended(client, task)).toMatchObject({
			status: 'failed',
			error: { data: { outcome: 'unknown' } },
		});
	});

	it('is unknown to another principal, and to who makes up an id', async () => {
		const served = await serve();
		const task = await slow(await modern(served), 0.1);
		const other = await serveServers({ work: entry() }, { home: served.folder, more: soon });
		const foreign = await modern(other);
		for (const taskId of [task['taskId'], '0'.repeat(32), '../../x', 'x'])
			for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
				expect(await codeOf(foreign.request(method, { taskId, inputResponses: {} }))).toBe(-32602);
	});

	it('asks for an approval before it starts', async () => {
		const policy = [{ tools: 'work__slow_compute', action: 'ask' }];
		const served = await serve({}, { tasks: { always: ['*'] }, policy });
		const client = await modern(served);
		const params = { name: 'work__slow_compute', arguments: { seconds: 0.1, label: 'sum' } };
		const elicited = await client.request('tools/call', params);
		expect(elicited).toMatchObject({ resultType: 'input_required' });
		expect(elicited).not.toHaveProperty('taskId');
		expect(runs(served)).toEqual([]);
	});

	it('asks the first input requests of a plain server before it starts', async () => {
		const served = await serve({}, { tasks: { always: ['*'] } });
		const client = await modern(served);
		const params = { name: 'work__test_tool_with_task', arguments: {} };
		const elicited = await client.request('tools/call', params);
		expect(elicited).toMatchObject({ resultType: 'input_required' });
		const [key = ''] = Object.keys(elicited['inputRequests'] as object);
		const task = await client.request('tools/call', {
			...params,
			requestState: elicited['requestState'],
			inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } },
		});
		expect(task).toMatchObject({ resultType: 'task' });
		expect(JSON.stringify(await ended(client, task))).toContain('Hello, Ada!');
	});

	it('whose end cannot be stored is read from memory, and stored when that works again', async () => {
		const served = await serve();
		const client = await modern(served);
		const task = await slow(client, 0.4);
		const [folder = ''] = readdirSync(join(served.folder, 'state/orchestra/tasks'), { recursive: true });
		const path = join(served.folder, 'state/orchestra/tasks', String(folder));
		renameSync(path, `${path}-aside`);
		writeFileSync(path, 'no folder');
		expect(await ended(client, task)).toMatchObject({ status: 'completed' });
		expect(served.log.join('')).toContain('could not be stored');
		rmSync(path);
		renameSync(`${path}-aside`, path);
		expect(await ended(await modern(await served.again()), task)).toMatchObject({
			status: 'completed',
			result: { content: [{ text: 'sum done' }] },
		});
	});

	it('is reported to a client that listens, with its state now and each change', async () => {
		const client = await modern(await serve());
		const task = await slow(client, 0.3);
		const taskIds = [task['taskId'], 'f'.repeat(32)];
		void client.request('subscriptions/listen', { notifications: { taskIds } }).catch(() => {});
		const states = (): unknown[] =>
			client.notifications
				.filter(({ method }) => method === 'notifications/tasks')
				.map(({ params }) => params);
		await until('the end is reported', () => JSON.stringify(states()).includes('completed'));
		expect(client.notifications[0]).toMatchObject({
			method: 'notifications/subscriptions/acknowledged',
			params: { notifications: { taskIds: [task['taskId']] } },
		});
		expect(states()).toMatchObject([{ status: 'working' }, { status: 'completed', result: {} }]);
	});
});

describe('a call of a client with tasks', () => {
	it('that is short is answered at once', async () => {
		const client = await modern(await serve({}, {}));
		expect(await client.call('work__greet', { name: 'Ada' })).toBe('Hello, Ada!');
	});

	it('that the client cancels before it is a task is canceled', async () => {
		const served = await serve({}, {});
		const client = await modern(served);
		const abort = new AbortController();
		const call = client.call('work__slow_compute', { seconds: 60 }, { signal: abort.signal });
		await until('it runs', () => runs(served).length === 1);
		abort.abort();
		await expect(call).rejects.toThrow();
		await until('it has ended', () => served.opened.hub.calls.openCount === 0);
	});
});

function entry(settings: object = {}): object {
	return { command: process.execPath, args: [program, 'plain'], env: { RUNS: '${STARTS}' }, ...settings };
}

function serve(settings: object = {}, more: object = soon): Promise<ServedHub> {
	return serveServers({ work: entry(settings) }, { more });
}

function modern(served: ServedHub): Promise<HubClient> {
	return served.client({ era: 'modern', capabilities });
}

async function slow(client: HubClient, seconds: number): Promise<Record<string, unknown>> {
	const params = { name: 'work__slow_compute', arguments: { seconds, label: 'sum' } };
	const task = await client.request('tools/call', params);
	expect(task).toMatchObject({ resultType: 'task' });
	return task;
}

async function ended(
	client: HubClient,
	{ taskId }: Record<string, unknown>,
): Promise<Record<string, unknown>> {
	let state: Record<string, unknown> = {};
	await until('the task has ended', async () => {
		state = await client.request('tasks/get', { taskId });
		return ['completed', 'failed', 'cancelled'].includes(String(state['status']));
	});
	return state;
}

function runs(served: ServedHub): string[] {
	try {
		return readFileSync(join(served.folder, 'starts'), 'utf8').trim().split('\n');
	} catch {
		return []; // nothing ran
	}
}

async function codeOf(answer: Promise<unknown>): Promise<number | undefined> {
	return answer.then(
		() => undefined,
		(error: unknown) => rpcErrorOf(error)?.code,
	);
}
