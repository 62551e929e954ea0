/* Two texts as one, with the words that were removed and added. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { diffWords } from './diff-words.ts';
import { VisibleText } from './visible-text.tsx';

export function WordDiff({ before, after }: { before: string; after: string }): JSX.Element {
	const parts = useMemo(() => diffWords(before, after), [before, after]);
	return (
		<pre class="diff">
			{parts.map(({ kind, text }) => {
				if (kind === 'removed')
					return (
						<del>
							<VisibleText text={text} />
						</del>
					);
				return kind === 'added' ? (
					<ins>
						<VisibleText text={text} />
					</ins>
				) : (
					<VisibleText text={text} />
				);
			})}
		</pre>
	);
}
