/* Long calls of clients without tasks, with `tasks.keep`; the command and the metrics of tasks. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HubMetrics } from '../../../src/hub/metrics/hub-metrics.ts';
import { mctl } from '../../support/mctl.ts';
import { type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const program = resolve(import.meta.dirname, '../../fixtures/servers/task-server.mjs');
const extensions = { 'io.modelcontextprotocol/tasks': {} };

describe('with tasks.keep', () => {
	it('a long call goes on when its client is gone, and task_result has its result', async () => {
		const served = await serve({ keep: true, detachAfterMs: 50 });
		const first = await served.client();
		void first.call('work__slow_compute', { seconds: 2, label: 'sum' }).catch(() => {});
		await until('it is stored', async () => (await statuses(served)).length === 1);
		first.close();
		const second = await served.client();
		await until('it has ended', async () => (await statuses(served))[0]?.status === 'completed');
		const [task] = await statuses(served);
		expect(await second.call('task_result', { id: task?.id })).toBe('sum done');
	});

	it('a call that is answered in time leaves nothing', async () => {
		const served = await serve({ keep: true, detachAfterMs: 50 });
		const client = await served.client();
		expect(await client.call('work__slow_compute', { seconds: 0.3, label: 'sum' })).toBe('sum done');
		await until('the record is gone', async () => (await statuses(served)).length === 0);
	});

	it('a call that its client cancels is canceled', async () => {
		const served = await serve({ keep: true, detachAfterMs: 50 });
		const client = await served.client();
		const abort = new AbortController();
		const call = client.call('work__slow_compute', { seconds: 60 }, { signal: abort.signal });
		await until('it is stored', async () => (await statuses(served)).length === 1);
		abort.abort();
		await expect(call).rejects.toThrow();
		await until('it has ended', async () => served.opened.hub.calls.openCount === 0);
		await until('the record is gone', async () => (await statuses(served)).length === 0);
	});

	it('a task of a client that knows tasks is not listed, and is found by its id', async () => {
		const served = await serve({ keep: true, always: ['*'] });
		const id = await slow(await served.client({ era: 'modern', capabilities: { extensions } }), 0);
		const client = await served.client();
		expect(await client.call('task_status', {})).toBe('There are no tasks.');
		expect(await client.call('task_status', { id })).toContain(id);
		await until('it has ended', async () => (await client.call('task_result', { id })) === 'sum done');
	});

	it('lists its tools, and without it not', async () => {
		const names = async (served: ServedHub): Promise<string> =>
			JSON.stringify(await (await served.client()).request('tools/list'));
		expect(await names(await serve({ keep: true }))).toContain('"task_status"');
		expect(await names(await serve({}))).not.toContain('"task_status"');
	});
});

describe('mctl tasks', () => {
	it('shows tasks, their results, and cancels them in the process that runs them', async () => {
		const served = await serve({ always: ['*'] });
		const place = { cwd: served.folder, env: served.environment };
		const client = await served.client({ era: 'modern', capabilities: { extensions } });
		const done = await slow(client, 0.1);
		const running = await slow(client, 60);
		await until('one is completed', async () => (await mctl(['tasks'], place)).stdout.includes('completed'));
		const { tasks, schema } = JSON.parse((await mctl(['tasks', '--json'], place)).stdout);
		expect(schema).toBe('orchestra.tasks/1');
		expect(tasks).toMatchObject([
			{ id: running, status: 'working' },
			{ id: done, status: 'completed' },
		]);
		expect(await mctl(['tasks', 'result', done.slice(0, 12)], place)).toMatchObject({
			stdout: 'sum done\n',
			code: 0,
		});
		expect((await mctl(['tasks', 'result', running], place)).stderr).toContain('still runs');
		expect((await mctl(['tasks', 'cancel', running], place)).stdout).toContain('cancelled');
		await until('the call has ended', () => served.opened.hub.calls.openCount === 0);
		expect((await mctl(['tasks', 'show', 'x'], place)).code).toBe(1);
	});
});

it('metrics count the tasks that run and those that ended', async () => {
	const served = await serve({ always: ['*'] });
	const metrics = new HubMetrics(served.opened.hub);
	const client = await served.client({ era: 'modern', capabilities: { extensions } });
	await slow(client, 60);
	const taskId = await slow(client, 0);
	await until(
		'it has ended',
		async () => (await client.request('tasks/get', { taskId }))['status'] === 'completed',
	);
	expect(metrics.text()).toContain('orchestra_tasks_running 1\n');
	expect(metrics.text()).toContain('orchestra_tasks_total{orchestra_status="completed"} 1\n');
	metrics.close();
});

function serve(tasks: object): Promise<ServedHub> {
	const work = { command: process.execPath, args: [program, 'plain'] };
	return serveServers({ work }, { more: { tasks } });
}

async function slow(client: HubClient, seconds: number): Promise<string> {
	const params = { name: 'work__slow_compute', arguments: { seconds, label: 'sum' } };
	return String((await client.request('tools/call', params))['taskId']);
}

async function statuses(served: ServedHub): Promise<{ id: string; status: string }[]> {
	const client = await served.client();
	const { structuredContent } = await client.request('tools/call', { name: 'task_status', arguments: {} });
	client.close();
	return (structuredContent as { tasks: { id: string; status: string }[] }).tasks;
}
