/* JSON as one line for each value that is no object or array: `items[3].user.login: "ada"`. */
import { memberPath } from '../cut-json.ts';
import { LEAF_CHARACTERS } from '../result-limits.ts';
import type { ExactJson } from './exact-numbers.ts';

export function leafLines(json: ExactJson): string[] {
	const lines: string[] = [];
	const pending: [path: string, value: unknown][] = [['', json.value]];
	for (let next = pending.pop(); next; next = pending.pop()) {
		const [path, value] = next;
		if (typeof value !== 'object' || value === null) {
			const text = typeof value === 'string' ? value : undefined;
			const short = text !== undefined && text.length > LEAF_CHARACTERS ? piecesOf(text) : [value];
			for (const piece of short)
				lines.push(`${path || '@'}: ${json.encode(piece, Number.POSITIVE_INFINITY)}`);
			continue;
		}
		// The last is taken first.
		if (Array.isArray(value)) {
			for (let at = value.length - 1; at >= 0; at--) pending.push([`${path}[${at}]`, value[at]]);
			continue;
		}
		const names = Object.keys(value);
		for (let at = names.length - 1; at >= 0; at--) {
			const name = names[at] ?? '';
			pending.push([memberPath(path, name), Reflect.get(value, name)]);
		}
	}
	return lines;
}

function piecesOf(text: string): string[] {
	const pieces: string[] = [];
	for (let at = 0; at < text.length; at += LEAF_CHARACTERS / 2)
		pieces.push(text.slice(at, at + LEAF_CHARACTERS));
	return pieces;
}
