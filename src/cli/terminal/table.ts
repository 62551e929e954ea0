/* Columns of text, fitted to a width: the last column is truncated. Cells may come from outside. */
import { printableLine } from '../../printable.ts';
import type { Output } from './output.ts';
import { cutText, padText, textWidth } from './text-width.ts';

const GAP = '  ';
const NARROWEST_LAST = 16;

/** Print a table with a heading. A terminal gets it fitted to its width, anything else whole. */
export function printTable(
	out: Output,
	headings: readonly string[],
	rows: readonly (readonly string[])[],
	narrow?: readonly number[],
): void {
	const width = out.isTerminal ? out.width : undefined;
	for (const line of tableLines(headings, rows, width, narrow)) out.line(line);
}

/**
 * Lines with a heading; `width` undefined means as wide as it takes. When all columns do not fit, only those with the
 * indexes `narrow` are shown.
 */
export function tableLines(
	headings: readonly string[],
	rows: readonly (readonly string[])[],
	width: number | undefined,
	narrow?: readonly number[],
): string[] {
	const all = [headings, ...rows].map((row) => row.map((cell) => printableLine(cell.replace(/\s+/g, ' '))));
	const widths = headings.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))));
	const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
	if (narrow && width !== undefined && before + NARROWEST_LAST > width) {
		const some = (row: readonly string[]): string[] => narrow.map((column) => row[column] ?? '');
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
