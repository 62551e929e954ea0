/*
 * `mctl call`: call one tool of an MCP server, a plugin or a folder, and show its result.
 *
 * The tool is called once. Text goes to stdout as it is; log messages, progress and
 * elicitations of the server go to the terminal.
 */
import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, OrchestraError } from '../../errors.ts';
import { SELECTED_CHARACTERS } from '../../hub/results/result-limits.ts';
import { printable } from '../../printable.ts';
import type { CallToolResult } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { type Command, type CommandInput, numberFlag, textFlag, usageError } from '../command.ts';
import { exitCodes } from '../exit.ts';
import type { ListedItem } from '../hub-client/hub-items.ts';
import { inputFlag } from '../input/read-input.ts';
import { printProblems, problemsOfCalls } from '../problem-lines.ts';
import { callTarget } from '../target/call-target.ts';
import { openProject } from '../target/project.ts';
import { CallView } from '../terminal/call-view.ts';
import { binaryOf } from '../terminal/content-text.ts';
import { byteSize } from '../terminal/quantity.ts';
import { callTool } from './call-tool.ts';

export const call: Command = {
	usage: 'mctl call [<server|client:server|stdio:URI|URL>] <tool> [key=value…] [--json]',
	examples: [
		'mctl call files read_file path=a.txt',
		'mctl call files__read_file path=a.txt head:=10',
		'mctl call cursor:github search_issues query=bug    # before you import it',
		'mctl call "stdio:npx -y @modelcontextprotocol/server-everything" get-sum a=1 b=2',
		'mctl call search find tags=a,b options.deep=true --json | jq .result',
		'mctl call github list_issues --select "[?state==\'open\'].title"',
		'mctl call draw picture --input @picture.json --output picture.png',
		'mctl call mail send to=you@example.com body=@letter.txt',
	],
	flags: {
		input: inputFlag,
		json: { help: 'print one JSON object with the result on stdout' },
		output: { value: 'FILE', help: 'save the image, audio or file of the result, else its text' },
		select: { value: 'EXPR', help: 'print what this JMESPath expression picks from the result' },
		timeout: { value: 'MS', help: 'give up after this time (default: 30000 without progress)' },
	},
	args: [1, Number.POSITIVE_INFINITY, 'a server and a tool, or a tool'],

	async run(input) {
		const { signal, flags, out, environment } = input;
		const timeoutMs = numberFlag(input, call, 'timeout');
		if (timeoutMs === 0) throw usageError(call, '--timeout must be above 0');
		refuseFolder(input);
		const project = openProject(input, { hasExamples: true });
		printProblems(problemsOfCalls(project.configProblems), out);
		const target = await callTarget(input.args, project, input);
		const otherNames = project.configuration.mcpServers.map(({ name }) => name);
		const view = new CallView(out, environment);
		const ended = await callTool({ command: call, target, otherNames, timeoutMs }, view, input);
		const { tool, elapsedMs, result: answer } = ended;
		if (answer instanceof OrchestraError) throw timeoutHinted(answer, timeoutMs);
		const isError = answer['isError'] === true;
		const select = isError ? undefined : textFlag(input, 'select');
		const output = isError ? undefined : textFlag(input, 'output');
		const result = select === undefined ? answer : await selected(answer, select, signal);
		if (output !== undefined) save(output, result, input);
		else if (!flags['json']) view.result(result);
		const server = target.server && { server: target.server.name };
		if (flags['json']) out.json({ schema: 'orchestra.call/1', ...server, tool, isError, elapsedMs, result });
		return isError ? exitCodes.tool_failed : 0;
	},
};

/** The part that an expression picks from a result, as a result. */
async function selected(result: ListedItem, select: string, signal: AbortSignal): Promise<ListedItem> {
	const { selectFrom } = await import('../../hub/results/look/select-from.ts');
	const { LookThreads } = await import('../../hub/results/look/run-look.ts');
	// The result of a call of a tool.
	const { text } = await selectFrom(result as unknown as CallToolResult, select, {
		threads: new LookThreads(),
		limit: SELECTED_CHARACTERS,
		signal,
	});
	return { content: [{ type: 'text', text }] };
}

/** The deadline of the flag is raised by the flag. */
function timeoutHinted(error: OrchestraError, timeoutMs: number | undefined): OrchestraError {
	const { code, message, data } = error;
	if (code !== 'timeout' || timeoutMs === undefined) return error;
	return new OrchestraError(code, message, { hint: 'Give it more time with --timeout.', data, cause: error });
}

/** Checked before the call, which may have effects. */
function refuseFolder(input: CommandInput): void {
	const file = textFlag(input, 'output');
	if (file !== undefined && statSync(resolve(input.cwd, file), { throwIfNoEntry: false })?.isDirectory()) {
		throw usageError(call, `--output takes a file, and ${file} is a folder`);
	}
}

function save(file: string, { content, structuredContent }: ListedItem, { cwd, out }: CommandInput): void {
	const blocks: unknown[] = Array.isArray(content) ? content : [];
	const binary = blocks.map(binaryOf).find((each) => each !== undefined);
	const strings = blocks.flatMap((block) =>
		isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
	);
	const text =
		structuredContent === undefined ? strings.join('\n') : JSON.stringify(structuredContent, null, 2);
	const bytes = binary?.bytes ?? Buffer.from(text);
	try {
		writeFileSync(resolve(cwd, file), bytes);
	} catch (error) {
		throw usageError(call, `the result cannot be saved: ${messageOf(error)}`);
	}
	out.info(`mctl: saved ${printable(file)} (${binary?.mimeType ?? 'text'}, ${byteSize(bytes.length)})`);
}
