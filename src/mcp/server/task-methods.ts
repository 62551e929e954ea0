/*
 * The methods of tasks, in one closed table: which era has each, and how its params are read. A
 * modern client must declare the extension in each request; under 2025-11-25 tasks are part of the
 * revision.
 */
import { OrchestraError } from '../../errors.ts';
import type { Answer, Awaitable, Result } from '../../protocol/mcp-types.ts';
import { mcpCodes } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { declaresTasks, LEGACY_TASKS_VERSION, TASKS, type TaskStatus } from '../../protocol/tasks.ts';
import { methodNotFound, rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import type { CallContext, ClientConnection } from './call-context.ts';
import type { InputResponses } from './input-requests.ts';

/** A provider whose calls may become tasks. Every use of a task checks the principal; an unknown id is an error. */
export interface ProviderTasks {
	/** The state of a task, in the form of the client's era. */
	get(id: string, context: CallContext): Awaitable<Result>;
	/** Answers to its client requests. */
	update(id: string, responses: InputResponses, context: CallContext): Awaitable<void>;
	/** Cancel it. For a legacy client: the task as it is then. */
	cancel(id: string, context: CallContext): Awaitable<Result>;
	/** The result that the call would have returned, for a legacy client, when the task has ended. */
	result(id: string, context: CallContext): Promise<Answer>;
	/** The tasks of the session of a legacy client. */
	list(cursor: unknown, context: CallContext): Awaitable<Result>;
	/** Call `listener` with each state of a task; undefined when the client has no such task. */
	follow(
		id: string,
		client: ClientConnection,
		listener: (state: FollowedTask) => void,
	): Promise<(() => void) | undefined>;
}

/** The params of `notifications/tasks`. */
export type FollowedTask = Result & { readonly taskId: string; readonly status: TaskStatus };

interface TaskMethod {
	readonly eras: readonly Revision['era'][];
	answer(tasks: ProviderTasks, params: Params, context: CallContext): Awaitable<Answer>;
}

type Params = Readonly<Record<string, unknown>>;

export const taskMethods: Readonly<Record<string, TaskMethod>> = {
	'tasks/get': {
		eras: ['legacy', 'modern'],
		answer: (tasks, params, context) => tasks.get(idIn(params), context),
	},
	'tasks/update': {
		eras: ['modern'],
		answer: async (tasks, params, context) => {
			const { inputResponses } = params;
			if (!isObject(inputResponses))
				throw new OrchestraError('bad_input', 'missing required parameter: inputResponses');
			await tasks.update(idIn(params), inputResponses, context);
			return {};
		},
	},
	'tasks/cancel': {
		eras: ['legacy', 'modern'],
		answer: async (tasks, params, context) => {
			const task = await tasks.cancel(idIn(params), context);
			return context.revision.era === 'legacy' ? task : {};
		},
	},
	'tasks/result': {
		eras: ['legacy'],
		answer: (tasks, params, context) => tasks.result(idIn(params), context),
	},
	'tasks/list': {
		eras: ['legacy'],
		answer: (tasks, params, context) => tasks.list(params['cursor'], context),
	},
};

/** Answer a method of tasks. Throws -32601 when the revision has none of it, -32021 when the client must declare it. */
export function answerTaskMethod(
	name: string,
	tasks: ProviderTasks | undefined,
	params: Params,
	context: CallContext,
): Awaitable<Answer> {
	const method = taskMethods[name];
	if (tasks === undefined || !method?.eras.includes(context.revision.era) || !hasTasks(context.revision))
		throw methodNotFound(name);
	requireTasks(context.revision, context.clientCapabilities);
	return method.answer(tasks, params, context);
}

/** Whether there are tasks in this revision. */
export function hasTasks({ era, version }: Revision): boolean {
	return era === 'modern' || version === LEGACY_TASKS_VERSION;
}

/** Throws -32021 for a modern request that does not declare tasks. */
export function requireTasks({ era }: Revision, capabilities: Params): void {
	if (era === 'modern' && !declaresTasks(capabilities)) throw undeclaredTasks();
}

/** The error for a client that would get a task, and does not know tasks. */
export function undeclaredTasks(): OrchestraError {
	return rpcError(mcpCodes.missingClientCapability, `the client did not declare the extension ${TASKS}`, {
		requiredCapabilities: { extensions: { [TASKS]: {} } },
	});
}

function idIn({ taskId }: Params): string {
	if (typeof taskId === 'string' && taskId !== '') return taskId;
	throw new OrchestraError('bad_input', 'missing required parameter: taskId');
}
