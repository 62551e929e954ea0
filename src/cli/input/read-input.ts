/* The input of a tool from the command line: `--input`, then `key=value` words on top of it. */
import { resolve } from 'node:path';
import { messageOf } from '../../errors.ts';
import { inputFromJson, inputFromWords } from '../../tool/input.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import type { Offered } from '../hub-client/hub-offers.ts';
import { nameOf } from '../target/find-target.ts';
import { checkInput } from './check-input.ts';
import { readInputFile, readStream } from './input-file.ts';

const ownStdin = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** How `--input` is explained in the help of every command that has it. */
export const inputFlag = {
	type: 'string',
	value: 'JSON|@file|-',
	help: 'the input as JSON, from a file, or from stdin',
} as const;

/** Read `--input` (JSON, `@file` or `-`). Throws `bad_input` saying what is wrong with it. */
export async function readInput(
	command: Pick<Command, 'usage'>,
	{ cwd, stdin, signal }: Pick<CommandInput, 'cwd' | 'stdin' | 'signal'>,
	flag: string | boolean | undefined,
): Promise<JsonObject> {
	if (typeof flag !== 'string') return {};
	if (flag === '-') return inputFromJson(await readStream(stdin(), 'stdin', signal), 'stdin');
	if (!flag.startsWith('@')) return inputFromJson(flag, '--input');
	const file = flag.slice(1);
	try {
		const isStdin = ownStdin.has(file);
		const text = isStdin ? readStream(stdin(), file, signal) : readInputFile(resolve(cwd, file), signal);
		return inputFromJson(await text, file);
	} catch (error) {
		if (!(error instanceof Error && 'syscall' in error)) throw error;
		throw usageError(command, `the input file ${file} cannot be read: ${messageOf(error)}`);
	}
}

/** `--input` and words together; a word wins over the same key of `--input`. With `tool` the values are checked. */
export async function readToolInput(
	command: Pick<Command, 'usage'>,
	input: CommandInput,
	given: {
		words: readonly string[];
		schema: JsonObject | undefined;
		/** The name of an MCP tool, which has no runner of ours to check its input. */
		tool?: string;
	},
): Promise<JsonObject> {
	const base = await readInput(command, input, input.flags['input']);
	const { words, schema, tool } = given;
	const values = inputFromWords(words, schema, base);
	if (tool !== undefined && schema) checkInput({ tool, schema, values, rawKeys: Object.keys(base) });
	return values;
}

/** The same for a tool that is called over MCP. */
export function readCallInput(
	command: Pick<Command, 'usage'>,
	input: CommandInput,
	tool: Offered,
	words: readonly string[],
): Promise<JsonObject> {
	// The schema came out of a message.
	const schema = (isObject(tool['inputSchema']) ? tool['inputSchema'] : {}) as JsonObject;
	return readToolInput(command, input, { words, schema, tool: nameOf(tool) });
}
