/*
 * `task_status` and `task_result`: stored calls for clients without tasks (`tasks.keep`). Their calls
 * went on when the client was gone or its time was over, so it never got an id: the status lists them.
 */
import { OrchestraError } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { Call, Capability } from '../../mcp/server/provider.ts';
import { type Answer, failure, type Result, type Tool, textResult } from '../../protocol/mcp-types.ts';
import type { Source } from '../source.ts';
import type { HubTasks } from './hub-tasks.ts';
import { TASK_PAGE } from './task-limits.ts';
import type { TaskState } from './task-record.ts';

const id = { type: 'string', description: 'the id of a task, from task_status' };

const tools: readonly Tool[] = [
	{
		name: 'task_result',
		description:
			'The result of a long call that went on after its client stopped waiting. Call task_status first to get the id.',
		inputSchema: { type: 'object', properties: { id }, required: ['id'] },
		annotations: { readOnlyHint: true },
	},
	{
		name: 'task_status',
		description:
			'Long calls that went on after their client stopped waiting (a timeout, a restart): their tool, state and id, newest first. Look here before you repeat a call that timed out.',
		inputSchema: { type: 'object', properties: { id } },
		annotations: { readOnlyHint: true },
	},
];

const UNKNOWN = 'There is no task with this id. Call task_status to see them.';

/** Their names; they are listed beside the search tools too. */
export const taskToolNames: readonly string[] = tools.map(({ name }) => name);

export class TaskTools implements Source {
	readonly id = 'tasks';
	readonly kind = 'tasks';
	readonly status = { state: 'ready' } as const;
	readonly capabilities: readonly Capability[] = ['tools'];
	readonly #tasks: HubTasks;

	constructor(tasks: HubTasks) {
		this.#tasks = tasks;
	}

	list(): readonly Tool[] {
		return tools;
	}

	async request({ method, params, context }: Call): Promise<Answer> {
		if (method !== 'tools/call') throw new OrchestraError('internal', `tasks have no ${method}`);
		const wanted = params.arguments['id'];
		if (params.name === 'task_status') {
			const states = await this.#tasks.stored(context);
			// A client with tasks knows the ids of its own; no other client needs them.
			const isMeant = ({ record: { id: task, form } }: TaskState): boolean =>
				wanted === undefined ? form === 'kept' : task === wanted;
			const found = states.filter(isMeant);
			return statusOf(found.slice(0, TASK_PAGE));
		}
		const state = await this.#tasks.find(String(wanted), context).catch(() => undefined);
		return state ? this.#result(state, context) : failure(UNKNOWN);
	}

	async close(): Promise<void> {}

	/** The result that the call would have returned. */
	#result(state: TaskState, context: CallContext): Answer | Promise<Answer> {
		const { record, end } = state;
		if (end === undefined)
			return textResult(`${record.tool} still runs, since ${record.createdAt}. Ask again later.`);
		if (end.status === 'completed') return this.#tasks.readable(state, context);
		return failure(end.status === 'failed' ? end.error.message : 'The call was canceled.');
	}
}

function statusOf(states: readonly TaskState[]): Result {
	const rows = states.map(({ record, end }) => ({
		id: record.id,
		tool: record.tool,
		status: (end ?? record).status,
		createdAt: record.createdAt,
		...(end && { endedAt: end.at }),
	}));
	const lines = rows.map(
		({ id: task, tool, status, createdAt }) => `${task}  ${status}  ${tool}  since ${createdAt}`,
	);
	const text = lines.length === 0 ? 'There are no tasks.' : lines.join('\n');
	return { ...textResult(text), structuredContent: { tasks: rows } };
}
