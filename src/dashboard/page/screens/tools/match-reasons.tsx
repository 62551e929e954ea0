/* Why a search found something, in words. */
import type { JSX } from 'preact';
import type { SearchReason } from '../../../api/api-catalogue.ts';
import { VisibleText } from '../../text/visible-text.tsx';

/** Reasons that are shown; the first ones add most. */
const MOST_REASONS = 4;

export function MatchReasons({ why }: { why: readonly SearchReason[] }): JSX.Element {
	return (
		<span class="reasons">
			{why.slice(0, MOST_REASONS).map((reason) => (
				<span class="reason">
					<VisibleText text={reasonText(reason)} isLine />
					{reason.points !== undefined && <span class="dim"> +{reason.points.toFixed(0)}</span>}
				</span>
			))}
		</span>
	);
}

/** One sentence without its end: `“add” is in its name`. */
function reasonText({ word, matched, kind, fields }: SearchReason): string {
	const place = fields.length === 0 ? 'it' : `its ${listed(fields)}`;
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

function listed(fields: readonly string[]): string {
	return fields.length < 2 ? (fields[0] ?? '') : `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`;
}
