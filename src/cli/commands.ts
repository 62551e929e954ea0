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
	'new plugin': {
		summary: 'Write a plugin that works',
		load: async () => (await import('./new-plugin.ts')).newPlugin,
	},
	pipe: {
		summary: 'Raw JSON lines to and from a program',
		load: async () => (await import('./pipe.ts')).pipe,
	},
	request: {
		summary: 'One JSON-RPC request to a program',
		load: async () => (await import('./request.ts')).request,
	},
};
