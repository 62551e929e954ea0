/*
 * The parameters of a match, checked. The same request comes from a URI and
 * from `find`, so both have the same rules and error messages.
 */
import { OrchestraError } from '../../errors.ts';
import {
	DEFAULT_MAX_RESULTS,
	DEFAULT_MAX_TOKENS,
	MAX_RESULTS_LIMIT,
	MAX_TOKENS_LIMIT,
	QUERY_LIMIT_CHARACTERS,
} from '../files/library-limits.ts';
import { categoryKey } from './category.ts';

export const matchModes = ['catalog', 'full', 'index'] as const;
/** How much of each match an answer shows. */
export type MatchMode = (typeof matchModes)[number];

/** A parsed `match` URI. */
export interface MatchRequest {
	query: string;
	mode: MatchMode;
	maxTokens: number;
	maxResults: number;
	/** 0 to 100. */
	minScore: number;
	/** All of these must be there. Lower case. */
	tags: readonly string[];
	/** Any of these, in any spelling; all categories when empty. */
	categories: readonly string[];
}

/** The parameters of a match URI, in the order in which they are documented. */
export const matchParameters = [
	'query',
	'maxTokens',
	'tags',
	'categories',
	'mode',
	'maxResults',
	'minScore',
] as const;

/** Stands for no category at all: the one of the path is not among those of the query. */
export const NO_CATEGORY = '\0none';

/** Read the parameters of a match URI. Throws `bad_input` naming the key that is wrong. */
export function readMatchRequest(
	category: string | undefined,
	parameters: ReadonlyMap<string, string>,
): MatchRequest {
	const query = (parameters.get('query') ?? '').trim();
	if (query === '') throw badParameter('query', 'is required', 'Add ?query=what you are looking for.');
	if (query.length > QUERY_LIMIT_CHARACTERS) {
		throw badParameter('query', `is longer than ${QUERY_LIMIT_CHARACTERS} characters`);
	}
	const named = listOf(parameters.get('categories'));
	return {
		query,
		mode: modeOf(parameters.get('mode')),
		maxTokens: Math.min(wholeNumber(parameters, 'maxTokens') ?? DEFAULT_MAX_TOKENS, MAX_TOKENS_LIMIT),
		maxResults: Math.min(wholeNumber(parameters, 'maxResults') ?? DEFAULT_MAX_RESULTS, MAX_RESULTS_LIMIT),
		minScore: scoreOf(parameters.get('minScore')),
		tags: listOf(parameters.get('tags')).map((tag) => tag.toLowerCase()),
		categories: categoriesOf(category, named),
	};
}

/** The category of the path and those of the query both filter. */
function categoriesOf(category: string | undefined, named: readonly string[]): readonly string[] {
	if (category === undefined) return named;
	const isNamed = named.some((name) => categoryKey(name) === categoryKey(category));
	return named.length === 0 || isNamed ? [category] : [NO_CATEGORY];
}

/** The mode that a name means; `minimal` is what older libraries call the index. */
export function matchModeOf(name: string): MatchMode | undefined {
	return matchModes.find((known) => known === (name === 'minimal' ? 'index' : name));
}

function modeOf(text = 'catalog'): MatchMode {
	const mode = matchModeOf(text);
	if (mode === undefined)
		throw badParameter('mode', `is "${text}"`, `It is one of ${matchModes.join(', ')}.`);
	return mode;
}

function wholeNumber(parameters: ReadonlyMap<string, string>, key: string): number | undefined {
	const text = parameters.get(key);
	if (text === undefined) return undefined;
	if (!/^[1-9]\d{0,11}$/.test(text))
		throw badParameter(key, `is "${text}"`, 'It takes a whole number above 0.');
	return Number(text);
}

function scoreOf(text: string | undefined): number {
	if (text === undefined) return 0;
	if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text))
		throw badParameter('minScore', `is "${text}"`, 'It takes a number from 0 to 100.');
	return Number(text);
}

function listOf(text = ''): string[] {
	return text
		.split(',')
		.map((word) => word.trim())
		.filter((word) => word !== '');
}

function badParameter(key: string, what: string, hint?: string): OrchestraError {
	return new OrchestraError('bad_input', `parameter "${key}" ${what}`, { hint, data: { parameter: key } });
}
