/* Where two JSON values differ, by path. Bounded. */
import { isObject, ownEntry } from '../wire/json.ts';
import { MESSAGE_LEVELS } from '../wire/wire-limits.ts';
import { JSON_DIFFERENCES_LIMIT } from './record-limits.ts';

/** One place where two values differ. A side without a value there has none. */
export interface JsonDifference {
	/** `content[0].text`; empty for the whole value. */
	readonly path: string;
	readonly before?: unknown;
	readonly after?: unknown;
}

/** The first differences; empty for equal values. The order of keys does not count. */
export function jsonDifferences(before: unknown, after: unknown): JsonDifference[] {
	const found: JsonDifference[] = [];
	compare({ before, after, path: '', depth: 0 }, found);
	return found;
}

interface Pair {
	readonly path: string;
	readonly before: unknown;
	readonly after: unknown;
	readonly depth: number;
}

function compare({ path, before, after, depth }: Pair, found: JsonDifference[]): void {
	if (found.length >= JSON_DIFFERENCES_LIMIT || before === after) return;
	const isDeep = depth >= MESSAGE_LEVELS;
	if (!isDeep && Array.isArray(before) && Array.isArray(after)) {
		const length = Math.max(before.length, after.length);
		for (let at = 0; at < length && found.length < JSON_DIFFERENCES_LIMIT; at++)
			compare({ path: `${path}[${at}]`, before: before[at], after: after[at], depth: depth + 1 }, found);
		return;
	}
	if (!isDeep && isObject(before) && isObject(after)) {
		for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
			const inner = path === '' ? name : `${path}.${name}`;
			const sides = { before: ownEntry(before, name), after: ownEntry(after, name) };
			compare({ path: inner, ...sides, depth: depth + 1 }, found);
		}
		return;
	}
	if (isDeep && JSON.stringify(before) === JSON.stringify(after)) return;
	found.push({ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
}
