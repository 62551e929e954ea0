/* Read a list page by page, within bounds: a server may send pages without end. */
import type { Result } from './mcp-types.ts';
import { LIST_PAGES_LIMIT } from './protocol-limits.ts';

/** The pages of a list. `onCut` gets the reason when it is ended before its last page. */
export async function* pagesOf(
	request: (params: { cursor?: string }) => Promise<Result>,
	onCut: (reason: string) => void = () => {},
): AsyncGenerator<Result, void, undefined> {
	const seen = new Set<string>();
	for (let params = {}; ; ) {
		const page = await request(params);
		yield page;
		const { nextCursor: cursor } = page;
		if (typeof cursor !== 'string') return;
		if (seen.has(cursor)) return onCut('its cursor repeats');
		if (seen.size + 1 >= LIST_PAGES_LIMIT) return onCut(`it has more than ${LIST_PAGES_LIMIT} pages`);
		seen.add(cursor);
		params = { cursor };
	}
}
