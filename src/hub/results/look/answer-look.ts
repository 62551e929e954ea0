/*
 * Answers a query about a text, within a number of characters.
 *
 * It runs in a thread of its own, which is ended at its deadline: an expression or a pattern may
 * take any time. Records of JSON and of tables are one line of JSON each. In JSON `grep` searches the
 * leaves, and shows the path of each, which a `select` can use.
 */
import { search } from '@aws-lambda-powertools/jmespath';
import { messageOf, OrchestraError } from '../../../errors.ts';
import { BoundedPattern } from '../../../schema/bounded-pattern.ts';
import { cutJson, shortPath } from '../cut-json.ts';
import { firstPart, lastPart, wellFormed } from '../cut-text.ts';
import { count1000, shapeOf } from '../json-shape.ts';
import { ABOUT_CHARACTERS, SELECTED_CHARACTERS, SHAPE_CHARACTERS } from '../result-limits.ts';
import { markedLiterals } from './exact-numbers.ts';
import { beginning, type IsMatch, type LineSearch, leafLines, matchingPieces } from './line-search.ts';
import { LookDocument } from './look-document.ts';
import type { LookAnswer, LookRequest } from './look-request.ts';

/** Throws `bad_input` for a query that this text has no answer to. */
export function answerLook(text: string, request: LookRequest, limit: number): LookAnswer {
	const looker = new Looker(new LookDocument(text), Math.max(ABOUT_CHARACTERS, limit - ABOUT_CHARACTERS));
	const { text: found, about } = looker.answer(request);
	return { text: wellFormed(found), about: wellFormed(about) };
}

/** Records or lines, by their number from 0. */
interface Rows {
	readonly total: number;
	readonly unit: string;
	readonly row: (at: number) => string;
}

class Looker {
	readonly #document: LookDocument;
	readonly #limit: number;
	#found: Rows | undefined;

	constructor(document: LookDocument, limit: number) {
		this.#document = document;
		this.#limit = limit;
	}

	answer(request: LookRequest): LookAnswer {
		const { op, lines, from, to } = request;
		switch (op) {
			case 'head':
				return this.#range(1, lines);
			case 'tail':
				return this.#tail(lines);
			case 'range':
				return this.#range(from, to);
			case 'grep':
				return this.#grep(request);
			case 'select':
				return this.#selected(this.#select(request.select ?? '@'));
			case 'count':
				return this.#count(request);
			case 'distinct':
				return this.#distinct(request);
		}
	}

