/*
 * The command that a command line names.
 *
 * Flags may stand before it (`mctl --json list`): they are moved behind it. Help
 * has three spellings and all mean the same: `mctl help hub stop`, `mctl hub stop
 * --help`, `mctl hub stop -h`.
 */
import { OrchestraError } from '../errors.ts';
import { didYouMean, nearest } from '../nearest.ts';
import type { CommandEntry, CommandTable } from './command-table.ts';

/** Commands that are not in the table. */
export const builtInCommands: readonly string[] = ['help', 'version'];

export type ResolvedCommand =
	| { readonly kind: 'version' }
	| { readonly kind: 'overview' }
	| { readonly kind: 'group'; readonly name: string }
	| { readonly kind: 'command'; readonly entry: CommandEntry; readonly rest: readonly string[] };

const helpFlags = ['--help', '-h'];

/** The command that `args` name. Throws `bad_input` with the nearest names when there is no such command. */
export function resolveCommand(table: CommandTable, args: readonly string[]): ResolvedCommand {
	const [first, ...others] = args;
	if (first === '--version' || first === 'version') return alone({ kind: 'version' }, first, others);
	if (first === 'help') return resolveCommand(table, [...others, '--help']);
	const ordered = commandFirst(table, args);
	const [name = '', second = ''] = ordered;
	if (name === '' || name.startsWith('-')) return withoutCommand(ordered);
	const pair = table.get(`${name} ${second}`);
	if (pair) return { kind: 'command', entry: pair, rest: ordered.slice(2) };
	const entry = table.get(name);
	if (entry) return { kind: 'command', entry, rest: ordered.slice(1) };
	const members = membersOf(table, name);
	if (members.length === 0) throw unknownCommand(table, name);
	if (second === '' || second.startsWith('-')) {
		if (ordered.some((arg) => helpFlags.includes(arg))) return { kind: 'group', name };
		throw memberNeeded(name, members);
	}
	throw unknownMember(name, second, members);
}

/** The second names of a group: `start`, `stop`, … of `hub`. */
export function membersOf(table: CommandTable, group: string): string[] {
	const prefix = `${group} `;
	return [...table.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** The first names of all commands, each once. */
export function firstNames(table: CommandTable): string[] {
	return [...new Set([...table.keys()].map((name) => name.split(' ')[0] ?? name))];
}

/** `args` with the flags that stand before the command moved behind its name. */
function commandFirst(table: CommandTable, args: readonly string[]): readonly string[] {
	if (!args[0]?.startsWith('-')) return args;
	const known = new Set(firstNames(table));
	// A flag before the command may have a value, so the first known argument is taken, else the first one.
	const byName = args.findIndex((arg) => known.has(arg));
	const at = byName >= 0 ? byName : args.findIndex((arg) => !arg.startsWith('-'));
	if (at < 0) return args;
	const length = table.has(args.slice(at, at + 2).join(' ')) ? 2 : 1;
	return [...args.slice(at, at + length), ...args.slice(0, at), ...args.slice(at + length)];
}

function withoutCommand(args: readonly string[]): ResolvedCommand {
	const wrong = args.find((arg) => ![...helpFlags, '--json'].includes(arg));
	if (wrong === undefined) return { kind: 'overview' };
	throw new OrchestraError('bad_input', `there is no command in "mctl ${args.join(' ')}"`, {
		hint: 'mctl --help lists the commands',
	});
}

function alone(resolved: ResolvedCommand, arg: string, others: readonly string[]): ResolvedCommand {
	const [extra] = others.filter((other) => ![...helpFlags, '--json'].includes(other));
	if (extra === undefined) return resolved;
	throw new OrchestraError('bad_input', `unexpected argument "${extra}" after mctl ${arg}`, {
		hint: `usage: mctl ${arg}`,
	});
}

function unknownCommand(table: CommandTable, name: string): OrchestraError {
	const guesses = nearest(name, [...firstNames(table), ...builtInCommands], 1);
	return new OrchestraError('bad_input', `there is no command "${name}"`, {
		hint: didYouMean(
			guesses.map((guess) => `mctl ${guess}`),
			'mctl --help lists the commands',
		),
	});
}

function memberNeeded(group: string, members: readonly string[]): OrchestraError {
	return new OrchestraError('bad_input', `mctl ${group} needs one of: ${members.join(', ')}`, {
		hint: `mctl ${group} --help describes each`,
	});
}

function unknownMember(group: string, arg: string, members: readonly string[]): OrchestraError {
	const guesses = nearest(arg, members, 1).map((guess) => `mctl ${group} ${guess}`);
	return new OrchestraError('bad_input', `there is no command "${group} ${arg}"`, {
		hint: didYouMean(guesses, `mctl ${group} has: ${members.join(', ')}`),
	});
}
