/*
 * A parser for JSON with comments and trailing commas that records the line of every key.
 *
 * `JSON.parse` has no line numbers, which configuration errors need. Strings and numbers
 * are passed to `JSON.parse`, so that escapes mean exactly what they mean in JSON.
 */
import { OrchestraError } from '../errors.ts';
import { parseBoundedJson } from '../files/value-bounds.ts';
import type { JsonValue } from '../wire/json.ts';

/** A parsed file: its value, and the line of each part. */
export interface JsonDocument {
	readonly value: JsonValue;
	/** The 1-based line of the value at `path`, or of its nearest existing parent. */
	lineOf(path: readonly string[]): number;
}

/** Depth limit of arrays and objects. */
const DEPTH_LIMIT = 100;

/** Parse the text of `file`. Throws `bad_input` naming file, line, what was found and what was expected. */
export function parseJsonc(text: string, file: string): JsonDocument {
	const plain = parsePlain(text);
	if (plain !== undefined) {
		let lines: ReadonlyMap<string, number> | undefined;
		return { value: plain, lineOf: (path) => nearestLine((lines ??= linesOf(text, file)), path) };
	}
	const parser = new Parser(text, file);
	const value = parser.document();
	return { value, lineOf: (path) => nearestLine(parser.lines, path) };
}

/** JSON without comments is parsed by V8, which is many times faster; its lines are found when they are needed. */
function parsePlain(text: string): JsonValue | undefined {
	try {
		return parseBoundedJson(text, { depth: DEPTH_LIMIT }) as JsonValue;
	} catch {
		return undefined; // comments, or a mistake that the parser explains
	}
}

function linesOf(text: string, file: string): ReadonlyMap<string, number> {
	const parser = new Parser(text, file);
	parser.document();
	return parser.lines;
}

function nearestLine(lines: ReadonlyMap<string, number>, path: readonly string[]): number {
	for (let length = path.length; length > 0; length--) {
		const line = lines.get(keyOf(path.slice(0, length)));
		if (line !== undefined) return line;
	}
	return 1;
}

function keyOf(path: readonly string[]): string {
	return path.join('\0');
}

class Parser {
	readonly lines = new Map<string, number>();
	readonly #text: string;
	readonly #file: string;
	readonly #path: string[] = [];
	#at = 0;
	#line = 1;

	constructor(text: string, file: string) {
		this.#text = text.replace(/^\uFEFF/, '');
		this.#file = file;
	}

	document(): JsonValue {
		const value = this.#value();
		this.#skipBlank();
		if (this.#at < this.#text.length) this.#fail('the end of the file');
		return value;
	}

	#value(): JsonValue {
		this.#skipBlank();
		this.lines.set(keyOf(this.#path), this.#line);
		if (this.#path.length > DEPTH_LIMIT) this.#fail(`at most ${DEPTH_LIMIT} levels`);
		const char = this.#text[this.#at];
		if (char === '{') return Object.fromEntries(this.#members());
		if (char === '[') return [...this.#elements()];
		if (char === '"') return this.#string();
		return this.#word();
	}

	*#members(): Generator<[string, JsonValue]> {
		this.#at++;
		while (!this.#takes('}')) {
			if (this.#text[this.#at] !== '"') this.#fail('a key in double quotes or }');
			const key = this.#string();
			if (!this.#takes(':')) this.#fail(': after the key');
			this.#path.push(key);
			yield [key, this.#value()];
			this.#path.pop();
			if (!this.#takes(',') && this.#peek() !== '}') this.#fail(', or }');
		}
	}

	*#elements(): Generator<JsonValue> {
		this.#at++;
		for (let index = 0; !this.#takes(']'); index++) {
			this.#path.push(String(index));
			yield this.#value();
			this.#path.pop();
			if (!this.#takes(',') && this.#peek() !== ']') this.#fail(', or ]');
		}
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
