/*
 * JSON that is passed on as it was written: look into a text, change a member of it, embed it
 * into a message.
 *
 * Everything here is built on the scanner that views of messages use, so a text has one
 * reading. The texts were parsed before, or a `SyntaxError` is thrown.
 */
import { JsonScanner, type ScannedMember } from './json-scanner.ts';

/** Reused: it holds nothing between two texts. */
const scanner = new JsonScanner();
const nothing: readonly ScannedMember[] = [];
const BYTE_ORDER_MARK = '\uFEFF';
const CLOSES = /\s*[\]}]/y;

/** More than fifteen digits, a zero at the end of a fraction, an exponent. */
const REWRITTEN_NUMBER = /\d(?:[\d.]{15}|\.\d*0[\s,}\]]|(?:\.\d+)?[eE][+-]?\d+[\s,}\]])/;
/** How many levels of a value keep their text: a list has its page, its items and their members. */
const EXACT_LEVELS = 4;

/** JSON that is written as it was read. Our encoder writes its text; any other one writes its value. */
export class JsonText {
	/** The text on one line. */
	readonly text: string;
	#value: unknown;

	/** @param text must be well-formed @param value what it means, when that is known */
	constructor(text: string, value?: unknown) {
		this.text = oneLine(text);
		this.#value = value;
	}

	/** Parsed on first use. */
	get value(): unknown {
		this.#value ??= JSON.parse(this.text);
		return this.#value;
	}

	/**
	 * The value, whose parts may be copied into other values: those with numbers that our encoder would write in another
	 * way (`1.0`, many digits) have a hidden `toJSON`, which writes them as they were written. A copy of a part has none.
	 */
	get exact(): unknown {
		try {
			keepNumbers(this.value, this.text, EXACT_LEVELS);
		} catch {
			// Nested too deeply for the scanner: the numbers there are encoded.
		}
		return this.value;
	}

	toJSON(): unknown {
		return embedText(this.text) ?? this.value;
	}
}

/** A JSON text on one line: a line break would end the line that it is written to; JSON has them between values only. */
export function oneLine(text: string): string {
	return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, ' ') : text;
}

/** Whether a text has a number that `JSON.stringify` would write in another way, such as `1.0`. It may be in a string. */
export function rewritesNumbers(text: string): boolean {
	return REWRITTEN_NUMBER.test(text);
}

function keepNumbers(value: unknown, text: string | undefined, levels: number): void {
	if (typeof value !== 'object' || value === null || text === undefined || levels === 0) return;
	if (!rewritesNumbers(text) || Object.hasOwn(value, 'toJSON')) return;
	const copy = (): object => (Array.isArray(value) ? [...value] : { ...value });
	Object.defineProperty(value, 'toJSON', { value: () => embedText(text) ?? copy() });
	const parts = Array.isArray(value) ? elementsOf(text).entries() : memberStrings(text);
	for (const [key, part] of parts) keepNumbers(Reflect.get(value, key), part, levels - 1);
}

/** What our encoder replaces by `text`; undefined in any other encoder. */
function embedText(text: string): string | undefined {
	if (!isEncoding) return undefined;
	// Created on first use: few processes need it.
	placeholder ??= `exact:${crypto.randomUUID()}:`;
	return `${placeholder}${embedded.push(text) - 1}`;
}

/** `JSON.stringify` cannot write raw text, so an unguessable placeholder string is written first. */
let placeholder: string | undefined;
let isEncoding = false;
let embedded: string[] = [];

/** The JSON text of a value, with texts in it as they were written. */
export function encodeJson(value: unknown): string {
	return jsonOf(value) ?? 'null';
}

/** The same; undefined for a value that JSON does not have, such as a function. */
export function jsonOf(value: unknown): string | undefined {
	isEncoding = true;
	try {
		const text = JSON.stringify(value);
		if (embedded.length === 0) return text;
		return text.replace(
			new RegExp(`"${placeholder}(\\d+)"`, 'g'),
			(_all, at: string) => embedded[Number(at)] ?? 'null',
		);
	} finally {
		isEncoding = false;
		if (embedded.length > 0) embedded = [];
	}
}

/**
 * A value of a message as it was written: a number that a double changes is a `JsonText`, an object or array is `exact`.
 * @param text the message; `path` leads to the value in it
 */
export function exactly(value: unknown, text: string, ...path: string[]): unknown {
	// `-0` is a safe integer, and is written as `0`.
	if (typeof value === 'number' && (!Number.isSafeInteger(value) || Object.is(value, -0))) {
		const digits = textAt(text, ...path);
		return digits === undefined || digits === String(value) ? value : new JsonText(digits);
	}
	if (typeof value !== 'object' || value === null || !rewritesNumbers(text)) return value;
	const written = textAt(text, ...path);
	return written === undefined ? value : new JsonText(written, value).exact;
}

