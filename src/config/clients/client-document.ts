/* Parse a client's file by its format, within bounds, with the line of an error. */
import { extname } from 'node:path';
import { messageOf, OrchestraError } from '../../errors.ts';
import { parseBoundedYaml } from '../../files/bounded-yaml.ts';
import { isObject, ownEntry } from '../../wire/json.ts';
import { tomlLibrary } from '../edit/toml-statements.ts';
import { parseJsonc } from '../jsonc.ts';

export type ClientFormat = 'json' | 'toml' | 'yaml';

export function formatOf(path: string): ClientFormat {
	const extension = extname(path);
	if (extension === '.toml') return 'toml';
	return extension === '.yaml' || extension === '.yml' ? 'yaml' : 'json';
}

/** The value of the text. An empty file counts as an empty object. Throws `bad_input` naming file and line. */
export function parseClientText(text: string, path: string): unknown {
	const body = text.replace(/^\uFEFF/, '');
	if (body.trim() === '') return {};
	const format = formatOf(path);
	try {
		if (format === 'json') return parseJsonc(body, path).value;
		// Dates and large integers are not looked at, only compared.
		return format === 'toml'
			? tomlLibrary().parse(body, { integersAsBigInt: 'asNeeded' })
			: (parseBoundedYaml(body) ?? {});
	} catch (error) {
		throw syntaxError(path, error);
	}
}

/** A server in the file of a client, as it is written. */
export interface WrittenEntry {
	readonly name: string;
	readonly value: unknown;
	/** Its position, in a list of servers. */
	readonly index?: number | undefined;
}

/** The servers under these keys, in an object or a list. Undefined when something else is there; none when nothing is. */
export function writtenEntries(value: unknown, keys: readonly string[]): WrittenEntry[] | undefined {
	let container: unknown = value;
	for (const key of keys) {
		if (!isObject(container)) return undefined;
		container = ownEntry(container, key);
		if (container === undefined || container === null) return [];
	}
	if (isObject(container)) return Object.entries(container).map(([name, inner]) => ({ name, value: inner }));
	if (!Array.isArray(container)) return undefined;
	return container.map((inner: unknown, index) => {
		const name = isObject(inner) && typeof inner['name'] === 'string' ? inner['name'] : `server-${index + 1}`;
		return { name, value: inner, index };
	});
}

/** Without the text around the error, which may be a secret. */
function syntaxError(path: string, error: unknown): OrchestraError {
	const { line, allowed } = OrchestraError.is(error)
		? error.data
		: { line: lineOf(error), allowed: undefined };
	// smol-toml adds the lines around the error.
	const [first = ''] = messageOf(error).split('\n');
	const sentence = typeof allowed === 'string' ? `expected ${allowed}` : first;
	const place = typeof line === 'number' ? `${path}:${line}` : path;
	return new OrchestraError('bad_input', `${place}: ${sentence}`, {
		hint: `Correct ${place}.`,
		data: { file: path, line },
		cause: error,
	});
}

function lineOf(error: unknown): unknown {
	return error instanceof Error && 'line' in error ? error.line : undefined;
}
