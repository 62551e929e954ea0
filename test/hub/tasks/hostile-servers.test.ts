/* Servers that misbehave about their tasks harm their own call alone. */
import { resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const program = resolve(import.meta.dirname, '../../fixtures/servers/hostile-task-server.mjs');
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const entry = { command: process.execPath, args: [program] };

describe('a server whose task', () => {
	it.each([
		['never-ends', /did not end within 1000 ms/],
		['polls-never', /did not end within 1000 ms/],
		['flips-without-end', /did not end within 1000 ms/],
		['asks-anew-each-time', /did not end within 1000 ms|more than 64 client requests/],
		['is-no-task', /did not end within 1000 ms/],
		['has-no-status', /the status of the task is/],
		['completes-without-result', /has no result/],
		['fails-without-error', /has no error/],
		['tells-of-another', /the state of another task/],
		['asks-1000-times', /more than 64 client requests/],
		['asks-at-length', /too long/],
		['asks-without-method', /has no method/],
		['asks-for-files', /not a request that a client can answer/],
	])('%s fails its own task, and serves others on', async (how, reason) => {
		// Only a task that never ends needs the end of its time.
		const client = await modern(await serve(String(reason).includes('did not end') ? 1000 : 60_000));
		const task = await go(client, { how });
		const [ended, other] = await Promise.all([end(client, task), go(client, { how: 'honest' })]);
		expect(ended).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(reason) } });
		expect(JSON.stringify(ended).length).toBeLessThan(10_000);
		expect(await end(client, other)).toMatchObject({ status: 'completed' });
	});

	it('talks at length is cut short', async () => {
		const client = await modern(await serve());
		const { taskId } = await go(client, { how: 'talks-at-length' });
		let message: unknown;
		await until('it says something', async () => {
			message = (await client.request('tasks/get', { taskId }))['statusMessage'];
			return message !== undefined;
		});
		expect(message).toBe('x'.repeat(1000));
	});

	it('asks dozens of times adds no listener for each', async () => {
		const warnings: Error[] = [];
		const onWarning = (warning: Error): unknown => warnings.push(warning);
		process.on('warning', onWarning);
		onTestFinished(() => void process.off('warning', onWarning));
		const client = await modern(await serve(60_000));
		await end(client, await go(client, { how: 'asks-anew-each-time' }));
		expect(warnings).toEqual([]);
	});

	it('leaks a token does so neither by what it says about the task, nor with `redact` by what it asks', async () => {
		const client = await modern(await serve(60_000, { ...entry, redact: true }));
		const { taskId } = await go(client, { how: 'leaks-a-token' });
		let state: object = {};
		await until('it asks', async () => {
			state = await client.request('tasks/get', { taskId });
			return 'inputRequests' in state;
		});
		expect(state).toMatchObject({
			statusMessage: 'with •••',
			inputRequests: { q: { params: { message: 'Use •••?' } } },
		});
	});

	it('has no id fails the call', async () => {
		const client = await modern(await serve());
		expect((await client.failure('evil__go', { how: 'has-no-id' })).message).toContain('without an id');
	});

	it.each(['../../../etc/x', '__proto__', 'a\nb\u0000', '\ud800', ' '])(
		'has the id %j ends as others do',
		async (taskId) => {
			const client = await modern(await serve());
			const task = await go(client, { how: 'honest', taskId });
			expect(task['taskId']).toMatch(/^[\w-]+$/);
			expect(await end(client, task)).toMatchObject({ status: 'completed' });
		},
	);

	it('has an id of megabytes fails the call', async () => {
		const client = await modern(await serve());
		const { message } = await client.failure('evil__go', { how: 'honest', length: 2_000_000 });
		expect(message).toContain('id');
		expect(message.length).toBeLessThan(1000);
	});

	it('lives and waits for ages does so for the hub alone', async () => {
		const client = await modern(await serve());
		const task = await go(client, { how: 'polls-never' });
		const state = await client.request('tasks/get', { taskId: task['taskId'] });
		for (const { ttlMs, pollIntervalMs } of [task, state] as Array<Record<string, number>>) {
			expect(ttlMs).toBeLessThan(1e10);
			expect(pollIntervalMs).toBeLessThan(60_000);
		}
	});

	it('completes after it was canceled stays canceled, without its result', async () => {
		const client = await modern(await serve());
		const task = await go(client, { how: 'completes-when-canceled' });
		await client.request('tasks/cancel', { taskId: task['taskId'] });
		await until('it is notified', async () => (await client.call('evil__canceled')) !== '');
		const ended = await end(client, task);
		expect(ended).toMatchObject({ status: 'cancelled' });
		expect(ended).not.toHaveProperty('result');
	});

	it('never ends gets a cancel notification', async () => {
		const client = await modern(await serve());
		await end(client, await go(client, { how: 'never-ends' }));
		await until('it is notified', async () => (await client.call('evil__canceled')).includes('never-ends'));
	});
});

describe('a server that gives the id of a task of the hub', () => {
	it('gets no part of that task, and its client another id', async () => {
		const client = await modern(await serve());
		const victim = await go(client, { how: 'never-ends' });
		const task = await go(client, { how: 'honest', taskId: victim['taskId'] });
		expect(task['taskId']).not.toBe(victim['taskId']);
		expect(await end(client, task)).toMatchObject({ status: 'completed' });
		expect(await client.request('tasks/get', { taskId: victim['taskId'] })).not.toHaveProperty('result');
	});

	it('does not reach the task of another server that has its id', async () => {
		const served = await serve();
		const client = await modern(served);
		const one = await go(client, { how: 'never-ends', taskId: '1' });
		const other = await go(client, { how: 'honest', taskId: '1' }, 'twin');
		expect(await end(client, other)).toMatchObject({ status: 'completed' });
		await client.request('tasks/cancel', { taskId: other['taskId'] });
		expect(await client.request('tasks/get', { taskId: one['taskId'] })).not.toHaveProperty('result');
		expect(await client.call('evil__canceled')).toBe('');
	});
});

/** @param maxMs the longest time of a task */
function serve(maxMs = 1000, evil: object = entry): Promise<ServedHub> {
	return serveServers({ evil, twin: entry }, { more: { tasks: { maxMs } } });
}

function modern(served: ServedHub): Promise<HubClient> {
	return served.client({ era: 'modern', capabilities });
}

async function go(client: HubClient, input: object, server = 'evil'): Promise<Record<string, unknown>> {
	const task = await client.request('tools/call', { name: `${server}__go`, arguments: input });
	expect(task).toMatchObject({ resultType: 'task' });
	return task;
}

async function end(client: HubClient, { taskId }: Record<string, unknown>): Promise<Record<string, unknown>> {
	let state: Record<string, unknown> = {};
	await until('the task has ended', async () => {
		state = await client.request('tasks/get', { taskId });
		return ['completed', 'failed', 'cancelled'].includes(String(state['status']));
	});
	return state;
}
