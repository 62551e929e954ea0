/*
 * A tooltip that the keyboard reaches: the element takes the focus, and styles show the text of its
 * attribute while it has the focus or the pointer is over it.
 */
import type { ComponentChildren, JSX } from 'preact';
import { attributeText } from '../text/visible-text.tsx';

interface TipProps {
	readonly text: string;
	readonly class?: string;
	readonly children: ComponentChildren;
}

export function Tip({ text, class: name = '', children }: TipProps): JSX.Element {
	const shown = attributeText(text);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: its text must be reachable without a pointer
		<span class={`tip ${name}`} role="img" aria-label={shown} data-tip={shown} tabIndex={0}>
			{children}
		</span>
	);
}
