/*
 * The YAML block at the head of a markdown file.
 *
 * Nearly every block is plain: keys with words, with a list of words, or with a list of
 * such keys (the arguments of a prompt). Those are read here, line by line, thirty times
 * faster than a full YAML parser, which takes a tenth of a second to load; a line that is
 * not plain sends the whole block to the parser. Broken YAML is a
 * problem to report, and the text below it is served all the same.
 */
import { messageOf } from '../../errors.ts';
import { parseBoundedYaml } from '../../files/bounded-yaml.ts';
import { copyString } from '../../search/text/copy-string.ts';
import { isObject } from '../../wire/json.ts';
import { FRONT_MATTER_LIMIT_CHARACTERS } from './library-limits.ts';

/** Keys and values as they were found, unchecked. */
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
	const block = copyString(rest.slice(0, closing.index));
	const body = withoutBlankLines(rest.slice(closing.index + closing[0].length));
	if (block.length > FRONT_MATTER_LIMIT_CHARACTERS) {
		return {
			data: {},
			body,
			problem: `front matter is longer than ${FRONT_MATTER_LIMIT_CHARACTERS} characters`,
		};
	}
	return { body, ...parseBlock(block) };
}

/** Without regular expressions that repeat a group: four megabytes of newlines exhaust their stack. */
function withoutBlankLines(text: string): string {
	const first = text.search(/[^ \t\r\n]/);
	return text.slice(text.lastIndexOf('\n', first === -1 ? text.length : first) + 1);
}

function parseBlock(block: string): Pick<FrontMatter, 'data' | 'problem'> {
	const plain = parsePlain(block);
	if (plain) return { data: plain };
	try {
		return dataOf(parseBoundedYaml(block));
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

const KEY_LINE = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/;
const ITEM_LINE = /^( *)-([ \t]+)(.*)$/;
const LETTER = /^[A-Za-z]/;
/** What makes a line of words more than that: a key, a comment. */
const SPECIAL = /:(?!\S)|[ \t]#/;
/** The same between brackets, where more characters mean something. */
const SPECIAL_IN_LIST = /[:#'"[\]{}&*!|>%@`\\]/;
const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/;
const WHOLE = /^(?:0|[1-9]\d{0,14})$/;
/** White space and line ends that YAML takes for something else than we do. */
const UNUSUAL_SPACE = /[^\S \t\r\n]|\r(?!\n)/;

/** Words that are values. */
const constants: ReadonlyMap<string, boolean | null> = new Map([
	...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
	...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
	...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);

const LONGEST_CONSTANT = 'false'.length;

/** The block when every line is plain, else undefined. */
export function parsePlain(block: string): Metadata | undefined {
	if (UNUSUAL_SPACE.test(block)) return undefined;
	const data: Metadata = {};
	let list: PlainList | undefined;
	for (const raw of block.split('\n')) {
		const line = raw.trimEnd();
		if (line === '') continue;
		const took = list?.take(line);
		if (took === 'refused') return undefined;
		if (took === 'taken') continue;
		const entry = KEY_LINE.exec(line);
		const [, key = '', value = ''] = entry ?? [];
		if (!entry || !isNewKey(key, data) || list?.items.length === 0) return undefined;
		list = value === '' ? new PlainList() : undefined;
		data[key] = list?.items ?? plainValue(value);
		if (data[key] === undefined) return undefined;
	}
	return list?.items.length === 0 ? undefined : data;
}

function isNewKey(key: string, data: Metadata): boolean {
	return !(key in data) && key !== '__proto__' && !constants.has(key);
}

/** The list below a key: words, or keys with a word or a list of words each. */
class PlainList {
	readonly items: unknown[] = [];
	#indent = '';
	/** The item whose further keys may follow, and how far they are indented. */
	#open: { readonly data: Metadata; readonly indent: string } | undefined;

	/** Take a line of the list; `other` is a line below it. */
	take(line: string): 'taken' | 'other' | 'refused' {
		const item = ITEM_LINE.exec(line);
		const [, before = '', space = '', word = ''] = item ?? [];
		if (!item) return this.#takeKey(line);
		if (this.items.length === 0) this.#indent = before;
		if (before !== this.#indent || space.includes('\t')) return 'refused';
		this.#open = undefined;
		if (!SPECIAL.test(word) || QUOTED.test(word)) return this.#push(plainWord(word, SPECIAL));
		this.#open = { data: {}, indent: `${before} ${space}` };
		return this.#takeEntry(word, this.#open.data) ? this.#push(this.#open.data) : 'refused';
	}

	/** A further key of the last item. */
	#takeKey(line: string): 'taken' | 'other' | 'refused' {
		if (!line.startsWith(' ')) return 'other';
		if (!this.#open || !line.startsWith(this.#open.indent)) return 'refused';
		return this.#takeEntry(line.slice(this.#open.indent.length), this.#open.data) ? 'taken' : 'refused';
	}

	#takeEntry(text: string, data: Metadata): boolean {
		const [, key = '', word = ''] = KEY_LINE.exec(text) ?? [];
		if (key === '' || !isNewKey(key, data)) return false;
		data[key] = plainValue(word);
		return data[key] !== undefined;
	}

	#push(value: unknown): 'taken' | 'refused' {
		this.items.push(value);
		return value === undefined ? 'refused' : 'taken';
	}
}

function plainValue(value: string): unknown {
	if (!value.startsWith('[')) return plainWord(value, SPECIAL);
	if (!value.endsWith(']')) return undefined;
	const values: unknown[] = [];
	for (const part of value.slice(1, -1).split(',')) {
		const word = plainWord(part.trim(), SPECIAL_IN_LIST);
		if (word === undefined) return undefined;
		values.push(word);
	}
	return values;
}

/** The value of a word, undefined when that takes a full parser. */
function plainWord(word: string, special: RegExp): string | number | boolean | null | undefined {
	if (LETTER.test(word)) {
		if (special.test(word)) return undefined;
		const constant = word.length <= LONGEST_CONSTANT ? constants.get(word) : undefined;
		return constant === undefined ? word : constant;
	}
	if (QUOTED.test(word)) return word.slice(1, -1);
	return WHOLE.test(word) ? Number(word) : undefined;
}
