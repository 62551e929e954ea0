/* The calls of this project that outlived their clients, for the page. */
import { OrchestraError } from '../../errors.ts';
import type { TaskState } from '../../hub/tasks/task-record.ts';
import { type TaskReport, taskReport } from '../../hub/tasks/task-report.ts';
import { answerValue } from '../../protocol/mcp-types.ts';
import type { DoneReply } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

/** Newest first. */
export interface TasksReply {
	readonly tasks: readonly TaskReport[];
}

/** One task, with the result of a completed one. */
export interface TaskReply extends TaskReport {
	readonly result?: unknown;
}

/** All tasks, or the one with this id. */
export async function tasksReply(
	deps: Pick<DashboardDeps, 'hub'>,
	id?: string,
): Promise<TasksReply | TaskReply> {
	if (id === undefined) return { tasks: ((await deps.hub.tasks?.all()) ?? []).map(taskReport) };
	const state = await taskOf(deps, id);
	const { principal } = state.record;
	const { result } = (await deps.hub.tasks?.store.read(principal, id)) ?? {};
	return { ...taskReport(state), ...(result && { result: answerValue(result) }) };
}

/** Cancel the task with this id, unless it has ended. */
export async function cancelTask(deps: Pick<DashboardDeps, 'hub'>, id: string): Promise<DoneReply> {
	const state = await taskOf(deps, id);
	if (state.end === undefined) await deps.hub.tasks?.stop(state);
	return { isDone: true, command: `mctl tasks cancel ${id}` };
}

async function taskOf({ hub }: Pick<DashboardDeps, 'hub'>, id: string): Promise<TaskState> {
	const found = (await hub.tasks?.all())?.find(({ record }) => record.id === id);
	if (found) return found;
	throw new OrchestraError('not_found', `there is no task ${id}`, {
		hint: 'Its time may be over: see them with `mctl tasks`.',
	});
}
