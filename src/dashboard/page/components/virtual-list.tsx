/*
 * A list of any length: only the rows near the visible part exist.
 *
 * Rows have one height, so the place of a row is a multiplication and nothing is measured while
 * scrolling. The list is one stop for the Tab key; arrows, Page Up, Page Down, Home and End move
 * the active row, Enter opens it. Rows that are added above (`added`) do not move what is read.
 */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ELEMENT_HEIGHT_LIMIT } from '../page-limits.ts';

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
	/** Called when the reader leaves the top, and when the reader is there again. */
	readonly onTop?: (isAtTop: boolean) => void;
	/** Called with the range of rows that exist now. */
	readonly onRange?: (first: number, end: number) => void;
}

/** Rows outside of the visible part that exist too. */
const OVERSCAN = 10;
/** The window moves in steps, so that most scroll events change nothing. */
const STEP = 5;
/** A list of so few rows needs no scrolling; where it stands among others it is as high as its rows. */
const SHORT = 11;

export function VirtualList(props: VirtualListProps): JSX.Element {
	const { label, count, rowHeight, onOpen } = props;
	const { box, active, start, end, slots, page, update } = useVisibleRows(props);
	const open = (index: number): void => {
		active.value = index;
		onOpen?.(index);
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		const target = keyTarget(event.key, { active: active.peek(), count, page });
		if (target === undefined) {
			if (event.key !== 'Enter' && event.key !== ' ') return;
			open(active.peek());
		} else {
			active.value = Math.max(0, Math.min(count - 1, target));
			if (box.current) scrollTo(box.current, active.value, rowHeight);
		}
		event.preventDefault();
	};
	return (
		<div
			ref={box}
			class={`virtual-list${count <= SHORT ? ' short' : ''}`}
			role="listbox"
			aria-label={label}
			tabIndex={0}
			aria-activedescendant={count > 0 ? rowId(label, active.value) : undefined}
			onScroll={update}
			onKeyDown={onKeyDown}
		>
			<div class="virtual-space" style={{ height: `${Math.min(count * rowHeight, ELEMENT_HEIGHT_LIMIT)}px` }}>
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

interface VisibleRows {
	readonly box: RefObject<HTMLDivElement | null>;
	/** The row that the keys move. */
	readonly active: Signal<number>;
	readonly start: number;
	readonly end: number;
	/** A row that leaves at one end is used again at the other: no element is made while scrolling. */
	readonly slots: number;
	/** Rows of one page. */
	readonly page: number;
	readonly update: () => void;
}

/** Which rows exist, by the place and the height of the box. */
function useVisibleRows({
	count,
	rowHeight,
	selected = -1,
	added = 0,
	onTop,
	onRange,
}: VirtualListProps): VisibleRows {
	const box = useRef<HTMLDivElement>(null);
	const first = useSignal(0);
	const visible = useSignal(40);
	const active = useSignal(Math.max(0, selected));
	const update = (): void => {
		const element = box.current;
		if (!element) return;
		first.value = Math.floor(element.scrollTop / rowHeight / STEP) * STEP;
		visible.value = Math.ceil(element.clientHeight / rowHeight);
		// A list that is not displayed has no height, and its scroll position is unknown.
		if (element.clientHeight > 0) onTop?.(element.scrollTop <= 0);
	};
	useLayoutEffect(() => {
		const element = box.current;
		if (!element) return;
		update();
		const observer = new ResizeObserver(update);
		observer.observe(element);
		return () => observer.disconnect();
	}, [rowHeight]);
	useAddedRows({ box, active, added, rowHeight });
	useLayoutEffect(() => {
		if (box.current && selected >= 0) scrollTo(box.current, selected, rowHeight);
	}, [selected >= 0]);
	// A shorter list has its last row active.
	if (count > 0 && active.peek() >= count) active.value = count - 1;
	const start = Math.max(0, Math.min(first.value, count) - OVERSCAN);
	const end = Math.min(count, first.value + visible.value + STEP + OVERSCAN);
	useEffect(() => onRange?.(start, end), [start, end, count]);
	const slots = visible.value + STEP + 2 * OVERSCAN;
	return { box, active, start, end, slots, page: visible.value - 1, update };
}

type AddedRows = Pick<VisibleRows, 'box' | 'active'> & { readonly added: number; readonly rowHeight: number };

/** Keep the rows that are read where they are when others come above them. */
function useAddedRows({ box, active, added, rowHeight }: AddedRows): void {
	const last = useRef(added);
	useLayoutEffect(() => {
		const more = added - last.current;
		last.current = added;
		if (more === 0) return;
		if (box.current && box.current.scrollTop > 0) box.current.scrollTop += more * rowHeight;
		if (active.peek() > 0) active.value += more;
	}, [added]);
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
