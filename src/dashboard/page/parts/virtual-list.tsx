/*
 * A list of any length: only the rows near the visible part exist.
 *
 * Rows have one height, so the place of a row is a multiplication and nothing is measured while
 * scrolling. The list is one stop for the Tab key; arrows, Page Up, Page Down, Home and End move
 * the active row, Enter opens it. Rows that are added above (`added`) do not move what is read.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface VirtualListProps {
	readonly label: string;
	readonly count: number;
	/** Pixels. */
	readonly rowHeight: number;
	readonly row: (index: number) => ComponentChildren;
	/** The row that is open. */
	readonly selected?: number | undefined;
	readonly onOpen?: (index: number) => void;
	/** How many rows were ever added above the first one. */
	readonly added?: number;
	/** Called with the range of rows that exist now. */
	readonly onRange?: (first: number, end: number) => void;
}

/** Rows outside of the visible part that exist too. */
const OVERSCAN = 10;
/** The window moves in steps, so that most scroll events change nothing. */
const STEP = 5;
/** Browsers limit the height of an element; beyond it the list ends. */
const MAX_HEIGHT = 16_000_000;

export function VirtualList(props: VirtualListProps): JSX.Element {
	const { label, count, rowHeight, selected, onOpen, added = 0, onRange } = props;
	const box = useRef<HTMLDivElement>(null);
	const first = useSignal(0);
	const visible = useSignal(40);
	const active = useSignal(Math.max(0, selected ?? 0));
	const lastAdded = useRef(added);

	const update = (): void => {
		const element = box.current;
		if (!element) return;
		first.value = Math.floor(element.scrollTop / rowHeight / STEP) * STEP;
		visible.value = Math.ceil(element.clientHeight / rowHeight);
	};
	useLayoutEffect(() => {
		const element = box.current;
		if (!element) return;
		update();
		const observer = new ResizeObserver(update);
		observer.observe(element);
		return () => observer.disconnect();
	}, [rowHeight]);
	useLayoutEffect(() => {
		const element = box.current;
		if (element && element.scrollTop > 0) element.scrollTop += (added - lastAdded.current) * rowHeight;
		if (added !== lastAdded.current && active.peek() > 0) active.value += added - lastAdded.current;
		lastAdded.current = added;
	}, [added]);

	const isSelected = selected !== undefined && selected >= 0;
	useLayoutEffect(() => {
		if (box.current && isSelected) scrollTo(box.current, selected, rowHeight);
	}, [isSelected]);
	// A shorter list has its last row active.
	if (count > 0 && active.peek() >= count) active.value = count - 1;
	const start = Math.max(0, Math.min(first.value, count) - OVERSCAN);
	const end = Math.min(count, first.value + visible.value + STEP + OVERSCAN);
	// A row that leaves at one end is used again at the other: no element is made while scrolling.
	const slots = visible.value + STEP + 2 * OVERSCAN;
	useEffect(() => onRange?.(start, end), [start, end, count]);

	const move = (index: number): void => {
		active.value = Math.max(0, Math.min(count - 1, index));
		if (box.current) scrollTo(box.current, active.value, rowHeight);
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		const target = keyTarget(event.key, { active: active.peek(), count, page: visible.peek() - 1 });
		if (target === undefined) {
			if (event.key !== 'Enter' && event.key !== ' ') return;
			onOpen?.(active.peek());
		} else move(target);
		event.preventDefault();
	};
	const open = (index: number): void => {
		active.value = index;
		onOpen?.(index);
	};
	return (
		<div
			ref={box}
			class="virtual-list"
			role="listbox"
			aria-label={label}
			tabIndex={0}
			aria-activedescendant={count > 0 ? rowId(label, active.value) : undefined}
			onScroll={update}
			onKeyDown={onKeyDown}
		>
			<div class="virtual-space" style={{ height: `${Math.min(count * rowHeight, MAX_HEIGHT)}px` }}>
				{Array.from({ length: Math.max(0, end - start) }, (_, at) => (
					<VirtualRow
						{...props}
						index={start + at}
						key={(start + at) % slots}
						isActive={start + at === active.value}
						onOpen={open}
					/>
				))}
			</div>
		</div>
	);
}

function VirtualRow(
	props: VirtualListProps & { index: number; isActive: boolean; onOpen: (index: number) => void },
): JSX.Element {
	const { index, isActive, label, count, rowHeight, selected, onOpen, row } = props;
	return (
		<div
			id={rowId(label, index)}
			class={`virtual-row${isActive ? ' active' : ''}`}
			role="option"
			aria-selected={index === selected}
			aria-posinset={index + 1}
			aria-setsize={count}
			style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
			onClick={() => onOpen(index)}
		>
			{row(index)}
		</div>
	);
}

function rowId(label: string, index: number): string {
	return `${label.replaceAll(/\W/g, '-')}-${index}`;
}

function keyTarget(
	key: string,
	{ active, count, page }: { active: number; count: number; page: number },
): number | undefined {
	if (key === 'ArrowDown' || key === 'j') return active + 1;
	if (key === 'ArrowUp' || key === 'k') return active - 1;
	if (key === 'PageDown') return active + page;
	if (key === 'PageUp') return active - page;
	if (key === 'Home') return 0;
	if (key === 'End') return count - 1;
	return undefined;
}

function scrollTo(box: HTMLDivElement, index: number, rowHeight: number): void {
	const top = index * rowHeight;
	if (top < box.scrollTop) box.scrollTop = top;
	else if (top + rowHeight > box.scrollTop + box.clientHeight)
		box.scrollTop = top + rowHeight - box.clientHeight;
}
