/* A list and what is open in it: beside each other on a wide screen, one after the other on a narrow one. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface SplitViewProps {
	readonly list: ComponentChildren;
	readonly detail: ComponentChildren;
	/** True when something is open. */
	readonly isOpen: boolean;
	/** Where "Back" leads on a narrow screen. */
	readonly backHref: string;
}

export function SplitView({ list, detail, isOpen, backHref }: SplitViewProps): JSX.Element {
	const listBox = useRef<HTMLDivElement>(null);
	const detailBox = useRef<HTMLDivElement>(null);
	// On a narrow screen the list with the focus is gone now.
	useEffect(() => {
		if (isOpen && listBox.current?.offsetParent === null) detailBox.current?.focus();
	}, [isOpen]);
	return (
		<div class={`split${isOpen ? ' open' : ''}`}>
			<div class="split-list" ref={listBox}>
				{list}
			</div>
			<div class="split-detail" ref={detailBox} tabIndex={-1}>
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
