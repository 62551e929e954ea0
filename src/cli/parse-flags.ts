/*
 * The arguments and flags of one command.
 *
 * Node's parser splits them; errors get our own sentences, with a suggestion for a
 * mistyped flag.
 */
import { parseArgs } from 'node:util';
import { OrchestraError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { type Command, type Flag, usageError } from './command.ts';

export interface ParsedArgs {
	readonly args: readonly string[];
	readonly flags: Readonly<Record<string, string | boolean | undefined>>;
	/** All values of the flags that repeat, in their order. */
	readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** Every command has them. */
const common: Readonly<Record<string, Flag>> = {
	help: { short: 'h', help: 'show this help' },
	quiet: { short: 'q', help: 'leave out warnings and notes on stderr' },
};

/** Throws `bad_input` for a flag that the command does not have, or that has a value too many or too few. */
export function parseFlags(command: Command, args: readonly string[]): ParsedArgs {
	const known = new Map(Object.entries({ ...command.flags, ...common }));
	const options = Object.fromEntries(
		[...known].map(([name, flag]) => {
			const type = needsValue(flag) ? 'string' : 'boolean';
			return [name, { type, ...(flag.short && { short: flag.short }) }] as const;
		}),
	);
	const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
	const positionals: string[] = [];
	const flags = new Map<string, string | boolean>();
	const lists = new Map<string, string[]>();
	for (const token of tokens) {
		if (token.kind === 'positional') positionals.push(token.value);
		if (token.kind !== 'option') continue;
		const value = valueOf(command, known, token);
		flags.set(token.name, value);
		if (known.get(token.name)?.repeats && typeof value === 'string')
			lists.set(token.name, [...(lists.get(token.name) ?? []), value]);
	}
	return { args: positionals, flags: Object.fromEntries(flags), lists };
}

interface OptionToken {
	readonly name: string;
	/** The flag as it was written: `--json`, `-j`. */
	readonly rawName: string;
	readonly value?: string | undefined;
	readonly inlineValue?: boolean | undefined;
}

function valueOf(
	command: Command,
	known: ReadonlyMap<string, Flag>,
	{ name, rawName, value, inlineValue }: OptionToken,
): string | boolean {
	const flag = known.get(name);
	if (flag === undefined) throw unknownFlag(command, known, rawName);
	if (flag.value === undefined && value !== undefined)
		throw usageError(command, `${rawName} takes no value, not "${value}"`);
	if (!needsValue(flag)) return value ?? true;
	if (value === undefined) throw usageError(command, `${rawName} needs a value: ${rawName} ${flag.value}`);
	if (!inlineValue && value.startsWith('-') && value !== '-') {
		throw new OrchestraError('bad_input', `${rawName} needs a value, and "${value}" looks like a flag`, {
			hint: `if it is the value, write ${rawName}=${value}`,
		});
	}
	return value;
}

/** Whether the flag takes the next argument as its value. */
export function needsValue({ value, isValueOptional }: Flag): boolean {
	return value !== undefined && isValueOptional !== true;
}

function unknownFlag(command: Command, known: ReadonlyMap<string, Flag>, rawName: string): OrchestraError {
	const [guess] = nearest(
		rawName,
		[...known.keys()].map((name) => `--${name}`),
	);
	const message = `there is no flag ${rawName}${guess === undefined ? '' : `; did you mean ${guess}`}`;
	return usageError(command, message);
}
