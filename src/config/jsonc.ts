/*
 * A parser for JSON with comments and trailing commas that records the line of every key.
 *
 * `JSON.parse` has no line numbers, which configuration errors need. Strings and numbers
 * are passed to `JSON.parse`, so that escapes mean exactly what they mean in JSON.
 */
import { NESTING_DEPTH } from '../core-limits.ts';
import { attempt, OrchestraError } from '../errors.ts';
import { parseBoundedJson } from '../files/value-bounds.ts';
import type { JsonValue } from '../wire/json.ts';

/** A parsed file: its value, and the line of each part. */
export interface JsonDocument {
	readonly value: JsonValue;
	/** The 1-based line of the value at `path`, or of its nearest existing parent. */
	lineOf(path: readonly string[]): number;
}

/** A value in the text of a file, by offsets that leave out a byte order mark. */
export interface JsonNode {
	readonly value: JsonValue;
	/** Where its entry in the object or array begins: at its key, or at the value itself. */
	readonly from: number;
	readonly start: number;
	readonly end: number;
	/** The 1-based line of the value. */
	readonly line: number;
	/** Keyed by key or index, in the order of the text. */
	readonly children: ReadonlyMap<string, JsonNode>;
}

/** Parse the text of `file`. Throws `bad_input` naming file, line, what was found and what was expected. */
export function parseJsonc(text: string, file: string): JsonDocument {
	const plain = parsePlain(text);
	let tree = plain === undefined ? parseJsonTree(text, file) : undefined;
	const value = plain ?? tree?.value ?? null;
	return { value, lineOf: (path) => nodesTo((tree ??= parseJsonTree(text, file)), path).at(-1)?.line ?? 1 };
}

/** The same as `parseJsonc`, with the place of every value. */
export function parseJsonTree(text: string, file: string): JsonNode {
	return new Parser(text, file).document();
}

/** The nodes on the way to `path`, the root first, as far as they exist. */
export function nodesTo(root: JsonNode, path: readonly string[]): JsonNode[] {
	const nodes = [root];
	for (const key of path) {
		const next = nodes.at(-1)?.children.get(key);
		if (next === undefined) break;
		nodes.push(next);
	}
	return nodes;
}

/** JSON without comments is parsed by V8, which is many times faster; its lines are found when they are needed. */
function parsePlain(text: string): JsonValue | undefined {
	// It has comments, or a mistake that the parser explains.
	return attempt(() => parseBoundedJson(text) as JsonValue);
}

class Parser {
	readonly #text: string;
	readonly #file: string;
	#at = 0;
	#line = 1;

	constructor(text: string, file: string) {
		this.#text = text.replace(/^\uFEFF/, '');
		this.#file = file;
	}

	document(): JsonNode {
		this.#skipBlank();
		const node = this.#node(this.#at, 0);
		this.#skipBlank();
		if (this.#at < this.#text.length) this.#fail('the end of the file');
		return node;
	}

	#node(from: number, depth: number): JsonNode {
		this.#skipBlank();
		const [start, line] = [this.#at, this.#line];
		if (depth > NESTING_DEPTH) this.#fail(`at most ${NESTING_DEPTH} levels`);
		const children = new Map<string, JsonNode>();
		const value = this.#value(children, depth + 1);
		return { value, from, start, end: this.#at, line, children };
	}

	#value(children: Map<string, JsonNode>, depth: number): JsonValue {
		const char = this.#text[this.#at];
		if (char === '{') {
			this.#members(children, depth);
			return Object.fromEntries([...children].map(([key, { value }]) => [key, value]));
		}
		if (char === '[') {
			this.#elements(children, depth);
			return [...children.values()].map(({ value }) => value);
		}
		return char === '"' ? this.#string() : this.#word();
	}

	#members(children: Map<string, JsonNode>, depth: number): void {
		for (this.#at++; this.#peek() !== '}'; ) {
			const from = this.#at;
			if (this.#text[from] !== '"') this.#fail('a key in double quotes or }');
			const key = this.#string();
			if (!this.#takes(':')) this.#fail(': after the key');
			children.delete(key); // the last of equal keys counts
			children.set(key, this.#node(from, depth));
			if (!this.#takes(',') && this.#peek() !== '}') this.#fail(', or }');
		}
		this.#at++;
	}

	#elements(children: Map<string, JsonNode>, depth: number): void {
		for (this.#at++; this.#peek() !== ']'; ) {
			children.set(String(children.size), this.#node(this.#at, depth));
			if (!this.#takes(',') && this.#peek() !== ']') this.#fail(', or ]');
		}
		this.#at++;
	}

	#string(): string {
		const start = this.#at;
		for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
			const char = this.#text[this.#at];
			if (char === undefined || char === '\n') this.#fail('the closing " of the string');
			if (char === '\\') this.#at++;
		}
		this.#at++;
		// JSON that starts with a quote can only be a string.
		return this.#scalar(start, this.#text.slice(start, this.#at)) as string;
	}

	#word(): JsonValue {
		const start = this.#at;
		const [word = ''] = /^[\w.+-]*/.exec(this.#text.slice(start, start + 64)) ?? [];
		this.#at += word.length;
		return this.#scalar(start, word);
	}

	#scalar(start: number, text: string): JsonValue {
		try {
			// Parsed JSON is a JSON value.
			return JSON.parse(text) as JsonValue;
		} catch {
			this.#at = start;
			return this.#fail('a JSON value');
		}
	}

	#takes(char: string): boolean {
		if (this.#peek() !== char) return false;
		this.#at++;
		this.#skipBlank();
		return true;
	}

	#peek(): string | undefined {
		this.#skipBlank();
		return this.#text[this.#at];
	}

	#skipBlank(): void {
		const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
		blank.lastIndex = this.#at;
		const [skipped = ''] = blank.exec(this.#text) ?? [];
		this.#at += skipped.length;
		for (const char of skipped) if (char === '\n') this.#line++;
	}

	#fail(expected: string): never {
		const rest = this.#text.slice(this.#at, this.#at + 20).split('\n')[0] ?? '';
		const found = this.#at >= this.#text.length ? 'the end of the file' : JSON.stringify(rest);
		throw new OrchestraError(
			'bad_input',
			`${this.#file}:${this.#line}: expected ${expected}, found ${found}`,
			{
				hint: `Correct line ${this.#line} of ${this.#file}.`,
				data: { file: this.#file, line: this.#line, found, allowed: expected },
			},
		);
	}
}
