/* Columns of text, fitted to a width: the last column is truncated. Cells may come from outside. */
import { printableLine } from '../../printable.ts';
import type { Output } from './output.ts';
import { cutText, padText, textWidth } from './text-width.ts';

const GAP = '  ';
const NARROWEST_LAST = 16;

type Cell = string | number | null | undefined;

/** A column for each heading: a member of an item, or a function of it. Where there is nothing, `-` is shown. */
export type Columns<Item> = Readonly<
	Record<
		string,
		((item: Item) => Cell) | { [Key in keyof Item]: Item[Key] extends Cell ? Key : never }[keyof Item]
	>
>;

/** Print items as a table. @param narrow the headings that a narrow terminal shows; default: all */
export function printTable<Item>(
	out: Output,
	items: readonly Item[],
	narrow: readonly string[] | undefined,
	columns: Columns<Item>,
): void {
	printRows(out, Object.keys(columns), rowsOf(items, columns), narrow);
}

/** The cells of each item. */
export function rowsOf<Item>(items: readonly Item[], columns: Columns<Item>): string[][] {
	const all = Object.values(columns);
	return items.map((item) =>
		all.map((column) => String((typeof column === 'function' ? column(item) : item[column]) ?? '-')),
	);
}

/** Print a table with a heading. A terminal gets it fitted to its width, anything else whole. */
export function printRows(
	out: Output,
	headings: readonly string[],
	rows: readonly (readonly string[])[],
	narrow?: readonly string[],
): void {
	const width = out.isTerminal ? out.width : undefined;
	const [heading = '', ...lines] = tableLines(headings, rows, width, narrow);
	out.line(out.style('dim', heading));
	for (const line of lines) out.line(line);
}

/**
 * Lines with a heading; `width` undefined means as wide as it takes. When all columns do not fit, only those with the
 * headings `narrow` are shown.
 */
export function tableLines(
	headings: readonly string[],
	rows: readonly (readonly string[])[],
	width: number | undefined,
	narrow?: readonly string[],
): string[] {
	const all = [headings, ...rows].map((row) => row.map((cell) => printableLine(cell.replace(/\s+/g, ' '))));
	const widths = headings.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))));
	const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
	if (narrow && width !== undefined && before + NARROWEST_LAST > width) {
		const some = (row: readonly string[]): string[] =>
			narrow.map((heading) => row[headings.indexOf(heading)] ?? '');
		return tableLines(some(headings), rows.map(some), width);
	}
	const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(NARROWEST_LAST, width - before);
	return all.map((row) =>
		row
			.map((cell, column) =>
				column < widths.length - 1 ? padText(cell, widths[column] ?? 0) : cutText(cell, room),
			)
			.join(GAP)
			.trimEnd(),
	);
}
