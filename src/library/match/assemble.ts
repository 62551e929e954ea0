/*
 * The best fragments as one text inside a token budget.
 *
 * Best first until the token budget is full; a fragment that does not fit is skipped
 * for smaller ones behind it; duplicates are removed. Then fragments
 * of one category are put together. The finished text is counted once more, so
 * the budget holds for what is sent and not only for its pieces. The best
 * fragment always comes, cut short when it alone is too large.
 */
import { ASSEMBLY_FLOOR_SHARE } from '../files/library-limits.ts';
import type { Match } from './match.ts';
import { type CountTokens, cutToFit, estimateTokens } from './tokens.ts';

export interface Assembly {
	text: string;
	tokens: number;
	used: Match[];
	isTruncated: boolean;
}

interface AssemblyOptions {
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

/** Share of the budget that may go to what stands around a truncated text. */
const FRAME_SHARE = 0.6;
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
		blocks.push({ match, body, cost: count(render(match, body) + SEPARATOR) });
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

/** The text with the notice and what stands around it, inside the budget; a small budget gets a shorter notice. */
function truncated({ match, body }: Block, maxTokens: number, count: CountTokens): Assembly {
	const { uri } = match.fragment;
	const whole = [`${body}\n\n[${uri}]`, body].find((text) => count(text) <= maxTokens);
	if (whole !== undefined) return { text: whole, tokens: count(whole), used: [match], isTruncated: false };
	const notice = `\n\n[Truncated to ${maxTokens} tokens. The whole text: ${uri}]`;
	const layouts = [
		(part: string) => render(match, part) + notice,
		(part: string) => `${part}\n\n[Truncated: ${uri}]`,
		(part: string) => `${part} […]`,
	];
	const fitting = layouts.find((layout) => count(layout('')) <= maxTokens * FRAME_SHARE);
	const text = cutToFit(body, maxTokens, count, fitting ?? ((part) => part));
	return { text, tokens: count(text), used: [match], isTruncated: true };
}

/** The items that fit, filled greedily in their order; never more than `budget` in all. */
export function pickWithin<T>(
	items: readonly T[],
	budget: number,
	costOf: (item: T) => number,
): { picked: T[]; cost: number } {
	const picked: T[] = [];
	let cost = 0;
	for (const item of items) {
		const own = costOf(item);
		if (cost + own > budget) continue;
		picked.push(item);
		cost += own;
	}
	return { picked, cost };
}
