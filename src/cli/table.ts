/* Columns of text, fitted to a width: the last column gives way. */

const GAP = '  ';
const NARROWEST_LAST = 16;

/** Lines with a heading; `width` undefined means as wide as it takes. */
export function tableLines(
	headings: readonly string[],
	rows: readonly (readonly string[])[],
	width: number | undefined,
): string[] {
	const all = [headings, ...rows];
	const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
	const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
	const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(NARROWEST_LAST, width - before);
	return all.map((row) =>
		row
			.map((cell, column) =>
				column < widths.length - 1 ? cell.padEnd(widths[column] ?? 0) : cut(cell, room),
			)
			.join(GAP)
			.trimEnd(),
	);
}

function cut(text: string, room: number): string {
	return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}
