/* `mctl types`: TypeScript types of the tools, and a client that uses them. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { docComment, keyText, typescriptType } from '../../schema/typescript-type.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import { type Command, type CommandInput, textFlag } from '../command.ts';
import { type ListedItem, listAll, textField } from '../hub-client/hub-items.ts';
import { withHub } from '../hub-client/with-hub.ts';
import { isOfServer, nameOf } from '../target/find-target.ts';
import { serverByName } from '../target/target-name.ts';
import { filterOfFlag } from '../view-flag.ts';

export const types: Command = {
	usage: 'mctl types [SERVER] [--out FILE] [--view NAME]',
	examples: ['mctl types > tools.ts', 'mctl types files --out src/files.ts'],
	flags: {
		out: { value: 'FILE', help: 'write to this file (default: stdout)' },
		view: { value: 'NAME', help: 'only the tools of this view' },
	},
	args: [0, 1, 'one server'],

	async run(input) {
		const { args, cwd, out } = input;
		const tools = await chosenTools(input, args[0]);
		const text = typedClient(tools, ['mctl', 'serve']);
		const file = textFlag(input, 'out');
		if (file === undefined) return out.write(text);
		writeFileSync(resolve(cwd, file), text);
		out.info(`mctl: ${tools.length} tools written to ${file}`);
	},
};

async function chosenTools(input: CommandInput, named: string | undefined): Promise<ListedItem[]> {
	const isIn = filterOfFlag(input, types);
	const { configuration, blocked } = loadConfiguration(input);
	const enabled = configuration.mcpServers.filter(({ isEnabled }) => isEnabled);
	const server = named === undefined ? undefined : serverByName(enabled, named, blocked).name;
	const needs = server === undefined ? undefined : { servers: [server], hasPlugins: false };
	const all = await withHub(input, (session) => listAll(session, 'tools'), {
		listWaitMs: COMMAND_START_WAIT_MS,
		needs,
	});
	const tools = all.filter(
		(tool) => isIn(nameOf(tool)) && (server === undefined || isOfServer(tool, server)),
	);
	if (tools.length > 0) return tools;
	throw new OrchestraError(
		'not_found',
		`there are no tools${server === undefined ? ' here' : ` of ${server}`}`,
		{
			hint: '`mctl list servers --check` shows which servers start, and why others do not.',
		},
	);
}

/** The whole file. `command` starts the server that has the tools. */
function typedClient(tools: readonly ListedItem[], command: readonly string[]): string {
	const sorted = [...tools].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
	const [program = 'mctl', ...args] = command;
	return `/* Written by \`mctl types\`: the types of ${sorted.length} tools, and a client for them. */
import { type CallToolResult, connectServer, type McpCallOptions, type ServerTarget } from 'orchestra-hub/mcp';

/** The arguments of each tool. */
interface ToolInputs {
${sorted.map((tool) => memberOf(tool, 'inputSchema')).join('\n')}
}

/** The structured content of the tools that declare it. */
interface ToolOutputs {
${sorted
	.filter((tool) => isObject(tool['outputSchema']))
	.map((tool) => memberOf(tool, 'outputSchema'))
	.join('\n')}
}

type ToolName = keyof ToolInputs;

/** The result of a tool; its structured content is typed when the tool declares it. */
type ToolResult<Name extends ToolName> = Omit<CallToolResult, 'structuredContent'> & {
	structuredContent?: Name extends keyof ToolOutputs ? ToolOutputs[Name] : unknown;
};

/** The arguments, which may be left out when none is required. */
type ToolArguments<Name extends ToolName> = Partial<ToolInputs[Name]> extends ToolInputs[Name]
	? [input?: ToolInputs[Name], options?: McpCallOptions]
	: [input: ToolInputs[Name], options?: McpCallOptions];

interface ToolClient {
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
