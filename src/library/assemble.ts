/*
 * The best fragments as one text inside a token budget.
 *
 * Best first until the budget is full; what does not fit makes room for smaller
 * ones behind it; a text that is there already is not repeated. Then fragments
 * of one category are put together. The finished text is counted once more, so
 * the budget holds for what is sent and not only for its parts. The best
 * fragment always comes, cut short when it alone is too large.
 */
import { pickWithin } from '../search/budget.ts';
import { ASSEMBLY_FLOOR_SHARE } from './limits.ts';
import type { Match } from './match.ts';
import { type CountTokens, estimateTokens } from './tokens.ts';

export interface Assembly {
	text: string;
	tokens: number;
	used: Match[];
	isTruncated: boolean;
}

export interface AssemblyOptions {
	maxTokens: number;
	/** The text of a fragment without its front matter; undefined when it went away. */
	bodyOf: (match: Match) => string | undefined;
	/** A real tokenizer; the estimate otherwise. */
	countTokens?: CountTokens | undefined;
}

interface Block {
	match: Match;
	body: string;
	cost: number;
}

const SEPARATOR = '\n\n---\n\n';

export function assemble(matches: readonly Match[], options: AssemblyOptions): Assembly {
	const count = options.countTokens ?? estimateTokens;
	const blocks = blocksOf(matches, options, count);
	const [best] = blocks;
	if (!best) return { text: '', tokens: 0, used: [], isTruncated: false };
	if (best.cost > options.maxTokens) return truncated(best, options.maxTokens, count);
	const { picked } = pickWithin(blocks, options.maxTokens, ({ cost }) => cost);
	for (;;) {
		const text = join(picked);
		const tokens = count(text);
		if (tokens <= options.maxTokens)
			return { text, tokens, used: picked.map(({ match }) => match), isTruncated: false };
		if (picked.length === 1) return truncated(best, options.maxTokens, count);
		picked.pop();
	}
}

function blocksOf(matches: readonly Match[], { bodyOf }: AssemblyOptions, count: CountTokens): Block[] {
	const floor = (matches[0]?.score ?? 0) * ASSEMBLY_FLOOR_SHARE;
	const seen = new Set<string>();
	const blocks: Block[] = [];
	for (const match of matches) {
		const body = match.score < floor ? undefined : bodyOf(match)?.trim();
		if (body === undefined || seen.has(body)) continue;
		seen.add(body);
		const counted = count(render(match, body) + SEPARATOR);
		// An author who says that the text costs more than it seems knows the text.
		const cost = Math.max(counted, match.fragment.tokens + counted - count(body));
		blocks.push({ match, body, cost });
	}
	return blocks;
}

/** Categories in the order of their best fragment, so the most relevant text stays first. */
function join(blocks: readonly Block[]): string {
	const groups = new Map<string, string[]>();
	for (const { match, body } of blocks) {
		const { category } = match.fragment;
		groups.set(category, [...(groups.get(category) ?? []), render(match, body)]);
	}
	return [...groups.values()].flat().join(SEPARATOR);
}

function render({ fragment, score }: Match, body: string): string {
	const tags = fragment.tags.length > 0 ? ` · tags: ${fragment.tags.join(', ')}` : '';
	return `> ${fragment.category} · ${fragment.uri} · relevance ${score}${tags}\n\n${body}`;
}

function truncated({ match, body }: Block, maxTokens: number, count: CountTokens): Assembly {
	const notice = `\n\n[Truncated to ${maxTokens} tokens. The whole text: ${match.fragment.uri}]`;
	const withLength = (length: number) => render(match, wholeWords(body, length)) + notice;
	let low = 0;
	let high = body.length;
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (count(withLength(middle)) <= maxTokens) low = middle;
		else high = middle - 1;
	}
	const text = withLength(low);
	return { text, tokens: count(text), used: [match], isTruncated: true };
}

/** The first `length` characters, cut back to the end of a word. */
function wholeWords(text: string, length: number): string {
	if (length >= text.length) return text;
	const cut = text.slice(0, length);
	return cut.replace(/\S{1,40}$/, '').trimEnd();
}