/** The text of the member at `path`; undefined when it is absent, or the text is no JSON. The last of two equal names counts, as in `JSON.parse`. */
export function textAt(text: string, ...path: string[]): string | undefined {
	if (path.length === 0) return text;
	try {
		const [start = -1, end = -1] = spansAlong(text, path).slice(-2);
		return start === -1 ? undefined : text.slice(start, end);
	} catch {
		return undefined; // no JSON, or nested too deeply for the scanner
	}
}

/** An object text with the member at `path` set, and everything else as it was written. Unchanged when something on the path is not an object. */
export function withMember(text: string, path: readonly string[], json: string): string {
	const spans = spansAlong(text, path);
	const depth = path.findIndex((_name, at) => spans[2 * at] === -1);
	if (depth === -1) return text.slice(0, spans.at(-2)) + json + text.slice(spans.at(-1));
	const start = depth === 0 ? text.search(/\S/) : (spans[2 * depth - 2] ?? 0);
	const end = depth === 0 ? text.lastIndexOf('}') : (spans[2 * depth - 1] ?? 0) - 1;
	if (text[start] !== '{') return text;
	const added = path.slice(depth).reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, json);
	const separator = closesAt(text, start + 1) ? '' : ',';
	return `${text.slice(0, end).trimEnd()}${separator}${added.slice(1, -1)}${text.slice(end)}`;
}

/** An object text without the members at these paths, and everything else as it was written. */
export function withoutMembers(text: string, paths: readonly (readonly string[])[]): string {
	if (!text.trimStart().startsWith('{')) return text;
	const remaining = memberSpans(text).flatMap(({ name, at, start, end }) => {
		const inner = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
		if (inner.some((rest) => rest.length === 0)) return [];
		if (inner.length === 0) return text.slice(at, end);
		return text.slice(at, start) + withoutMembers(text.slice(start, end), inner);
	});
	return `{${remaining.join(',')}}`;
}

/** The texts of the elements of an array. */
export function elementsOf(text: string): string[] {
	return elementSpans(text).map(({ start, end }) => text.slice(start, end).trim());
}

/** Where a value is in a text, with the blanks around it. */
export interface ValueSpan {
	readonly start: number;
	readonly end: number;
}

/** The elements of an array text. */
export function elementSpans(text: string): ValueSpan[] {
	const elements: ValueSpan[] = [];
	let start = text.indexOf('[') + 1;
	while (!(elements.length === 0 && closesAt(text, start))) {
		const end = scanner.scan(text, start, nothing, []);
		elements.push({ start, end });
		if (text[end] !== ',') break;
		start = end + 1;
	}
	return elements;
}

/** The texts of the members of an object. The last of two equal names counts. */
function memberStrings(text: string): Map<string, string> {
	return new Map(memberSpans(text).map(({ name, start, end }) => [name, text.slice(start, end).trim()]));
}

/** A member of an object text. */
export interface MemberSpan extends ValueSpan {
	readonly name: string;
	/** Where its name is. */
	readonly at: number;
}

/** The members of an object text, in their order. */
export function memberSpans(text: string): MemberSpan[] {
	const members: MemberSpan[] = [];
	let at = text.indexOf('{') + 1;
	while (!(members.length === 0 && closesAt(text, at))) {
		const colon = scanner.scan(text, at, nothing, []);
		const written = text.slice(at, colon).trim();
		// A name is a string.
		const name = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
		const end = scanner.scan(text, colon + 1, nothing, []);
		members.push({ name, at, start: colon + 1, end });
		if (text[end] !== ',') break;
		at = end + 1;
	}
	return members;
}

/** The start and the end of each member along a path of names; -1 where it is absent. */
function spansAlong(text: string, path: readonly string[]): number[] {
	const spans = path.flatMap(() => [-1, -1]);
	const members = path.reduceRight<readonly ScannedMember[]>(
		(inner, name, slot) => [{ name, slot, inner }],
		nothing,
	);
	const end = scanner.scan(text, text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, members, spans);
	if (end !== text.length) throw new SyntaxError(`unexpected text after the JSON value at position ${end}`);
	return spans;
}

/** Whether a container is empty: `at` is behind its opening character. */
function closesAt(text: string, at: number): boolean {
	CLOSES.lastIndex = at;
	return CLOSES.test(text);
}
