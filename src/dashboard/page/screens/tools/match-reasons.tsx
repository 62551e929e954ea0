/* Why a search found something, in words: in short for a row, and all of it for what is open. */
import type { JSX } from 'preact';
import type { MatchReason } from '../../../../search/document.ts';
import { REASONS_LIMIT } from '../../page-limits.ts';
import { visibleLine } from '../../text/visible-text.tsx';

/** The first reasons, each with its best place. */
export function ReasonLine({ why }: { why: readonly MatchReason[] }): JSX.Element {
	return (
		<span class="reasons">
			{shortReasons(why).map((text) => (
				<span class="reason">{visibleLine(text)}</span>
			))}
		</span>
	);
}

/** Every reason with every place, and how much it adds to the score. */
export function ReasonList({ why }: { why: readonly MatchReason[] }): JSX.Element | null {
	if (why.length === 0) return null;
	return (
		<details class="why">
			<summary>Why it was found</summary>
			<ul>
				{why.map((reason) => (
					<li>
						{visibleLine(reasonText(reason))}
						{reason.points !== undefined && <span class="dim"> +{reason.points.toFixed(1)}</span>}
					</li>
				))}
			</ul>
		</details>
	);
}

/** Terms that are there as they were typed are joined by their best place: `“read” and “file” are in its name`. */
function shortReasons(why: readonly MatchReason[]): string[] {
	const exact = new Map<string, string[]>();
	const others: string[] = [];
	for (const reason of why) {
		const fields = reason.fields.slice(0, 1);
		if (!isExact(reason)) others.push(reasonText({ ...reason, fields }));
		else exact.set(placeOf(fields), [...(exact.get(placeOf(fields)) ?? []), `“${reason.word}”`]);
	}
	const joined = [...exact].map(
		([place, terms]) => `${listed(terms)} ${terms.length === 1 ? 'is' : 'are'} in ${place}`,
	);
	return [...joined, ...others].slice(0, REASONS_LIMIT);
}

/** What a match of each kind says; those of other kinds are words as they were typed, or other forms of them. */
const SENTENCES: Readonly<Record<string, (reason: MatchReason, place: string) => string>> = {
	phrase: ({ word }, place) => `“${word}” stands together in ${place}`,
	prefix: ({ word, matched }, place) => `“${word}” begins “${matched}” in ${place}`,
	typo: ({ word, matched }, place) => `“${word}” is close to “${matched}” in ${place}`,
	related: ({ word, matched }, place) => `“${word}” is another word for “${matched}” in ${place}`,
	concept: ({ word, matched }, place) => `“${word}” means something like “${matched}” in ${place}`,
	meaning: ({ word, matched }, place) => `“${word}” means something like “${matched}” in ${place}`,
	usage: () => 'it was used for a similar search',
};

/** One sentence without its end: `“add” is in its name`. */
function reasonText(reason: MatchReason): string {
	const { word, matched, kind } = reason;
	const place = placeOf(reason.fields);
	if (isExact(reason)) return `“${word}” is in ${place}`;
	return SENTENCES[kind]?.(reason, place) ?? `“${word}” is there as “${matched}” in ${place}`;
}

function isExact({ word, matched, kind }: MatchReason): boolean {
	return !(kind in SENTENCES) && (matched === '' || matched === word);
}

function placeOf(fields: readonly string[]): string {
	return fields.length === 0 ? 'it' : `its ${listed(fields)}`;
}

function listed(names: readonly string[]): string {
	return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
