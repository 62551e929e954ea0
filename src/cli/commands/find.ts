/* `mctl find`: the fragments of the library for a task, found by words and by meaning. */
import type { FoundFragment } from '../../library/match/finder.ts';
import type { Match } from '../../library/match/match.ts';
import { type MatchMode, matchModeOf, matchModes } from '../../library/match/match-request.ts';
import { printableLine } from '../../printable.ts';
import { describeReasons } from '../../search/index/explain.ts';
import { type Command, type CommandInput, numberFlag, textFlag, usageError } from '../command.ts';
import { libraryFlags, withLibrary } from '../open-library.ts';
import { renderMarkdown } from '../terminal/markdown-terminal.ts';
import type { Output } from '../terminal/output.ts';

export const find: Command = {
	usage: 'mctl find "<words>" [--max-tokens N] [--category NAME] [--tags A,B] [--json]',
	examples: [
		'mctl find "my server prints to stdout"',
		'mctl find "write a tool in python" --max-tokens 1500',
		'mctl find "timeouts" --json | jq -r ".matches[].uri"',
	],
	flags: {
		'max-tokens': { value: 'N', help: 'assemble the content inside N tokens' },
		'max-results': { value: 'N', help: 'at most N fragments (default 15)' },
		mode: { value: 'MODE', help: 'catalog (default), full or index (also: minimal)' },
		category: { value: 'NAME', help: 'only this category; several with commas' },
		tags: { value: 'A,B', help: 'only fragments that have all of these tags' },
		...libraryFlags,
	},
	args: [1, Number.POSITIVE_INFINITY, 'some words to look for'],

	async run(input) {
		const query = input.args.join(' ');
		if (query.trim() === '') throw usageError(find, 'mctl find needs some words to look for');
		const maxTokens = numberFlag(input, find, 'max-tokens');
		const options = {
			maxTokens,
			maxResults: numberFlag(input, find, 'max-results'),
			mode: modeOf(input, maxTokens),
			categories: textFlag(input, 'category')?.split(','),
			tags: textFlag(input, 'tags')?.split(','),
		};
		const found = await withLibrary(input, (library) => library.find(query, options), 'resources');
		if (input.flags['json']) return input.out.json(jsonOf(query, found));
		show(input.out, found);
	},
};

/** The mode of the search: with a budget the content is full. */
function modeOf(input: CommandInput, maxTokens: number | undefined): MatchMode {
	const mode = textFlag(input, 'mode');
	if (mode === undefined) return maxTokens === undefined ? 'catalog' : 'full';
	const known = matchModeOf(mode);
	if (known === undefined) throw usageError(find, `--mode is one of ${matchModes.join(', ')}, not "${mode}"`);
	return known;
}

function show(out: Output, { request, matches, text }: FoundFragment): void {
	if (!out.isTerminal) return out.line(text);
	const style = (...args: Parameters<Output['style']>) => out.style(...args);
	if (request.mode === 'full' || matches.length === 0)
		return out.line(renderMarkdown(text, style, out.width));
	for (const match of matches) for (const line of linesOf(match, style)) out.line(line);
}

function linesOf({ fragment, score, why }: Match, style: Output['style']): string[] {
	const title = style('bold', printableLine(fragment.title));
	const head = `${title}  ${style('green', String(score))}  ${style('dim', `${fragment.tokens} tokens`)}`;
	return [
		head,
		`  ${style('cyan', printableLine(fragment.uri))}`,
		`  ${style('dim', printableLine(describeReasons(why)))}`,
	];
}

function jsonOf(
	query: string,
	{ request, total, tokens, isTruncated, matches, text }: FoundFragment,
): Record<string, unknown> {
	return {
		schema: 'orchestra.find/1',
		query,
		mode: request.mode,
		total,
		tokens,
		isTruncated,
		matches: matches.map(({ fragment, score, why }) => {
			const { uri, title, description, category, tags } = fragment;
			return { uri, title, description, category, tags, tokens: fragment.tokens, score, why };
		}),
		...(request.mode === 'full' ? { text } : {}),
	};
}
