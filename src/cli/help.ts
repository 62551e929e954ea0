/* Help that fits one screen: examples first, then flags. All of it comes from the table of commands. */

import type { Command, Flag } from './command.ts';
import { type CommandEntry, type CommandTable, commonWords, groups } from './command-table.ts';
import { firstNames, membersOf } from './resolve-command.ts';

const NAME_COLUMN = 10;
const FLAG_COLUMN = 22;
const EXAMPLE_COLUMN = 30;
const SCREEN_COLUMNS = 80;

/** `mctl --help`. */
export function overview(table: CommandTable): string {
	const first = new Set(beginning.map(([example]) => example.split(' ')[1]));
	const others = firstNames(table).filter((name) => !first.has(name));
	return [
		'mctl: one command for every tool, MCP server and prompt',
		'',
		'To begin:',
		...beginning.map(([example, what]) => `  ${example.padEnd(EXAMPLE_COLUMN)} ${what}`),
		'',
		...others
			.filter((name) => commonWords.has(name))
			.map((name) => row(name, table.get(name)?.summary ?? groupSummary(table, name))),
		...rareRows(others.filter((name) => !commonWords.has(name))),
		'',
		'`mctl help <command>` shows examples and flags; --quiet leaves out warnings.',
	].join('\n');
}

/** The commands that a new user needs, in this order. */
const beginning: readonly (readonly [example: string, what: string])[] = [
	['mctl demo', 'see it work'],
	['mctl init', 'import the MCP servers of your clients'],
	['mctl list', 'show what there is to call'],
	['mctl run hello-world name=you', 'run a tool, in any language'],
	['mctl doctor', 'find out what is missing, and how to fix it'],
];

/** Names only, on as few lines as they need. */
function rareRows(names: readonly string[]): string[] {
	const lines: string[] = [];
	let text = '';
	for (const name of names) {
		const longer = text === '' ? name : `${text}, ${name}`;
		if (row('', longer).length < SCREEN_COLUMNS) text = longer;
		else {
			lines.push(`${text},`);
			text = name;
		}
	}
	return [...lines, text].map((line, at) => row(at === 0 ? 'and' : '', line));
}

/** `mctl hub --help`: the commands of a group. */
export function groupHelp(table: CommandTable, group: string): string {
	const members = membersOf(table, group);
	return [
		groups.get(group) ?? group,
		'',
		`Usage: mctl ${group} ${members.join('|')}`,
		'',
		...members.map((member) => row(member, table.get(`${group} ${member}`)?.summary ?? '')),
		'',
		`\`mctl help ${group} ${members[0]}\` shows examples and flags.`,
	].join('\n');
}

/** `mctl <command> --help`. */
export function commandHelp({ summary }: CommandEntry, command: Command): string {
	const flags = Object.entries(command.flags).map(([name, flag]) => flagRow(name, flag));
	return [
		summary,
		'',
		`Usage: ${command.usage}`,
		'',
		'Examples:',
		...command.examples.map((example) => `  ${example}`),
		...(flags.length > 0 ? ['', 'Flags:', ...flags] : []),
	].join('\n');
}

function groupSummary(table: CommandTable, group: string): string {
	return `${groups.get(group) ?? group}: ${membersOf(table, group).join(', ')}`;
}

function row(name: string, summary: string): string {
	return `  ${name.padEnd(NAME_COLUMN)} ${summary}`;
}

function flagRow(name: string, flag: Flag): string {
	const { value, isValueOptional, short, help } = flag;
	const shown = value === undefined ? '' : isValueOptional ? ` [${value}]` : ` ${value}`;
	return `  ${`${short ? `-${short}, ` : ''}--${name}${shown}`.padEnd(FLAG_COLUMN)} ${help}`;
}
