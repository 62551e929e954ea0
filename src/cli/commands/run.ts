/*
 * `mctl run`: run a tool and show what it says, or pass its events on.
 *
 * With `--json` the bytes of the tool's lines go to stdout untouched, as they
 * come; a reader that goes away ends the tool. The exit code is the tool's.
 */

import { printable } from '../../printable.ts';
import type { StderrPolicy } from '../../process/child.ts';
import { runTool, type ToolRun } from '../../tool/run.ts';
import { runTimeoutMs } from '../../tool/run-limits.ts';
import type { RunWarning } from '../../tool/summary.ts';
import { type DiscoveredTool, toolEnvironment } from '../../tool/tool.ts';
import { ownEntry } from '../../wire/json.ts';
import { neededFor } from '../call-target.ts';
import { type Command, type CommandInput, numberFlag, usageError } from '../command.ts';
import { findTool, openProject, type Project } from '../project.ts';
import { inputFlag, readToolInput } from '../read-input.ts';
import type { HubToolRun } from '../run-hub-tool.ts';
import type { Output } from '../terminal/output.ts';
import { RunView } from '../terminal/run-view.ts';

export const run: Command = {
	usage: 'mctl run <tool> [key=value…] [--input JSON|@file|-] [--json] [--timeout MS]',
	examples: [
		'mctl run hello-world name=CI',
		'mctl run word-count --input \'{"path":"README.md"}\'',
		'mctl run disk-usage path=. --json | jq .payload',
		'mctl run ./my-tool --timeout 5000',
	],
	flags: {
		input: inputFlag,
		json: { type: 'boolean', help: "print the tool's own event lines, untouched" },
		timeout: { type: 'string', value: 'MS', help: 'end the tool after this time (default 30000)' },
	},

	async run(input) {
		const [word, ...words] = input.words;
		if (word === undefined) throw usageError(run, 'mctl run needs the id of a tool');
		const timeoutMs = numberFlag(input, run, 'timeout');
		if (timeoutMs === 0) throw usageError(run, '--timeout takes a number above 0');
		const project = openProject(input.environment, { hasExamples: true });
		if (isOfHub(project, word)) return runOfHub(project, { word, words, timeoutMs }, input);
		const tool = findTool(project, word);
		for (const { message } of project.configProblems) input.out.note(`mctl: ${printable(message)}`);
		const given = { flag: input.flags['input'], words, schema: tool.inputSchema, signal: input.signal };
		const values = await readToolInput(run, given);
		const options = { ...runOptions(tool, project, timeoutMs), input: values, signal: input.signal };
		if (input.flags['json']) await printEvents(tool, options, input);
		else await showEvents(tool, options, input);
	},
};

/** True for a name that no folder has and a plugin, an MCP server or another machine may. */
function isOfHub({ tools, configuration }: Project, word: string): boolean {
	const isId = !/[/\\]|^\.{1,2}$/.test(word) && !tools.some(({ id }) => id === word);
	const { plugins, mcpServers, fabric } = configuration;
	return isId && (fabric !== undefined || [...plugins, ...mcpServers].some(({ isEnabled }) => isEnabled));
}

async function runOfHub(
	{ tools, configuration }: Project,
	{ word: name, words, timeoutMs }: { word: string; words: readonly string[]; timeoutMs: number | undefined },
	input: CommandInput,
): Promise<void> {
	const { runHubTool } = await import('../run-hub-tool.ts');
	const inputFor: HubToolRun['inputFor'] = (schema) =>
		readToolInput(run, { flag: input.flags['input'], words, schema, tool: name, signal: input.signal });
	const knownIds = tools.map(({ id }) => id);
	const needs = neededFor(name, configuration);
	await runHubTool({ name, timeoutMs, inputFor, knownIds, needs }, input);
}

type Options = NonNullable<Parameters<typeof runTool>[1]>;

function runOptions(tool: DiscoveredTool, { configuration }: Project, asked: number | undefined): Options {
	const { tools, limits, root } = configuration;
	const { toolOutputBytes: outputBytes, toolEvents: events } = limits;
	return {
		config: tools.config,
		workspaceRoot: root,
		environment: toolEnvironment(tool, tools, process.env),
		sandbox: ownEntry(tools.sandboxes, tool.id) ?? tools.sandbox,
		childLimits: tools.limits,
		timeoutMs: runTimeoutMs(tool.id, {
			asked,
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
	{ out, signal }: CommandInput,
): Promise<void> {
	const onWarning = ({ message }: RunWarning): void => out.note(`mctl: ${printable(message)}`);
	const events = runTool(tool, { ...options, stderr: out.childStderr, onWarning });
	let isLineOpen = false;
	for await (const { raw, isSynthetic } of events) {
		if (isSynthetic && isLineOpen) await out.write('\n');
		await out.write(raw);
		isLineOpen = raw.at(-1) !== NEWLINE;
		if (out.isClosed) return;
	}
	await setExitCode(events, signal);
}

const NEWLINE = 0x0a;

async function showEvents(
	tool: DiscoveredTool,
	options: Options,
	{ out, signal }: CommandInput,
): Promise<void> {
	const view = new RunView(out);
	view.start(tool.id);
	const onWarning = ({ message }: RunWarning): void => view.warning(message);
	const events = runTool(tool, { ...options, stderr: stderrPolicy(out, view), onWarning });
	for await (const event of events) {
		view.event(event);
		if (out.isClosed) return;
	}
	view.end(await events.summary);
	await setExitCode(events, signal);
}

/** On a terminal the progress bar must step aside; in a pipe a slow reader must slow the tool. */
function stderrPolicy(out: Output, view: RunView): StderrPolicy {
	return out.hasLiveStderr ? (chunk) => view.stderr(chunk) : 'inherit';
}

async function setExitCode(events: ToolRun, signal: AbortSignal): Promise<void> {
	const { exitCode } = await events.summary;
	// After a signal main.ts has set the code that tells which one.
	if (!signal.aborted) process.exitCode = exitCode;
}
