/*
 * The frame of a chart over steps: as wide as its place, with a cursor and a line of numbers below.
 *
 * The numbers are those of the step under the pointer or, with the arrow keys, under the cursor;
 * without either they are those of all steps. So nothing floats over the chart, and a reader without a mouse gets the same.
 */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Where the marks of a chart are, in pixels. */
export interface ChartArea {
	readonly width: number;
	readonly height: number;
	/** Room for the axis. */
	readonly left: number;
	readonly bottom: number;
	/** The width of a step. */
	readonly step: number;
	/** The left edge of a step. */
	readonly x: (index: number) => number;
}

interface ChartFrameProps {
	readonly label: string;
	/** Steps. */
	readonly count: number;
	readonly height?: number;
	/** The numbers of a step; of all steps for undefined. */
	readonly numbers: (index: number | undefined) => ComponentChildren;
	readonly children: (area: ChartArea) => ComponentChildren;
}

/** Holds `1,234,567,890`. */
const LEFT = 76;
const BOTTOM = 18;
const FIRST_WIDTH = 600;

export function ChartFrame({ label, count, height = 150, numbers, children }: ChartFrameProps): JSX.Element {
	const box = useRef<HTMLDivElement>(null);
	const width = useWidth(box);
	const step = (width.value - LEFT) / Math.max(1, count);
	const { cursor, ...handlers } = useCursor(box, count, step);
	const x = (at: number): number => LEFT + at * step;
	const area = { width: width.value, height, left: LEFT, bottom: BOTTOM, step, x };
	const shown = cursor.value !== undefined && cursor.value < count ? cursor.value : undefined;
	return (
		<figure class="chart">
			<div
				ref={box}
				class="chart-plot"
				role="slider"
				tabIndex={0}
				aria-label={label}
				aria-valuemin={0}
				aria-valuemax={Math.max(0, count - 1)}
				aria-valuenow={shown ?? Math.max(0, count - 1)}
				aria-valuetext={shown === undefined ? 'all' : `step ${shown + 1} of ${count}`}
				{...handlers}
			>
				<svg viewBox={`0 0 ${width.value} ${height}`} height={height} aria-hidden="true">
					{shown !== undefined && (
						<rect class="cursor" x={x(shown)} y={0} width={step} height={height - BOTTOM} />
					)}
					{children(area)}
				</svg>
			</div>
			<figcaption class="numbers" aria-live="polite">
				{numbers(shown)}
			</figcaption>
		</figure>
	);
}

/** The width of an element, in pixels. */
function useWidth(box: RefObject<HTMLElement | null>): Signal<number> {
	const width = useSignal(FIRST_WIDTH);
	useLayoutEffect(() => {
		const element = box.current;
		if (!element) return undefined;
		const observer = new ResizeObserver(() => {
			width.value = Math.max(200, element.clientWidth);
		});
		observer.observe(element);
		return () => observer.disconnect();
	}, []);
	return width;
}

interface Cursor {
	/** The step that is pointed at. */
	readonly cursor: Signal<number | undefined>;
	readonly onPointerMove: (event: PointerEvent) => void;
	readonly onPointerLeave: () => void;
	readonly onKeyDown: (event: KeyboardEvent) => void;
	readonly onBlur: () => void;
}

function useCursor(box: RefObject<HTMLElement | null>, count: number, step: number): Cursor {
	const cursor = useSignal<number | undefined>(undefined);
	const leave = (): void => {
		cursor.value = undefined;
	};
	return {
		cursor,
		onPointerLeave: leave,
		onBlur: leave,
		onPointerMove(event) {
			const left = box.current?.getBoundingClientRect().left ?? 0;
			const index = Math.floor((event.clientX - left - LEFT) / step);
			cursor.value = index >= 0 && index < count ? index : undefined;
		},
		onKeyDown(event) {
			const next = nextCursor(event.key, cursor.peek(), count);
			if (next === undefined) return;
			cursor.value = next === -1 ? undefined : next;
			event.preventDefault();
			event.stopPropagation();
		},
	};
}

/** The step that a key leads to; -1 for none, undefined for another key. */
function nextCursor(key: string, at: number | undefined, count: number): number | undefined {
	switch (key) {
		case 'ArrowLeft':
		case 'ArrowDown':
			return Math.max(0, (at ?? count) - 1);
		case 'ArrowRight':
		case 'ArrowUp':
			return Math.min(count - 1, (at ?? -1) + 1);
		case 'Home':
			return 0;
		case 'End':
			return count - 1;
		case 'Escape':
			return -1;
		default:
			return undefined;
	}
}
