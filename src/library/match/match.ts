/* Find the fragments for a request: filter, rank, and say why. */
import type { MatchReason } from '../../search/document.ts';
import type { Nearness } from '../embeddings/embeddings.ts';
import type { Fragment } from '../files/fragment.ts';
import type { FragmentStore } from '../files/fragment-store.ts';
import { categoryKey } from './category.ts';
import type { MatchRequest } from './match-request.ts';

/** A fragment that matches a query, with its score and the reasons. */
export interface Match {
	fragment: Fragment;
	/** 0 to 100. */
	score: number;
	why: MatchReason[];
}

export interface Matches {
	request: MatchRequest;
	/** Best first, at most `maxResults`. */
	matches: Match[];
	/** How many matched at all. */
	total: number;
}

export function matchFragments(
	fragments: FragmentStore,
	request: MatchRequest,
	nearness?: Nearness,
): Matches {
	const { query, maxResults, minScore } = request;
	const accept = acceptor(fragments, request);
	const { hits, total } = fragments.index.search(query, { limit: maxResults, minScore, accept, nearness });
	const matches = hits.flatMap(({ id, score, why }) => {
		const fragment = fragments.get(id);
		return fragment ? [{ fragment, score, why }] : [];
	});
	return { request, matches, total };
}

function acceptor(
	fragments: FragmentStore,
	{ tags, categories }: MatchRequest,
): ((uri: string) => boolean) | undefined {
	if (tags.length === 0 && categories.length === 0) return undefined;
	const wanted = new Set(categories.map(categoryKey));
	return (uri) => {
		const fragment = fragments.get(uri);
		if (!fragment || (wanted.size > 0 && !wanted.has(categoryKey(fragment.category)))) return false;
		const own = tags.length === 0 ? [] : fragment.tags.map((tag) => tag.toLowerCase());
		return tags.every((tag) => own.includes(tag));
	};
}
