/*
 * The table of commands. Each is loaded only when it is used, so that the start
 * of one never pays for the others. Two words name a command of a group.
 */
import type { Command } from './command.ts';

export interface CommandEntry {
	summary: string;
	load: () => Promise<Command>;
}

export const commands: Readonly<Record<string, CommandEntry>> = {
	demo: {
		summary: 'A tour that checks itself',
		load: async () => (await import('./demo.ts')).demo,
	},
	list: {
		summary: 'Show what there is to call',
		load: async () => (await import('./list.ts')).list,
	},
	run: {
		summary: 'Run a tool and show its events',
		load: async () => (await import('./run.ts')).run,
	},
	'new plugin': {
		summary: 'Write a plugin that works',
		load: async () => (await import('./new-plugin.ts')).newPlugin,
	},
	find: {
		summary: 'Find fragments of the library for a task',
		load: async () => (await import('./find.ts')).find,
	},
	'new prompt': {
		summary: 'Make a prompt',
		load: async () => (await import('./new-prompt.ts')).newPrompt,
	},
	'new resource': {
		summary: 'Make a fragment of the library',
		load: async () => (await import('./new-resource.ts')).newResource,
	},
	serve: {
		summary: 'Serve all of it to an agent: MCP on stdin and stdout',
		load: async () => (await import('./serve.ts')).serve,
	},
	'hub start': {
		summary: 'Start the shared hub in the background',
		load: async () => (await import('./hub-start.ts')).hubStart,
	},
	'hub stop': {
		summary: 'Stop the shared hub and everything it started',
		load: async () => (await import('./hub-stop.ts')).hubStop,
	},
	'hub status': {
		summary: 'Show the shared hub and what it serves',
		load: async () => (await import('./hub-status.ts')).hubStatus,
	},
	'hub ls': {
		summary: 'Show every shared hub that you run',
		load: async () => (await import('./hub-ls.ts')).hubLs,
	},
	'hub ps': {
		summary: 'Show every process that the hub owns',
		load: async () => (await import('./hub-ps.ts')).hubPs,
	},
	'hub logs': {
		summary: 'Show the log of the shared hub',
		load: async () => (await import('./hub-logs.ts')).hubLogs,
	},
	'hub run': {
		summary: 'Run the shared hub in the foreground',
		load: async () => (await import('./hub-run.ts')).hubRun,
	},
	pipe: {
		summary: 'Raw JSON lines to and from a program',
		load: async () => (await import('./pipe.ts')).pipe,
	},
	prompt: {
		summary: 'Fill in a prompt',
		load: async () => (await import('./prompt.ts')).prompt,
	},
	read: {
		summary: 'Print a resource of the library',
		load: async () => (await import('./read.ts')).read,
	},
	request: {
		summary: 'One JSON-RPC request to a program',
		load: async () => (await import('./request.ts')).request,
	},
	'new tool': {
		summary: 'Write a new tool that works',
		load: async () => (await import('./new-tool.ts')).newTool,
	},
	bridge: {
		summary: 'MCP on stdin and stdout, served by a hub',
		load: async () => (await import('./bridge.ts')).bridge,
	},
	check: {
		summary: 'Check a tool against the protocol',
		load: async () => (await import('./check.ts')).check,
	},
	init: {
		summary: 'Write a configuration to start from',
		load: async () => (await import('./init.ts')).init,
	},
	doctor: {
		summary: 'Check that everything is here',
		load: async () => (await import('./doctor.ts')).doctor,
	},
};