	/** Found when it is needed. */
	get #rows(): Rows {
		this.#found ??= this.#findRows();
		return this.#found;
	}

	#findRows(): Rows {
		const { records, lines, json } = this.#document;
		if (records === undefined) return { total: lines.length, unit: 'lines', row: (at) => lines[at] ?? '' };
		const unit = records.path === '' ? 'records' : `records of ${shortPath(records.path)}`;
		const row = (at: number): string => json.encode(records.items[at], SELECTED_CHARACTERS);
		return { total: records.items.length, unit, row };
	}

	#range(from: number, to: number): LookAnswer {
		const { total, unit, row } = this.#rows;
		const last = Math.min(to, total);
		const shown = new Lines(this.#limit);
		for (let at = from; at <= last && !shown.isFull; at++) shown.add(row(at - 1));
		const end = from + shown.count - 1;
		const about = `${unit} ${count1000(from)}–${count1000(end)} of ${count1000(total)}`;
		const more = end < last ? `; go on with {"op":"range","from":${end + 1}}` : '';
		return {
			text: shown.text,
			about: from > total ? `there are ${count1000(total)} ${unit}` : about + more,
		};
	}

	#tail(lines: number): LookAnswer {
		const { total, unit, row } = this.#rows;
		const shown: string[] = [];
		let room = this.#limit;
		for (let at = total - 1; at >= Math.max(0, total - lines); at--) {
			const next = row(at);
			if (next.length + 1 > room) {
				if (shown.length === 0) shown.push(`…${lastPart(next, room - 1)}`);
				break;
			}
			room -= next.length + 1;
			shown.unshift(next);
		}
		const from = total - shown.length + 1;
		return {
			text: shown.join('\n'),
			about: `${unit} ${count1000(from)}–${count1000(total)} of ${count1000(total)}`,
		};
	}

	#grep({ pattern = '', context }: LookRequest): LookAnswer {
		const isMatch = matcherOf(pattern);
		const searched = this.#searched();
		const { lines, nameOf } = searched;
		const shown = new Lines(this.#limit);
		let matches = 0;
		let next = 0; // the first line that was not shown yet
		let after = 0; // the end of the lines after the last match
		const showAround = (from: number, to: number): void => {
			for (let at = from; at < to; at++) shown.add(`${nameOf(at)}- ${beginning(lines[at])}`);
			next = Math.max(next, to);
		};
		for (const at of lines.keys()) {
			const pieces = matchingPieces(searched, at, isMatch);
			if (pieces.length === 0) continue;
			matches++;
			showAround(next, Math.min(after, at));
			if (context > 0 && next > 0 && at - context > next) shown.add('--');
			showAround(Math.max(next, at - context), at);
			for (const piece of pieces) shown.add(`${nameOf(at)}: ${piece}`);
			next = at + 1;
			after = Math.min(lines.length, next + context);
		}
		showAround(next, after);
		const more = shown.isFull ? `, the first ${count1000(shown.count)} lines shown; ask for less` : '';
		return {
			text: shown.text,
			about: `${count1000(matches)} matches in ${count1000(lines.length)} lines${more}`,
		};
	}

	#searched(): LineSearch {
		const { kind, json, lines } = this.#document;
		const isJson = kind === 'json' || kind === 'ndjson';
		return isJson ? leafLines(json) : { lines, nameOf: (at) => String(at + 1), areNamesSearched: false };
	}

	#select(expression: string): unknown {
		try {
			// What a server sent, as JSON.
			return search(markedLiterals(expression), this.#document.value as Parameters<typeof search>[1]) ?? null;
		} catch (error) {
			throw new OrchestraError('bad_input', `select cannot be evaluated: ${messageOf(error)}`, {
				hint: `It is JMESPath, for a value of the shape ${shapeOf(this.#document.value, SHAPE_CHARACTERS)}`,
			});
		}
	}

	#selected(value: unknown): LookAnswer {
		const text = this.#encode(value);
		const size = Array.isArray(value) ? `${count1000(value.length)} results` : '1 result';
		if (value === null)
			return {
				text,
				about: `null: nothing there. Shape: ${shapeOf(this.#document.value, SHAPE_CHARACTERS)}`,
			};
		if (text.length <= this.#limit) return { text, about: size };
		const { text: cut, parts } = cutJson(text, this.#limit);
		const [first] = parts;
		const shown = first ? `, ${count1000(first.shown)} of ${count1000(first.total)} ${first.unit} shown` : '';
		return { text: cut, about: `${size}${shown}; select less, or a slice such as [10:20]` };
	}

	#encode(value: unknown): string {
		try {
			return this.#document.json.encode(value, SELECTED_CHARACTERS);
		} catch (error) {
			throw new OrchestraError('bad_input', `what select picks is too large: ${messageOf(error)}`, {
				hint: 'Select less, or a slice such as [10:20].',
			});
		}
	}

	#count({ select, pattern }: LookRequest): LookAnswer {
		if (pattern !== undefined) {
			const isMatch = matcherOf(pattern);
			const searched = this.#searched();
			const { lines } = searched;
			let matches = 0;
			for (const at of lines.keys()) if (matchingPieces(searched, at, isMatch).length > 0) matches++;
			return { text: String(matches), about: `matching lines of ${count1000(lines.length)}` };
		}
		if (select === undefined) return { text: String(this.#rows.total), about: this.#rows.unit };
		const value = this.#select(select);
		if (Array.isArray(value)) return { text: String(value.length), about: 'results' };
		if (typeof value === 'object' && value !== null)
			return { text: String(Object.keys(value).length), about: 'keys' };
		return { text: value === null ? '0' : '1', about: value === null ? 'nothing there' : 'result' };
	}

	#distinct({ select }: LookRequest): LookAnswer {
		const value = select === undefined ? this.#all() : this.#select(select);
		const items = Array.isArray(value) ? value : [value];
		const counts = new Map<string, number>();
		for (const item of items) {
			const json = this.#encode(item);
			counts.set(json, (counts.get(json) ?? 0) + 1);
		}
		const shown = new Lines(this.#limit);
		for (const [json, count] of [...counts].sort((a, b) => b[1] - a[1])) shown.add(`${count}\t${json}`);
		const some = shown.isFull ? `, the ${count1000(shown.count)} most frequent shown` : '';
		return {
			text: shown.text,
			about: `${count1000(counts.size)} distinct of ${count1000(items.length)}, with their counts${some}`,
		};
	}

	#all(): unknown {
		return this.#document.records?.items ?? this.#document.lines;
	}
}

/** Lines as far as they fit; the first part of the first one when that alone does not. */
class Lines {
	readonly #lines: string[] = [];
	#room: number;
	isFull = false;

	constructor(limit: number) {
		this.#room = limit;
	}

	add(line: string): void {
		if (this.isFull) return;
		this.isFull = line.length + 1 > this.#room;
		if (this.isFull && this.count === 0) this.#lines.push(`${firstPart(line, this.#room - 1)}…`);
		if (this.isFull) return;
		this.#room -= line.length + 1;
		this.#lines.push(line);
	}

	get count(): number {
		return this.#lines.length;
	}

	get text(): string {
		return this.#lines.join('\n');
	}
}

function matcherOf(pattern: string): IsMatch {
	const [, source, flag] = /^\/(.+)\/(i?)$/s.exec(pattern) ?? [];
	if (source === undefined) {
		const wanted = pattern.toLowerCase();
		return (line) => line.toLowerCase().includes(wanted);
	}
	try {
		if (flag === 'i') {
			const lower = new BoundedPattern(lowerCasePattern(source));
			return (line, around) => lower.test(line.toLowerCase(), around);
		}
		const bounded = new BoundedPattern(source);
		return (line, around) => bounded.test(line, around);
	} catch (error) {
		throw new OrchestraError('bad_input', `the pattern cannot be used: ${messageOf(error)}`);
	}
}

/** Escapes such as `\\S` mean something else in lower case. */
function lowerCasePattern(source: string): string {
	return source.replace(/\\(?:p\{[^}]*\}|.)|[^\\]/gisu, (part) =>
		part.startsWith('\\') ? part : part.toLowerCase(),
	);
}
