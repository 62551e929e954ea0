/*
 * Parse and write JSON so that numbers keep their digits.
 *
 * A number whose value a double has (`1.50`) is a number, and is written as it was spelled; where
 * one value has several spellings in a text, as the shortest. A number that a double would change
 * (`12345678901234567890`) is a text with a mark that no server can know: it is equal to the same
 * number in an expression, and is written without quotes, and without the mark in strings that an
 * expression makes of it.
 */
import { randomUUID } from 'node:crypto';
import { rewritesNumbers } from '../../../wire/json-text.ts';

const ID: string = randomUUID();
/** The mark before the digits of a number that a double would change. */
const MARK = `\u0000${ID}:`;
/** Such a number in a text that is JSON. */
const IN_JSON = new RegExp(`"\\\\u0000${ID}:([^"]*)"`, 'g');
const DIGITS = /^-?\d[\d.eE+-]*$/;
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

export class ExactJson {
	/** How the numbers of the text are spelled that `String` writes in another way; '' where there are several ways. */
	readonly #spellings = new Map<number, string>();
	readonly value: unknown;

	/** Throws `SyntaxError`. */
	constructor(text: string) {
		this.value = JSON.parse(rewritesNumbers(text) ? this.#marked(text) : text);
	}

	/** JSON of a value that was made of this one; throws `RangeError` when it is longer than `limit` or too deep. */
	encode(value: unknown, limit: number): string {
		const written = new Written(limit);
		this.#write(value, written);
		return written.text;
	}

	#marked(text: string): string {
		const canonical = new Set<number>();
		const marked = text.replace(TOKENS, (token) => {
			if (token.startsWith('"')) return token;
			const number = Number(token);
			const usual = String(number);
			if (usual === token) canonical.add(number);
			else if (!isExact(token)) return JSON.stringify(MARK + token);
			else {
				const known = this.#spellings.get(number);
				this.#spellings.set(number, known === undefined || known === token ? token : '');
			}
			return token;
		});
		for (const number of this.#spellings.keys()) if (canonical.has(number)) this.#spellings.set(number, '');
		return marked;
	}

	#write(value: unknown, written: Written): void {
		if (typeof value === 'number') written.add(this.#spellings.get(value) || JSON.stringify(value));
		else if (isMarked(value)) written.add(value.slice(MARK.length));
		else if (typeof value === 'string') written.add(JSON.stringify(withoutMarks(value)));
		else if (Array.isArray(value)) {
			written.add('[');
			for (const [at, each] of value.entries()) {
				if (at > 0) written.add(',');
				this.#write(each, written);
			}
			written.add(']');
		} else if (typeof value === 'object' && value !== null) {
			written.add('{');
			let separator = '';
			for (const name of Object.keys(value)) {
				written.add(`${separator}${JSON.stringify(name)}:`);
				this.#write(Reflect.get(value, name), written);
				separator = ',';
			}
			written.add('}');
		} else written.add(JSON.stringify(value) ?? 'null');
	}
}

/** Whether a value is a number that a double would change. */
export function isMarked(value: unknown): value is string {
	return typeof value === 'string' && value.startsWith(MARK) && DIGITS.test(value.slice(MARK.length));
}

function withoutMarks(text: string): string {
	return text.includes(ID) ? text.replace(IN_JSON, '$1').replaceAll(MARK, '') : text;
}

/** An expression whose number literals are marked like those of a text. */
export function markedLiterals(expression: string): string {
	return expression.replace(/`\s*(-?\d[\d.eE+-]*)\s*`/g, (literal, digits: string) =>
		isExact(digits) ? literal : `\`${JSON.stringify(MARK + digits)}\``,
	);
}

/** Whether a double has the value of these digits. */
function isExact(digits: string): boolean {
	return decimal(digits) === decimal(String(Number(digits)));
}

/** The same text for the same value. */
function decimal(digits: string): string {
	const [, sign = '', whole = '', fraction = '', exponent = '0'] =
		/^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits) ?? [];
	const all = (whole + fraction).replace(/^0+/, '');
	const significant = all.replace(/0+$/, '');
	if (significant === '') return '0';
	return `${sign}${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`;
}

/** Text that is counted while it is written. */
class Written {
	readonly #pieces: string[] = [];
	readonly #limit: number;
	#length = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	add(piece: string): void {
		this.#length += piece.length;
		if (this.#length > this.#limit) throw new RangeError(`more than ${this.#limit} characters`);
		this.#pieces.push(piece);
	}

	get text(): string {
		return this.#pieces.join('');
	}
}
