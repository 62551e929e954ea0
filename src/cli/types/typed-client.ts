/* The TypeScript source of a typed client: the types of all tools, and a function that connects. */
import { docComment, keyText, typescriptType } from '../../schema/typescript-type.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { type ListedItem, textField } from '../hub-client/hub-items.ts';
import { nameOf } from '../target/find-target.ts';

/** The whole file. `command` starts the server that has the tools. */
export function typedClient(tools: readonly ListedItem[], command: readonly string[]): string {
	const sorted = [...tools].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
	const [program = 'mctl', ...args] = command;
	return `/* Written by \`mctl types\`: the types of ${sorted.length} tools, and a client for them. */
import { type CallToolResult, connectServer, type McpCallOptions, type ServerTarget } from 'orchestra-hub/mcp';

/** The arguments of each tool. */
export interface ToolInputs {
${sorted.map((tool) => memberOf(tool, 'inputSchema')).join('\n')}
}

/** The structured content of the tools that declare it. */
export interface ToolOutputs {
${sorted
	.filter((tool) => isObject(tool['outputSchema']))
	.map((tool) => memberOf(tool, 'outputSchema'))
	.join('\n')}
}

export type ToolName = keyof ToolInputs;

/** The result of a tool; its structured content is typed when the tool declares it. */
export type ToolResult<Name extends ToolName> = Omit<CallToolResult, 'structuredContent'> & {
	structuredContent?: Name extends keyof ToolOutputs ? ToolOutputs[Name] : unknown;
};

/** The arguments, which may be left out when none is required. */
export type ToolArguments<Name extends ToolName> = Partial<ToolInputs[Name]> extends ToolInputs[Name]
	? [input?: ToolInputs[Name], options?: McpCallOptions]
	: [input: ToolInputs[Name], options?: McpCallOptions];

export interface ToolClient {
	/** Call a tool. A failure of the tool is a result with \`isError\`. */
	call<Name extends ToolName>(name: Name, ...given: ToolArguments<Name>): Promise<ToolResult<Name>>;
	/** Disconnect, and stop what was started. */
	close(): Promise<void>;
}

/** Start the hub of the working directory, or connect to another server with the same tools. The caller closes it. */
export async function connectTools(
	target: ServerTarget = { command: ${JSON.stringify(program)}, args: ${JSON.stringify(args)} },
): Promise<ToolClient> {
	const client = await connectServer(target);
	return {
		async call(name, ...[input, options]) {
			// The types above are those of the tool's schema.
			return (await client.callTool(name, { ...input }, options)) as ToolResult<typeof name>;
		},
		close: () => client.close(),
	};
}
`;
}

function memberOf(tool: ListedItem, key: 'inputSchema' | 'outputSchema'): string {
	const schema: JsonObject = isObject(tool[key]) ? (tool[key] as JsonObject) : {};
	const type = typescriptType({ type: 'object', ...schema }, 1);
	return `${docComment(textField(tool, 'description'), 1)}\t${keyText(nameOf(tool))}: ${type};`;
}
