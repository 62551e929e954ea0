/* A list and what is open in it: beside each other on a wide screen, one after the other on a narrow one. */
import type { ComponentChildren, JSX } from 'preact';

interface SplitViewProps {
	readonly list: ComponentChildren;
	readonly detail: ComponentChildren;
	/** True when something is open. */
	readonly isOpen: boolean;
	/** Where "Back" leads on a narrow screen. */
	readonly backHref: string;
}

export function SplitView({ list, detail, isOpen, backHref }: SplitViewProps): JSX.Element {
	return (
		<div class={`split${isOpen ? ' open' : ''}`}>
			<div class="split-list">{list}</div>
			<div class="split-detail">
				{isOpen && (
					<a class="back" href={backHref}>
						← Back to the list
					</a>
				)}
				{detail}
			</div>
		</div>
	);
}
