/*
 * The input of a tool from the command line: `--input`, then `key=value` arguments on top of it.
 * Files are read here, for arguments that the user wrote; an answer to an elicitation names no file.
 *
 * A regular file is read at once. A pipe is legal too (`--input @<(make-input)`,
 * `@/dev/stdin`), and its writer may come late or never: it is opened without
 * blocking and read as a stream, so that Ctrl-C works at any moment. Devices and
 * folders are refused, and the size is bounded.
 */

import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { messageOf, OrchestraError } from '../../errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { fileOfArg, inputFromArgs, inputFromJson } from '../../tool/input.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { INPUT_LIMIT_BYTES } from '../cli-limits.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import type { ListedItem } from '../hub-client/hub-items.ts';
import { nameOf } from '../target/find-target.ts';
import { checkInput } from './check-input.ts';

const stdinPaths = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

type InputPlace = Pick<CommandInput, 'cwd' | 'stdin' | 'signal'>;

/** How `--input` is explained in the help of every command that has it. */
export const inputFlag = {
	value: 'JSON|@file|-',
	help: 'the input as JSON, from a file, or from stdin',
} as const;

/** Read `--input` (JSON, `@file` or `-`). Throws `bad_input` saying what is wrong with it. */
export async function readInput(
	command: Pick<Command, 'usage'>,
	{ cwd, stdin, signal }: InputPlace,
	flag: string | boolean | undefined,
): Promise<JsonObject> {
	if (typeof flag !== 'string') return {};
	const file = flag === '-' ? flag : flag.startsWith('@') ? flag.slice(1) : undefined;
	if (file === undefined) return inputFromJson(flag, '--input');
	const bytes = await readNamed(command, { cwd, stdin, signal }, file);
	return inputFromJson(bytes.toString('utf8'), file === '-' ? 'stdin' : file);
}

/** The bytes of a file, or of stdin by its names. */
async function readNamed(
	command: Pick<Command, 'usage'>,
	{ cwd, stdin, signal }: InputPlace,
	file: string,
	hint?: string,
): Promise<Buffer> {
	try {
		if (isStdin(file)) return await readStream(stdin(), file === '-' ? 'stdin' : file, signal);
		return await readInputFile(resolve(cwd, file), signal);
	} catch (error) {
		if (!(error instanceof Error && 'syscall' in error)) throw error;
		const message = `the input file ${file} cannot be read: ${messageOf(error)}`;
		throw hint === undefined
			? usageError(command, message)
			: new OrchestraError('bad_input', message, { hint });
	}
}

/** The files that arguments name as `key=@file` or `key:=@file`, by argument. Stdin can be read once. */
async function readWordFiles(
	command: Pick<Command, 'usage'>,
	input: CommandInput,
	args: readonly string[],
): Promise<Map<string, Buffer>> {
	const named = new Map(
		[...new Set(args)].flatMap((arg) => {
			const file = fileOfArg(arg);
			return file === undefined ? [] : [[arg, file] as const];
		}),
	);
	const { input: flag } = input.flags;
	const whole =
		flag === '-' ? ['-'] : typeof flag === 'string' && flag.startsWith('@') ? [flag.slice(1)] : [];
	if ([...named.values(), ...whole].filter(isStdin).length > 1)
		throw usageError(command, 'stdin can be read once, and it is named twice');
	const files = new Map<string, Buffer>();
	for (const [arg, file] of named) {
		const hint = `A value that begins with @ names a file; for the text itself write ${arg.replace('=@', '=@@')}`;
		files.set(arg, await readNamed(command, input, file, hint));
	}
	return files;
}

function isStdin(file: string): boolean {
	return file === '-' || stdinPaths.has(file);
}

/** `--input` and arguments together; an argument wins over the same key of `--input`. With `tool` the values are checked. */
export async function readToolInput(
	command: Pick<Command, 'usage'>,
	input: CommandInput,
	given: {
		args: readonly string[];
		schema: JsonObject | undefined;
		/** The name of an MCP tool, which has no runner of ours to check its input. */
		tool?: string;
	},
): Promise<JsonObject> {
	const { args, schema, tool } = given;
	const files = await readWordFiles(command, input, args);
	const base = await readInput(command, input, input.flags['input']);
	const values = inputFromArgs(args, schema, { base, files });
	if (tool !== undefined && schema) checkInput({ tool, schema, values, rawKeys: Object.keys(base) });
	return values;
}

/** The same for a tool that is called over MCP. */
export function readCallInput(
	command: Pick<Command, 'usage'>,
	input: CommandInput,
	tool: ListedItem,
	args: readonly string[],
): Promise<JsonObject> {
	// The schema came out of a message.
	const schema = (isObject(tool['inputSchema']) ? tool['inputSchema'] : {}) as JsonObject;
	return readToolInput(command, input, { args, schema, tool: nameOf(tool) });
}

/** The bytes of a file or pipe. Errors of the system pass as they are. */
async function readInputFile(path: string, signal?: AbortSignal): Promise<Buffer> {
	if (!statSync(path).isFIFO()) return readRegularFile(path, INPUT_LIMIT_BYTES);
	return readStream(openPipe(path), path, signal);
}

function openPipe(path: string): Readable {
	const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	if (fstatSync(descriptor).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false });
	closeSync(descriptor);
	throw new OrchestraError('bad_input', `${path} changed while it was opened`, { hint: 'Try again.' });
}

/** A stream up to its end; `source` is its name in errors. */
export async function readStream(stream: Readable, source: string, signal?: AbortSignal): Promise<Buffer> {
	const parts: Buffer[] = [];
	let length = 0;
	try {
		for await (const chunk of signal ? addAbortSignal(signal, stream) : stream) {
			// Neither stream has an encoding, so its chunks are bytes.
			const part = chunk as Buffer;
			length += part.length;
			if (length > INPUT_LIMIT_BYTES) throw tooLong(source);
			parts.push(part);
		}
	} catch (error) {
		signal?.throwIfAborted();
		throw error;
	}
	return Buffer.concat(parts, length);
}

function tooLong(source: string): OrchestraError {
	return new OrchestraError(
		'bad_input',
		`the input from ${source} is longer than ${INPUT_LIMIT_BYTES} bytes`,
		{
			hint: 'Give the tool the path of a file in place of its content.',
			data: { limitBytes: INPUT_LIMIT_BYTES },
		},
	);
}
