/*
 * A part of JSON that is JSON: as many elements and members as fit, each as the server wrote it.
 *
 * An array retains its first elements whole; only an element that alone is too long is cut itself. An
 * object retains its small members and shares the room among the large ones; one with very many retains
 * its first. A string retains its beginning and says how much follows. What was cut is reported by
 * its path.
 */
import { elementSpans, memberSpans } from '../../wire/json-text.ts';
import { count1000 } from './json-shape.ts';
import { CUT_LEVELS, ENDING_CHARACTERS, NUMBER_CHARACTERS, PATH_CHARACTERS } from './result-limits.ts';

/** Members of an object that share the room need at least this many characters each. */
const LEAST_MEMBER = 32;

/** The part that was left out at one place. */
export interface CutPart {
	/** A path of JMESPath; empty for the whole. */
	readonly path: string;
	readonly unit: 'items' | 'keys' | 'characters';
	readonly shown: number;
	readonly total: number;
}

export interface CutJson {
	readonly text: string;
	readonly parts: readonly CutPart[];
}

/** JSON of at most about `limit` characters. The text must be well-formed JSON. */
export function cutJson(text: string, limit: number): CutJson {
	const parts: CutPart[] = [];
	return { text: new Cutter(parts).cut(text.trim(), limit, '', 0), parts };
}

class Cutter {
	readonly #parts: CutPart[];

	constructor(parts: CutPart[]) {
		this.#parts = parts;
	}

	cut(text: string, limit: number, path: string, level: number): string {
		if (text.length <= limit) return text;
		if (text.startsWith('"')) return this.#string(text, limit, path);
		if (text.startsWith('[')) return this.#array(text, limit, path, level);
		if (text.startsWith('{')) return this.#object(text, limit, path, level);
		if (text.length <= NUMBER_CHARACTERS) return text;
		// A number of thousands of digits.
		this.#parts.push({ path, unit: 'characters', shown: 0, total: text.length });
		return 'null';
	}

	#array(text: string, limit: number, path: string, level: number): string {
		const all = elementSpans(text);
		const elements = level < CUT_LEVELS ? all : [];
		const close = /\s*\]$/.exec(text.slice(-ENDING_CHARACTERS))?.[0] ?? ']';
		const shown = elements.filter(({ end }) => end + close.length <= limit).length;
		const last = elements[shown - 1];
		const [first] = elements;
		this.#parts.push({ path, unit: 'items', shown: last || !first ? shown : 1, total: all.length });
		if (last) return `${text.slice(0, last.end).trimEnd()}${close}`;
		if (!first) return `[${close}`;
		const head = text.slice(0, valueAt(text, first.start));
		const room = Math.max(0, limit - head.length - close.length);
		const value = text.slice(first.start, first.end).trim();
		return `${head}${this.cut(value, room, `${path}[0]`, level + 1)}${close}`;
	}

	#object(text: string, limit: number, path: string, level: number): string {
		const all = memberSpans(text);
		const members = level < CUT_LEVELS ? all : [];
		const close = /\s*\}$/.exec(text.slice(-ENDING_CHARACTERS))?.[0] ?? '}';
		const room = limit - 1 - close.length;
		const isShared = members.length * LEAST_MEMBER <= room;
		const sizes = members.map(({ at, end }) => end - at + 1);
		const share = isShared ? fairShare(sizes, room) : room;
		const shownMembers: string[] = [];
		let left = room;
		for (const [index, { name, at, start, end }] of members.entries()) {
			const size = sizes[index] ?? 0;
			// The last member is followed by the blanks before the brace.
			const whole = index === members.length - 1 ? text.slice(at, end).trimEnd() : text.slice(at, end);
			if (size <= Math.min(share, left)) shownMembers.push(whole);
			else if (!isShared && shownMembers.length > 0) break;
			else {
				const head = text.slice(at, valueAt(text, start));
				const own = Math.min(share, left) - head.length - 1;
				// Its name alone is too long.
				if (own < 0) continue;
				const value = text.slice(start, end).trim();
				shownMembers.push(`${head}${this.cut(value, own, memberPath(path, name), level + 1)}`);
			}
			left -= Math.min(size, share);
		}
		if (shownMembers.length < all.length)
			this.#parts.push({ path, unit: 'keys', shown: shownMembers.length, total: all.length });
		return `{${shownMembers.join(',')}${close}`;
	}

	/** Cut a string, but not inside an escape or a surrogate pair. */
	#string(text: string, limit: number, path: string): string {
		const mark = `… (${count1000(text.length - 2)} characters)`;
		const room = Math.max(0, limit - mark.length - 2);
		const inner = text.slice(1, 1 + room);
		const open = OPEN_END.exec(inner)?.[1]?.length ?? 0;
		const whole = inner.slice(0, inner.length - open).replace(/[\uD800-\uDBFF]$/, '');
		this.#parts.push({ path, unit: 'characters', shown: whole.length, total: text.length - 2 });
		return `"${whole}${mark}"`;
	}
}

/** The first half of a surrogate pair, a part of an escape, or both, behind an even number of backslashes, which are complete. */
const OPEN_END = /(?<!\\)(?:\\\\)*((?:\\u[dD][89abAB][\da-fA-F]{2})?(?:\\(?:u[\da-fA-F]{0,3})?)?)$/;

/** Where a value begins that has blanks before it. */
function valueAt(text: string, start: number): number {
	return start + text.slice(start, start + ENDING_CHARACTERS).search(/\S|$/);
}

/** The size up to which every member gets what it needs, so that all fit. */
function fairShare(sizes: readonly number[], room: number): number {
	let left = room;
	const sorted = [...sizes].sort((a, b) => a - b);
	for (const [index, size] of sorted.entries()) {
		const share = Math.floor(left / (sorted.length - index));
		if (size > share) return share;
		left -= size;
	}
	return room;
}

/** The path of a member in JMESPath. */
export function memberPath(path: string, name: string): string {
	const own = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
	return path === '' ? own : `${path}.${own}`;
}

/** The beginning of a path that is long: a name may have any length. */
export function shortPath(path: string): string {
	return path.length > PATH_CHARACTERS ? `${path.slice(0, PATH_CHARACTERS)}…` : path;
}
