/* Why a search found something, in words: in short for a row, and all of it for what is open. */
import type { JSX } from 'preact';
import type { SearchReason } from '../../../api/api-catalogue.ts';
import { REASONS_LIMIT } from '../../page-limits.ts';
import { visibleLine } from '../../text/visible-text.tsx';

/** The first reasons, each with its best place. */
export function ReasonLine({ why }: { why: readonly SearchReason[] }): JSX.Element {
	return (
		<span class="reasons">
			{shortReasons(why).map((text) => (
				<span class="reason">{visibleLine(text)}</span>
			))}
		</span>
	);
}

/** Every reason with every place, and how much it adds to the score. */
export function ReasonList({ why }: { why: readonly SearchReason[] }): JSX.Element | null {
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
function shortReasons(why: readonly SearchReason[]): string[] {
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

/** One sentence without its end: `“add” is in its name`. */
function reasonText({ word, matched, kind, fields }: SearchReason): string {
	const place = placeOf(fields);
	switch (kind) {
		case 'phrase':
			return `“${word}” stands together in ${place}`;
		case 'prefix':
			return `“${word}” begins “${matched}” in ${place}`;
		case 'typo':
			return `“${word}” is close to “${matched}” in ${place}`;
		case 'related':
			return `“${word}” is another word for “${matched}” in ${place}`;
		case 'concept':
		case 'meaning':
			return `“${word}” means something like “${matched}” in ${place}`;
		case 'usage':
			return 'it was used for a similar search';
		default:
			return matched === '' || matched === word
				? `“${word}” is in ${place}`
				: `“${word}” is there as “${matched}” in ${place}`;
	}
}

const OTHER_KINDS: ReadonlySet<string> = new Set([
	'phrase',
	'prefix',
	'typo',
	'related',
	'concept',
	'meaning',
	'usage',
]);

function isExact({ word, matched, kind }: SearchReason): boolean {
	return !OTHER_KINDS.has(kind) && (matched === '' || matched === word);
}

function placeOf(fields: readonly string[]): string {
	return fields.length === 0 ? 'it' : `its ${listed(fields)}`;
}

function listed(names: readonly string[]): string {
	return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
