/* Help that fits one screen: examples first, then flags. */
import type { Command, Flag } from './command.ts';
import type { CommandEntry } from './commands.ts';

const NAME_COLUMN = 10;
const FLAG_COLUMN = 22;

/** What the commands of a group do together; the rest of their names is listed beside it. */
const groups: Readonly<Record<string, string>> = {
	hub: 'The shared hub',
	new: 'Write something that works',
};

/** `mctl --help`. */
export function overview(table: Readonly<Record<string, CommandEntry>>): string {
	const rows = new Map<string, string>();
	for (const [name, { summary }] of Object.entries(table)) {
		const [first = '', second] = name.split(' ');
		const earlier = rows.get(first);
		if (second === undefined) rows.set(first, summary);
		else
			rows.set(
				first,
				earlier === undefined ? `${groups[first] ?? first}: ${second}` : `${earlier}, ${second}`,
			);
	}
	return [
		'mctl: one command for every tool, MCP server and prompt',
		'',
		'  mctl demo                                          see it work',
		'  mctl run hello-world name=you                      run a tool, in any language',
		"  mctl request 'stdio:node server.js' tools/list     ask any JSON-RPC program",
		'',
		'Commands:',
		...[...rows].map(([name, summary]) => `  ${name.padEnd(NAME_COLUMN)} ${summary}`),
		'',
		'`mctl <command> --help` shows examples and flags. Set LOG_LEVEL=debug to see more.',
	].join('\n');
}

/** `mctl <command> --help`. */
export function commandHelp(command: Command): string {
	const flags = Object.entries(command.flags).map(([name, flag]) => flagRow(name, flag));
	return [
		command.summary,
		'',
		`Usage: ${command.usage}`,
		'',
		'Examples:',
		...command.examples.map((example) => `  ${example}`),
		...(flags.length > 0 ? ['', 'Flags:', ...flags] : []),
	].join('\n');
}

function flagRow(name: string, flag: Flag): string {
	const value = flag.type === 'string' ? ` ${flag.value ?? 'TEXT'}` : '';
	const short = flag.short ? `-${flag.short}, ` : '';
	return `  ${`${short}--${name}${value}`.padEnd(FLAG_COLUMN)} ${flag.help}`;
}
