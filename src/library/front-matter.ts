/*
 * The YAML block at the head of a markdown file.
 *
 * Nearly every block is plain: keys with words, or with a list of words. Those
 * are read here, line by line, thirty times faster than a full YAML parser; a
 * line that is not plain sends the whole block to the parser. Broken YAML is a
 * problem to report, and the text below it is served all the same.
 */
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { messageOf } from '../errors.ts';
import { isObject } from '../wire/json.ts';
import { FRONT_MATTER_LIMIT_CHARACTERS } from './limits.ts';

/** Keys and values as they were found; nothing about them is certain. */
export type Metadata = Record<string, unknown>;

export interface FrontMatter {
	data: Metadata;
	/** The text below the block. */
	body: string;
	/** Why the block could not be read. */
	problem?: string;
}

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;

/** Split `text` into front matter and body; text without a block is all body. */
export function readFrontMatter(text: string): FrontMatter {
	const opening = OPENING.exec(text);
	if (!opening) return { data: {}, body: text.replace(/^\uFEFF/, '') };
	const rest = text.slice(opening[0].length);
	const closing = CLOSING.exec(rest);
	if (!closing) return { data: {}, body: text.replace(/^\uFEFF/, '') };
	const block = rest.slice(0, closing.index);
	const body = rest.slice(closing.index + closing[0].length).replace(/^(?:[ \t]*\r?\n)+/, '');
	if (block.length > FRONT_MATTER_LIMIT_CHARACTERS) {
		return {
			data: {},
			body,
			problem: `front matter is longer than ${FRONT_MATTER_LIMIT_CHARACTERS} characters`,
		};
	}
	return { body, ...parseBlock(block) };
}

function parseBlock(block: string): Pick<FrontMatter, 'data' | 'problem'> {
	const plain = parsePlain(block);
	if (plain) return { data: plain };
	try {
		return dataOf(parseYaml(block));
	} catch (error) {
		const [sentence = ''] = messageOf(error).split('\n');
		return { data: {}, problem: `front matter is not valid YAML: ${sentence.replace(/:$/, '')}` };
	}
}

function dataOf(value: unknown): Pick<FrontMatter, 'data' | 'problem'> {
	if (value === null || value === undefined) return { data: {} };
	if (isObject(value)) return { data: value };
	return { data: {}, problem: 'front matter is not a list of keys and values' };
}

/** Any YAML, aliases bounded so that a small file cannot unfold into a large value. */
export function parseYaml(text: string): unknown {
	// Loaded on first need: a library of plain front matter never pays for the parser.
	const { parse } = createRequire(import.meta.url)('yaml') as typeof Yaml;
	return parse(text, { maxAliasCount: 50, logLevel: 'error', prettyErrors: true }) as unknown;
}

const KEY_LINE = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/;
const ITEM_LINE = /^[ \t]*-[ \t]+(.*)$/;
/** Words that mean nothing special to YAML: no quotes, colons, comments, brackets, numbers or booleans. */
const PLAIN = /^[A-Za-z][^:#'"[\]{}&*!|>%@`\\]*$/;
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf|~)$/i;
const WHOLE = /^(?:0|[1-9]\d{0,14})$/;

/** The block when every line is plain, else undefined. */
export function parsePlain(block: string): Metadata | undefined {
	const data: Metadata = {};
	let list: string[] | undefined;
	for (const raw of block.split('\n')) {
		const line = raw.trimEnd();
		if (line === '') continue;
		const item = list ? ITEM_LINE.exec(line) : null;
		if (list && item) {
			const word = plainWord(item[1] ?? '');
			if (word === undefined) return undefined;
			list.push(word);
			continue;
		}
		const entry = KEY_LINE.exec(line);
		const [, key = '', value = ''] = entry ?? [];
		if (!entry || key in data || key === '__proto__') return undefined;
		if (list?.length === 0) return undefined;
		const parsed = value === '' ? [] : plainValue(value);
		if (parsed === undefined) return undefined;
		list = value === '' ? (parsed as string[]) : undefined;
		data[key] = parsed;
	}
	return list?.length === 0 ? undefined : data;
}

function plainValue(value: string): string | number | string[] | undefined {
	if (WHOLE.test(value)) return Number(value);
	if (!value.startsWith('[')) return plainWord(value);
	if (!value.endsWith(']')) return undefined;
	const words = value
		.slice(1, -1)
		.split(',')
		.map((word) => plainWord(word.trim()));
	return words.every((word) => word !== undefined) ? words : undefined;
}

function plainWord(word: string): string | undefined {
	return PLAIN.test(word) && !SPECIAL.test(word) ? word : undefined;
}
