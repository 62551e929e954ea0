/*
 * Paged lists. A cursor holds the key of the last item sent, so that the next page
 * is right even when the list changed in between. Clients treat it as opaque.
 */
import { OrchestraError } from '../../errors.ts';
import { PAGE_ITEMS } from '../mcp-limits.ts';

export interface Page<T> {
	items: readonly T[];
	nextCursor?: string;
}

/** The page after `cursor` of a list sorted by `key`. Throws `bad_input` for an invalid cursor. */
export function pageOf<T>(
	list: readonly T[],
	cursor: unknown,
	key: (item: T) => string,
	pageItems: number = PAGE_ITEMS,
): Page<T> {
	const start = cursor === undefined ? 0 : firstAfter(list, readCursor(cursor), key);
	if (start === 0 && list.length <= pageItems) return { items: list };
	const items = list.slice(start, start + pageItems);
	const last = items.at(-1);
	if (start + items.length >= list.length || last === undefined) return { items };
	return { items, nextCursor: Buffer.from(JSON.stringify({ after: key(last) })).toString('base64url') };
}

function firstAfter<T>(list: readonly T[], after: string, key: (item: T) => string): number {
	const index = list.findIndex((item) => key(item) > after);
	return index === -1 ? list.length : index;
}

function readCursor(cursor: unknown): string {
	try {
		if (typeof cursor === 'string') {
			const { after } = JSON.parse(Buffer.from(cursor, 'base64url').toString());
			if (typeof after === 'string') return after;
		}
	} catch {
		// not base64, not JSON or not an object: the error below covers all of them
	}
	throw new OrchestraError('bad_input', 'the cursor was not issued by this server', {
		hint: 'Pass `nextCursor` of the previous page unchanged, or no cursor for the first page.',
	});
}
