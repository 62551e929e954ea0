/* The input of a tool from the command line: `--input`, then `key=value` words on top of it. */
import { messageOf } from '../errors.ts';
import { inputFromJson, inputFromWords } from '../tool/input.ts';
import type { JsonObject } from '../wire/json.ts';
import { checkInput } from './check-input.ts';
import { type Command, usageError } from './command.ts';
import { readInputFile, readStdin } from './input-file.ts';

/** How `--input` is explained in the help of every command that has it. */
export const inputFlag = {
	type: 'string',
	value: 'JSON|@file|-',
	help: 'the input as JSON, from a file, or from stdin',
} as const;

/** Read `--input` (JSON, `@file` or `-`). Throws `bad_input` saying what is wrong with it. */
export async function readInput(
	flag: string | boolean | undefined,
	command: Pick<Command, 'usage'>,
	signal?: AbortSignal,
): Promise<JsonObject> {
	if (typeof flag !== 'string') return {};
	if (flag === '-') return inputFromJson(await readStdin(signal), 'stdin');
	if (!flag.startsWith('@')) return inputFromJson(flag, '--input');
	const file = flag.slice(1);
	try {
		return inputFromJson(await readInputFile(file, signal), file);
	} catch (error) {
		if (!(error instanceof Error && 'syscall' in error)) throw error;
		throw usageError(command, `the input file ${file} cannot be read: ${messageOf(error)}`);
	}
}

/** `--input` and words together; a word wins over the same key of `--input`. With `tool` the values are checked. */
export async function readToolInput(
	command: Pick<Command, 'usage'>,
	given: {
		flag: string | boolean | undefined;
		words: readonly string[];
		schema: JsonObject | undefined;
		/** The name of an MCP tool, which has no runner of ours to check its input. */
		tool?: string;
		signal?: AbortSignal;
	},
): Promise<JsonObject> {
	const base = await readInput(given.flag, command, given.signal);
	const { words, schema, tool } = given;
	const values = inputFromWords(words, schema, base);
	if (tool !== undefined && schema) checkInput({ tool, schema, values, rawKeys: Object.keys(base) });
	return values;
}
