/*
 * Tasks of MCP as data: calls whose results are fetched later.
 *
 * There are two forms. That of 2025-11-25 is part of the revision: the client asks for a task with
 * `params.task`. The modern form is an extension: the client declares it, and the server decides.
 */
import { isObject } from '../wire/json.ts';

/** The extension of modern revisions. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** The member of `_meta` in legacy messages that names their task. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** The only legacy revision with tasks. */
export const LEGACY_TASKS_VERSION = '2025-11-25';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

type Open = Readonly<Record<string, unknown>>;

/** Whether capabilities, of a client or a server, declare the extension. */
export function declaresTasks({ extensions }: Open): boolean {
	return isObject(extensions) && isObject(extensions[TASKS]);
}

/** Whether the capabilities of a legacy server let a call of a tool become a task. */
export function takesTaskCalls({ tasks }: Open): boolean {
	const requests = isObject(tasks) ? tasks['requests'] : undefined;
	const tools = isObject(requests) ? requests['tools'] : undefined;
	return isObject(tools) && isObject(tools['call']);
}

/** The `taskSupport` of a tool: `execution.taskSupport` of the legacy form. */
export function taskSupportOf(tool: Open | undefined): 'optional' | 'required' | undefined {
	const execution = tool?.['execution'];
	const support = isObject(execution) ? execution['taskSupport'] : undefined;
	return support === 'optional' || support === 'required' ? support : undefined;
}
