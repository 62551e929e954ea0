/* The answer to a match as text: `catalog` with reasons, or `index`, one short line each. */
import { describeReasons } from '../../search/index/explain.ts';
import { REGISTRY_URI } from '../uri.ts';
import type { Match, Matches } from './match.ts';
import { NO_CATEGORY } from './match-request.ts';
import { type CountTokens, cutToFit, estimateTokens } from './tokens.ts';

export interface MatchText {
	text: string;
	tokens: number;
	/** How many matches the text shows. */
	shown: number;
}

/** Returns as many lines as fit the token budget, and at least the best one, truncated if necessary. */
export function listMatches(found: Matches, countTokens: CountTokens = estimateTokens): MatchText {
	const { matches, request } = found;
	const line = request.mode === 'index' ? indexLine : catalogLine;
	const lines = matches.map(line);
	for (;;) {
		const text = [...headOf(found, lines.length), ...lines].join('\n');
		const tokens = countTokens(text);
		if (tokens <= request.maxTokens) return { text, tokens, shown: lines.length };
		if (lines.length <= 1) return shortest(found, text, countTokens);
		lines.pop();
	}
}

function shortest(found: Matches, whole: string, countTokens: CountTokens): MatchText {
	const { maxTokens } = found.request;
	const [best] = found.matches;
	const forms = best
		? [catalogLine(best, 0), indexLine(best), best.fragment.uri, best.fragment.title]
		: [whole];
	const fitting = forms.find((form) => countTokens(form) <= maxTokens);
	const text = fitting ?? cutToFit(forms.at(-1) ?? '', maxTokens, countTokens);
	return { text, tokens: countTokens(text), shown: best ? 1 : 0 };
}

/** The text of a search without matches. */
export function nothingFound({ request }: Pick<Matches, 'request'>): string {
	if (request.categories.includes(NO_CATEGORY))
		return `No fragments can match "${request.query}": the category of the path is not one of \`categories\`. Name it there, or leave \`categories\` out.`;
	const filters = [
		...(request.categories.length > 0 ? [`in ${request.categories.join(', ')}`] : []),
		...(request.tags.length > 0 ? [`tagged ${request.tags.join(', ')}`] : []),
	];
	const where = filters.length > 0 ? ` ${filters.join(' ')}` : '';
	return `No fragments${where} match "${request.query}". Try fewer or other words; ${REGISTRY_URI} lists what there is.`;
}

function headOf(found: Matches, shown: number): string[] {
	if (found.matches.length === 0) return [nothingFound(found)];
	if (found.request.mode === 'index') return [];
	return [
		`# Matches for "${found.request.query}"`,
		'',
		`${shown} of ${found.total}, best first. Read one by its URI.`,
		'',
	];
}

function catalogLine({ fragment, score, why }: Match, index: number): string {
	const title = fragment.title.replace(/[[\]]/g, '\\$&');
	const cost = `score ${score}, ${fragment.tokens} tokens`;
	return `${index + 1}. [${title}](${fragment.uri}) (${cost}): ${describeReasons(why)}`;
}

function indexLine({ fragment }: Match): string {
	return `${fragment.uri} ${fragment.title} (${fragment.tokens} tokens)`;
}
