/* Why a search found something: the words of the query and what they matched. */
import type { JSX } from 'preact';
import type { SearchReason } from '../../api-offers.ts';
import { attributeText, VisibleText } from '../text/visible-text.tsx';

export function MatchReasons({ why }: { why: readonly SearchReason[] }): JSX.Element {
	return (
		<span class="reasons">
			{why.map(({ word, matched, kind, fields, points }) => (
				<span class="reason" title={attributeText(`${kind} in ${fields.join(', ')}`)}>
					<VisibleText text={word} isLine />
					{matched !== word && matched !== '' && (
						<>
							{' → '}
							<VisibleText text={matched} isLine />
						</>
					)}
					<span class="dim">
						{' '}
						<VisibleText
							text={[kind === 'word' ? '' : kind, fields.join(', ')].filter(Boolean).join(' in ')}
							isLine
						/>
						{points !== undefined && ` +${points.toFixed(0)}`}
					</span>
				</span>
			))}
		</span>
	);
}
