import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { LiveTask } from '../../../src/hub/tasks/live-task.ts';
import type { TaskRecord } from '../../../src/hub/tasks/task-record.ts';
import { TaskStore } from '../../../src/hub/tasks/task-store.ts';
import { Log } from '../../../src/log.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const elicitation = { method: 'elicitation/create', params: { message: 'Go on?' } };
const yes = { action: 'accept', content: {} };

describe('a task whose call asks often', () => {
	it('listens to the signal of the call once for each round of elicitations', async () => {
		const { task, signal } = liveTask();
		for (let round = 0; round < 20; round++) {
			const answers = task.ask({ one: elicitation, two: elicitation }, signal);
			expect(getEventListeners(signal, 'abort')).toHaveLength(1);
			const elicited = Object.keys(task.record.inputRequests ?? {});
			task.update(Object.fromEntries(elicited.map((key) => [key, yes])));
			expect(await answers).toEqual({ one: yes, two: yes });
		}
		expect(getEventListeners(signal, 'abort')).toHaveLength(0);
		await task.finish({ status: 'cancelled', at: new Date().toISOString() });
	});

	it('withdraws the elicitations that wait when the call is aborted, and no others', async () => {
		const { task, signal, abort } = liveTask();
		const other = task.ask({ other: elicitation });
		const withdrawn = task.ask({ one: elicitation, two: elicitation }, signal);
		task.update({ one: yes });
		abort(new Error('enough'));
		await expect(withdrawn).rejects.toThrow('enough');
		expect(Object.keys(task.record.inputRequests ?? {})).toEqual(['other']);
		task.update({ other: yes });
		expect(await other).toEqual({ other: yes });
		expect(task.record.status).toBe('working');
		await task.finish({ status: 'cancelled', at: new Date().toISOString() });
	});
});

function liveTask(): { task: LiveTask; signal: AbortSignal; abort: (reason: Error) => void } {
	const log = Log.silent;
	const store = new TaskStore({ environment: { XDG_STATE_HOME: temporaryFolder() }, log });
	const controller = new AbortController();
	return {
		task: new LiveTask(record, { store, log, cancel: () => {} }),
		signal: controller.signal,
		abort: (reason) => controller.abort(reason),
	};
}

const now = new Date().toISOString();
const record: TaskRecord = {
	...{ id: 'a'.repeat(32), principal: 'user', server: 'a', tool: 'a__go', client: 'agent', sessionId: '1' },
	...{ form: 'modern', createdAt: now, updatedAt: now, ttlMs: 1000, owner: { pid: 1, startTime: '1' } },
	status: 'working',
};
