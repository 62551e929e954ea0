/* The tools of servers with `"select": true`: they take an expression that is applied before the result leaves the hub. */
import type { Tool } from '../../../protocol/mcp-types.ts';
import { isObject } from '../../../wire/json.ts';

/** The extra argument. */
export const SELECT = '_select';

/** The tool with the extra argument. Its result may be a part, so it has no output schema. */
export function selectingTool({ outputSchema: _whole, ...tool }: Tool): Tool {
	const properties = isObject(tool.inputSchema['properties']) ? tool.inputSchema['properties'] : {};
	const select = {
		type: 'string',
		description: 'JMESPath: what to return of the result, as [].name; the whole is stored for look',
	};
	return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...properties, [SELECT]: select } } };
}
