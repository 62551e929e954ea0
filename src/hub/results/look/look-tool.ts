/* The tool `look`: its definition, and the form of its answers. */
import { type CallToolResult, type Tool, textResult } from '../../../protocol/mcp-types.ts';
import type { NamedTool } from '../../../trust/tool-name.ts';
import type { LookAnswer } from './look-request.ts';
import { lookOps } from './look-request.ts';

/** Its name; `OTHER_LOOK` where a server or a tool of the user has this one. */
export const LOOK = 'look';
export const OTHER_LOOK = 'orchestra_look';

export function lookTool(name: string): Tool {
	return {
		name,
		description:
			'Ask about a result that was shortened, by the handle in its notice, instead of calling the tool again. ' +
			'head, tail (lines), range (from, to): lines, or records of JSON and tables. grep (pattern, context): lines, or leaves of JSON with their paths. ' +
			"select: JMESPath, as [?state=='open'].{id: id, title: title} or sort_by(@, &size)[-5:]. count (select or pattern). distinct (select): values with their counts.",
		inputSchema: {
			type: 'object',
			properties: {
				handle: { type: 'string', description: 'From the notice, r-…' },
				op: { type: 'string', enum: [...lookOps] },
				lines: { type: 'integer', minimum: 0, description: 'For head and tail' },
				from: { type: 'integer', minimum: 1, description: 'For range' },
				to: { type: 'integer', minimum: 1, description: 'For range, inclusive' },
				pattern: {
					type: 'string',
					description: 'A text, ignoring case, or /regular expression/ (/…/i ignores case)',
				},
				context: { type: 'integer', minimum: 0, description: 'Lines around a match' },
				select: { type: 'string', description: 'JMESPath' },
			},
			required: ['handle', 'op'],
		},
		annotations: { title: 'Look into a result', readOnlyHint: true, openWorldHint: false },
	};
}

/** The sentence about the tool in the instructions of an agent. */
export function lookGuide(name: string): string {
	return (
		'A result that is too long for you is shortened, and a notice at its end has the handle of the whole. ' +
		`Ask ${name} about that handle (grep, select, count, range …) instead of calling the tool again.`
	);
}

/** The tool as policies and journals know it. */
export function lookName(name: string): NamedTool {
	return { name, server: undefined, tool: name };
}

/** The answer as a result: the content, its kind and its share of the whole. */
export function lookResult({ text, about }: LookAnswer): CallToolResult {
	return textResult(...[text, `[${about}]`].filter((each) => each !== ''));
}
