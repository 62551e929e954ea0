/*
 * `mctl run`: run a tool and show what it says, or pass its events on.
 *
 * With `--json` the bytes of the tool's lines go to stdout untouched, as they
 * come; a reader that goes away ends the tool. The exit code is the tool's.
 */

import type { BlockedFile } from '../../config/trust/blocked.ts';
import { printable } from '../../printable.ts';
import type { StderrPolicy } from '../../process/child.ts';
import { runTool, type ToolRun } from '../../tool/run.ts';
import { runTimeoutMs } from '../../tool/run-limits.ts';
import type { RunWarning } from '../../tool/summary.ts';
import { type DiscoveredTool, toolEnvironment } from '../../tool/tool.ts';
import { ownEntry } from '../../wire/json.ts';
import { NEWLINE } from '../../wire/lines.ts';
import { type Command, type CommandInput, numberFlag, usageError } from '../command.ts';
import { inputFlag, readToolInput } from '../input/read-input.ts';
import { printProblems, problemsOfCalls, refuseUnused } from '../problem-lines.ts';
import { callTarget } from '../target/call-target.ts';
import { findTool, openProject, type Project } from '../target/project.ts';
import { isAddress, refuseBlocked } from '../target/target-name.ts';
import type { Output } from '../terminal/output.ts';
import { RunView } from '../terminal/run-view.ts';
import { reportBlocked } from '../trust-notice.ts';

export const run: Command = {
	usage: 'mctl run [<server|client:server|stdio:URI|URL>] <tool> [key=value…] [--json]',
	examples: [
		'mctl run hello-world name=CI',
		'mctl run word-count --input \'{"path":"README.md"}\'',
		'mctl run disk-usage path=. --json | jq .payload',
		'mctl run ./my-tool --timeout 5000',
		'mctl run files read_file path=a.txt --json',
	],
	flags: {
		input: inputFlag,
		json: { help: "print the tool's own event lines, untouched" },
		timeout: { value: 'MS', help: 'end the tool after this time (default 30000)' },
	},
	args: [1, Number.POSITIVE_INFINITY, 'the id of a tool'],

	async run(input) {
		const [arg = '', ...args] = input.args;
		const timeoutMs = numberFlag(input, run, 'timeout');
		if (timeoutMs === 0) throw usageError(run, '--timeout takes a number above 0');
		const project = openProject(input, { hasExamples: true });
		printProblems(problemsOfCalls(project.configProblems), input.out);
		if (project.tools.every(({ id }) => id !== arg)) {
			refuseBlocked(arg, project.blocked);
			refuseUnused(arg, project.configProblems, project.configuration.mcpServers);
		}
		if (isCalled(project, arg)) return runCalled(project, timeoutMs, input);
		const tool = findTool(project, arg);
		reportBlocked(project.blocked.filter(concernsTools), input.out);
		const values = await readToolInput(run, input, { args, schema: tool.inputSchema });
		const options = {
			...runOptions(tool, project, { timeoutMs, environment: input.environment }),
			input: values,
			signal: input.signal,
		};
		return input.flags['json'] ? printEvents(tool, options, input) : showEvents(tool, options, input);
	},
};

/** Whether the file holds a setting for tools back. */
function concernsTools({ effects }: BlockedFile): boolean {
	return effects.some(({ isBlocked, name }) => isBlocked && /^(?:tools|limits)\./.test(name));
}

/** True for the address of a server, and for a name that no folder has and a plugin, an MCP server or another machine may. */
function isCalled({ tools, configuration }: Project, arg: string): boolean {
	if (isAddress(arg)) return true;
	const isId = !/[/\\]|^\.{1,2}$/.test(arg) && !tools.some(({ id }) => id === arg);
	const { plugins, mcpServers, fabric } = configuration;
	return isId && (fabric !== undefined || [...plugins, ...mcpServers].some(({ isEnabled }) => isEnabled));
}

async function runCalled(
	project: Project,
	timeoutMs: number | undefined,
	input: CommandInput,
): Promise<number> {
	const { runHubTool } = await import('./run-hub-tool.ts');
	const target = await callTarget(input.args, project, input);
	const otherNames = project.tools.map(({ id }) => id);
	return runHubTool({ command: run, target, otherNames, timeoutMs }, input);
}

type Options = NonNullable<Parameters<typeof runTool>[1]>;

function runOptions(
	tool: DiscoveredTool,
	{ configuration }: Project,
	{
		timeoutMs: requested,
		environment,
	}: { timeoutMs: number | undefined } & Pick<CommandInput, 'environment'>,
): Options {
	const { tools, limits, root } = configuration;
	const { toolOutputBytes: outputBytes, toolEvents: events } = limits;
	return {
		config: tools.config,
		blockedConfigFolder: tools.blockedConfigFolder,
		workspaceRoot: root,
		environment: toolEnvironment(tool, tools, environment),
		sandbox: ownEntry(tools.sandboxes, tool.id) ?? tools.sandbox,
		childLimits: tools.limits,
		timeoutMs: runTimeoutMs(tool.id, {
			requested,
			byTool: tools.timeouts,
			manifest: tool.timeoutMs,
			fallback: tools.timeoutMs,
		}),
		limits: { ...(outputBytes && { outputBytes }), ...(events && { events }) },
	};
}

async function printEvents(
	tool: DiscoveredTool,
	options: Options,
	{ out }: CommandInput,
): Promise<number | void> {
	const onWarning = ({ message }: RunWarning): void => out.info(`mctl: ${printable(message)}`);
	const events = runTool(tool, { ...options, stderr: out.childStderr, onWarning });
	let isLineOpen = false;
	for await (const { raw, isSynthetic } of events) {
		if (isSynthetic && isLineOpen) await out.write('\n');
		await out.write(raw);
		isLineOpen = raw.at(-1) !== NEWLINE;
		if (out.isClosed) return;
	}
	return exitCodeOf(events);
}

async function showEvents(
	tool: DiscoveredTool,
	options: Options,
	{ out }: CommandInput,
): Promise<number | void> {
	const view = new RunView(out);
	view.start(tool.id);
	const onWarning = ({ message }: RunWarning): void => view.warning(message);
	const events = runTool(tool, { ...options, stderr: stderrPolicy(out, view), onWarning });
	for await (const event of events) {
		view.event(event);
		if (out.isClosed) return;
	}
	view.end(await events.summary);
	return exitCodeOf(events);
}

/** Where the stderr of the tool goes: on a terminal the progress bar must step aside; in a pipe a slow reader must slow the tool. */
function stderrPolicy(out: Output, view: RunView): StderrPolicy {
	return out.hasLiveStderr ? (chunk) => view.stderr(chunk) : out.childStderr;
}

async function exitCodeOf({ summary }: ToolRun): Promise<number> {
	return (await summary).exitCode;
}
