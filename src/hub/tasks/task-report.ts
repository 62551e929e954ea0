/* A task as a client of its era reads it. The two forms differ in names, in the place of the result and in what counts as failed. */
import type { Result } from '../../protocol/mcp-types.ts';
import type { TaskStatus } from '../../protocol/tasks.ts';
import type { RpcErrorObject } from '../../wire/json-rpc.ts';
import { TASK_POLL_MS } from './task-limits.ts';
import type { TaskRecord, TaskState } from './task-record.ts';

/** The result of a call that became a task: the task as it began. */
export function createdTask(record: TaskRecord): Result {
	const begun: TaskState = { record: { ...record, status: 'working' } };
	return record.form === 'legacy'
		? { task: legacyTask(begun) }
		: { resultType: 'task', ...modernTask(begun) };
}

/** The answer to `tasks/get`, and the params of `notifications/tasks`: by its status with input requests, result or error. */
export function modernState(state: TaskState): Result {
	const { record, end, result } = state;
	const task = modernTask(state);
	if (end === undefined)
		return record.inputRequests ? { ...task, inputRequests: record.inputRequests } : task;
	if (end.status === 'completed') return { ...task, result };
	return end.status === 'failed' ? { ...task, error: end.error } : task;
}

/** A legacy task has failed when its result says so. */
export function legacyTask(state: TaskState): Result {
	const { ttlMs: ttl, pollIntervalMs: pollInterval, ...task } = modernTask(state);
	const isFailed = state.end?.status === 'completed' && state.end.isError;
	return { ...task, ...(isFailed && { status: 'failed' }), ttl, pollInterval };
}

function modernTask({ record, end }: TaskState): Result {
	const { id, createdAt, ttlMs } = record;
	return {
		taskId: id,
		status: (end ?? record).status,
		...messageIn(record, end),
		createdAt,
		lastUpdatedAt: end?.at ?? record.updatedAt,
		ttlMs,
		pollIntervalMs: TASK_POLL_MS,
	};
}

function messageIn(record: TaskState['record'], end: TaskState['end']): Result {
	const statusMessage = end ? end.statusMessage : record.statusMessage;
	return statusMessage === undefined ? {} : { statusMessage };
}

/** A task for the user: on the command line, and for the page. */
export interface TaskReport
	extends Pick<TaskRecord, 'id' | 'server' | 'tool' | 'client' | 'form' | 'createdAt' | 'ttlMs'> {
	readonly status: TaskStatus;
	readonly statusMessage?: string | undefined;
	/** When it changed last. */
	readonly updatedAt: string;
	/** When it ended; undefined while it runs. */
	readonly endedAt?: string | undefined;
	/** The process that runs it. */
	readonly pid?: number | undefined;
	/** The keys of the input requests that wait. */
	readonly questions?: readonly string[] | undefined;
	readonly error?: RpcErrorObject | undefined;
}

/** Without its result, and without what identifies the client. */
export function taskReport({ record, end }: TaskState): TaskReport {
	const { id, server, tool, client, form, createdAt, ttlMs, updatedAt, owner, inputRequests } = record;
	return {
		id,
		status: (end ?? record).status,
		tool,
		server,
		client,
		form,
		createdAt,
		updatedAt,
		ttlMs,
		...messageIn(record, end),
		...(end ? { endedAt: end.at } : { pid: owner.pid || undefined }),
		...(end === undefined && inputRequests && { questions: Object.keys(inputRequests) }),
		...(end?.status === 'failed' && { error: end.error }),
	};
}
