/*
 * A tool in a single file: the manifest stands in a comment at its top.
 *
 *     #!/bin/sh
 *     # mctl: {"description": "Says hello"}
 *
 * Several such lines are one JSON text, so that a long one can be broken. What
 * a file can tell by itself need not be written: the version of the manifest, and
 * the id, which is the name of the file.
 */
import { basename, extname } from 'node:path';
import { type JsonDocument, parseJsonc } from '../config/jsonc.ts';
import { isObject } from '../wire/json.ts';

/** How much of a file is searched for a header. */
export const HEADER_BYTES: number = 16 * 1024;
/** The header begins within this many lines. */
const HEADER_LINES = 40;

const headerLine = /^\s*(?:#|\/\/)\s*mctl:(.*)$/;

/** The manifest in the comments of `text`; undefined when there is none. Throws `bad_input` for broken JSON. */
export function readHeader(text: string, file: string): JsonDocument | undefined {
	const lines = text.split('\n', HEADER_LINES);
	const first = lines.findIndex((line) => headerLine.test(line));
	if (first === -1) return undefined;
	// Every other line is emptied, so that an error names the line of the file.
	const json = lines.map((line) => headerLine.exec(line)?.[1] ?? '').join('\n');
	const document = parseJsonc(json, file);
	return { value: withDefaults(document.value, file), lineOf: (path) => document.lineOf(path) };
}

function withDefaults(value: JsonDocument['value'], file: string): JsonDocument['value'] {
	if (!isObject(value)) return value;
	const name = basename(file);
	const id = basename(file, extname(file)).toLowerCase().replaceAll('_', '-');
	const start = value['runtime'] === undefined ? { command: [`./${name}`] } : { entry: name };
	return { manifestVersion: 1, id, version: '0.0.0', name: id, ...start, ...value };
}

/** The interpreter that the first line names, for display: `#!/usr/bin/env python3` gives `python3`. */
export function interpreterOf(text: string): string | undefined {
	const [, program, argument] = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(text) ?? [];
	if (program === undefined) return undefined;
	const name = basename(program);
	return name === 'env' && argument !== undefined ? basename(argument) : name;
}
