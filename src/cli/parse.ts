/* Words on the command line to a command, its words and its flags. */
import { parseArgs } from 'node:util';
import { messageOf, OrchestraError } from '../errors.ts';
import type { Command } from './command.ts';
import type { CommandEntry } from './commands.ts';
import { nearest } from './nearest.ts';

export interface FoundCommand extends CommandEntry {
	rest: string[];
}

/** The command that `args` begin with: two words of a group first, then one. */
export function findCommand(table: Readonly<Record<string, CommandEntry>>, args: string[]): FoundCommand {
	for (const length of [2, 1]) {
		const entry = table[args.slice(0, length).join(' ')];
		if (entry && args.length >= length) return { ...entry, rest: args.slice(length) };
	}
	throw unknownCommand(Object.keys(table), args);
}

export function parseWords(
	command: Command,
	args: string[],
): { words: string[]; flags: Record<string, string | boolean | undefined> } {
	const options = Object.fromEntries(
		Object.entries(command.flags).map(([name, { type, short }]) => [
			name,
			short ? { type, short } : { type },
		]),
	);
	const [own, passed] = command.passesThrough ? splitAtFirstWord(command, args) : [args, []];
	try {
		const { values, positionals } = parseArgs({
			args: own,
			options: { ...options, help: { type: 'boolean', short: 'h' } },
			allowPositionals: true,
		});
		return { words: [...positionals, ...passed], flags: { ...values } };
	} catch (error) {
		// parseArgs adds advice about `--` after the first sentence; ours is the usage line.
		const [sentence = ''] = messageOf(error).split(/\. |\n/);
		throw new OrchestraError('bad_input', sentence, { hint: `usage: ${command.usage}` });
	}
}

function splitAtFirstWord(command: Command, args: string[]): [string[], string[]] {
	let at = 0;
	while (at < args.length && args[at]?.startsWith('-')) {
		const name = args[at]?.replace(/^--?/, '') ?? '';
		at += command.flags[name]?.type === 'string' ? 2 : 1;
	}
	return [args.slice(0, at), args.slice(at)];
}

function unknownCommand(names: string[], args: string[]): OrchestraError {
	const [first = ''] = args;
	const group = names.filter((name) => name.startsWith(`${first} `));
	if (group.length > 0) {
		const choices = group.map((name) => name.slice(first.length + 1)).join(', ');
		return new OrchestraError('bad_input', `mctl ${first} needs one of: ${choices}`, {
			hint: `for example: mctl ${group[0]}`,
		});
	}
	const [guess] = nearest(first, names);
	return new OrchestraError('bad_input', `there is no command "${first}"`, {
		hint: guess ? `did you mean: mctl ${guess}` : 'mctl --help lists the commands',
	});
}
