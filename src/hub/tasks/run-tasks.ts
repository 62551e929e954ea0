/* Calls that go on when their client is gone. Inside of it journal, policy and metrics see the call until its end. */
import { after } from '../../mcp/server/methods.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { taskSupportOf } from '../../protocol/tasks.ts';
import type { Middleware } from '../calls/middleware.ts';
import { DurableCall } from './durable-call.ts';
import type { HubTasks } from './hub-tasks.ts';

export function runTasks(tasks: HubTasks): Middleware {
	return (inner) => ({
		list(kind, reader) {
			const listed = inner.list(kind, reader);
			if (kind !== 'tools' || reader?.context?.revision.era !== 'legacy') return listed;
			return after(listed, (list) => {
				// The items of this list.
				const tools = list.items as readonly Tool[];
				return tools.some(isRequired) ? { ...list, items: tools.map(asOptional) } : list;
			});
		},

		request(call) {
			const plan = tasks.rules.planOf(call);
			return plan ? new DurableCall(call, plan, tasks).run(inner) : inner.request(call);
		},
	});
}

function isRequired(tool: Tool): boolean {
	return taskSupportOf(tool) === 'required';
}

/** A legacy client may call it without a task: the hub waits for the task of the server. */
function asOptional(tool: Tool): Tool {
	return isRequired(tool) ? { ...tool, execution: { taskSupport: 'optional' } } : tool;
}
