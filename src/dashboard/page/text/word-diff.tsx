/* Two strings as one, with the words that were removed and added. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { wordDiff } from '../../../sequence-diff.ts';
import { visibleText } from './visible-text.tsx';

export function WordDiff({ before, after }: { before: string; after: string }): JSX.Element {
	const parts = useMemo(() => wordDiff(before, after), [before, after]);
	return (
		<pre class="diff">
			{parts.map(({ sign, text }) => {
				const shown = visibleText(text);
				if (sign === '-') return <del>{shown}</del>;
				return sign === '+' ? <ins>{shown}</ins> : shown;
			})}
		</pre>
	);
}
