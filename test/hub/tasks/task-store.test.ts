/* The store of tasks: its bounds, and two processes that use it at once. */
import { randomBytes } from 'node:crypto';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identityOf } from '../../../src/hub/shared/process-identity.ts';
import type { TaskEnd, TaskRecord } from '../../../src/hub/tasks/task-record.ts';
import { TaskStore, type TaskStoreOptions } from '../../../src/hub/tasks/task-store.ts';
import { Log } from '../../../src/log.ts';
import { JsonText } from '../../../src/wire/json-text.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const completed: TaskEnd = { status: 'completed', at: new Date().toISOString(), isError: false };
const cancelled: TaskEnd = { status: 'cancelled', at: new Date().toISOString() };

describe('a full store of tasks', () => {
	it('drops the oldest task that ended, and none that runs', async () => {
		const store = storeWith({ limit: 2 });
		const [running, old] = [await created(store, 3), await created(store, 2)];
		await store.finish(old, completed, result('old'));
		const fresh = await created(store, 1);
		expect(await idsIn(store)).toEqual([fresh.id, running.id]);
	});

	it('gets room for more than one task, since the oldest is found by reading all', async () => {
		const store = storeWith({ limit: 20 });
		for (let age = 20; age > 0; age--)
			await store.finish(await created(store, age), completed, result('old'));
		await created(store);
		expect(await idsIn(store)).toHaveLength(19);
	});

	it('refuses a task when all of them run', async () => {
		const store = storeWith({ limit: 2 });
		await created(store);
		await created(store);
		await expect(created(store)).rejects.toThrow('2 tasks are stored');
	});

	it('drops the oldest results above its bytes', async () => {
		const store = storeWith({ limitBytes: 2500 });
		const tasks = [await created(store, 3), await created(store, 2), await created(store, 1)];
		for (const task of tasks) await store.finish(task, completed, result('x'.repeat(1000)));
		expect(await idsIn(store)).toEqual([tasks[2]?.id, tasks[1]?.id]);
	});
});

it('a task whose time is over is unknown', async () => {
	const store = storeWith({});
	const task = { ...recordOf(10), ttlMs: 5000 };
	await store.create(task);
	await store.finish(task, { ...completed, at: task.createdAt }, result('late'));
	expect(await store.read(task.principal, task.id)).toBeUndefined();
	expect(await idsIn(store)).toEqual([]);
});

it('a task that took longer than its time is listed while it runs, and readable when it has ended', async () => {
	const store = storeWith({});
	const task = { ...recordOf(10), ttlMs: 5000 };
	await store.create(task);
	expect(await idsIn(store)).toEqual([task.id]);
	await store.finish(task, { ...completed, at: new Date().toISOString() }, result('sum'));
	expect(await store.read(task.principal, task.id)).toHaveProperty(
		'result.text',
		expect.stringContaining('sum'),
	);
});

describe('a damaged file', () => {
	it.each(['', '{"status":"comp', '{"status":"paused","at":"x"}\n', `${JSON.stringify(completed)}\n{"cont`])(
		'of an end, %j, is the end of its task, which has failed',
		async (text) => {
			const { store, task, folder } = await stored();
			writeFileSync(join(folder, `${task.id}.end`), text);
			expect(await store.read(task.principal, task.id)).toMatchObject({ end: { status: 'failed' } });
			expect(await idsIn(store)).toEqual([task.id]);
		},
	);

	it.each(['', '{"id":', '{"version":2}'])('of a record, %j, is removed after a week', async (text) => {
		const { environment, task, folder } = await stored();
		const path = join(folder, `${task.id}.json`);
		writeFileSync(path, text);
		await created(storeWith({ environment }));
		expect(readdirSync(folder)).toContain(`${task.id}.json`);
		const old = new Date(Date.now() - 8 * 24 * 3600 * 1000);
		for (const kind of ['json', 'end']) utimesSync(join(folder, `${task.id}.${kind}`), old, old);
		await created(storeWith({ environment }));
		expect(readdirSync(folder).filter((name) => name.startsWith(task.id))).toEqual([]);
	});
});

describe('two processes with one store', () => {
	it('agree on the first end of a task', async () => {
		const environment = { XDG_STATE_HOME: temporaryFolder() };
		const [one, other] = [storeWith({ environment }), storeWith({ environment })];
		const task = await created(one);
		const ends = await Promise.all([
			one.finish(task, completed, result('done')),
			other.finish(task, cancelled),
		]);
		expect(ends[0]).toEqual(ends[1]);
		expect(await other.read(task.principal, task.id)).toMatchObject({ end: ends[0] });
	});

	it('lose no message to a task, sent while the other one reads', async () => {
		const environment = { XDG_STATE_HOME: temporaryFolder() };
		const [runner, sender] = [storeWith({ environment }), storeWith({ environment })];
		const task = await created(runner);
		let isSending = true;
		const sending = sendAll(sender, task, 40).finally(() => {
			isSending = false;
		});
		const received: unknown[] = [];
		while (isSending) received.push(...(await runner.receive(task)));
		await sending;
		received.push(...(await runner.receive(task)));
		expect(received).toEqual(Array.from({ length: 40 }, (_, at) => ({ update: { at } })));
	});
});

async function sendAll(store: TaskStore, task: TaskRecord, count: number): Promise<void> {
	for (let at = 0; at < count; at++) await store.send(task, { update: { at } });
}

/** A completed task, and the folder of its files. */
async function stored(): Promise<{
	store: TaskStore;
	task: TaskRecord;
	environment: Environment;
	folder: string;
}> {
	const environment = { XDG_STATE_HOME: temporaryFolder() };
	const store = storeWith({ environment });
	const task = await created(store);
	await store.finish(task, completed, result('sum'));
	const tasks = join(environment.XDG_STATE_HOME, 'orchestra/tasks');
	return { store, task, environment, folder: join(tasks, readdirSync(tasks)[0] ?? '') };
}

type Environment = TaskStoreOptions['environment'];

function storeWith(options: Partial<TaskStoreOptions>): TaskStore {
	return new TaskStore({ environment: { XDG_STATE_HOME: temporaryFolder() }, log: Log.silent, ...options });
}

async function created(store: TaskStore, ageSeconds = 0): Promise<TaskRecord> {
	const record = recordOf(ageSeconds);
	await store.create(record);
	return record;
}

async function idsIn(store: TaskStore): Promise<string[]> {
	return (await store.list()).map(({ record }) => record.id);
}

function result(text: string): JsonText {
	return new JsonText(JSON.stringify({ content: [{ type: 'text', text }] }));
}

function recordOf(ageSeconds: number): TaskRecord {
	const createdAt = new Date(Date.now() - ageSeconds * 1000).toISOString();
	const owner = identityOf(process.pid) ?? { pid: process.pid, startTime: '' };
	return {
		...{
			id: randomBytes(16).toString('hex'),
			principal: 'user',
			server: 'a',
			tool: 'a__go',
			client: 'agent',
		},
		...{ sessionId: '1', form: 'modern', createdAt, updatedAt: createdAt, ttlMs: 60_000, owner },
		status: 'working',
	};
}
