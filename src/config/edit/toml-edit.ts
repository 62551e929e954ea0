/* Remove and append a table in TOML; every other character stays. */
import { editWithoutMark, isBlank, lineEnding, lineStart, nextLine } from './text-edits.ts';
import { type TomlStatement, tomlLibrary, tomlStatements } from './toml-statements.ts';

/** Remove the table at `path`, however it is written: tables, dotted keys, an inline table. */
export function removeTomlTable(text: string, path: readonly string[]): string {
	return editWithoutMark(text, (body) => {
		const blocks = blocksOf(tomlStatements(body), path.length).filter(({ path: own }) => isBelow(own, path));
		return blocks.reduceRight((rest, { start, end }) => cutBlock(rest, start, end), body);
	});
}

/** The table at `path` as it is written; undefined when it is not written as tables of its own. */
export function tomlTableText(text: string, path: readonly string[]): string | undefined {
	const body = text.replace(/^\uFEFF/, '');
	const blocks = blocksOf(tomlStatements(body), path.length).filter(({ path: own }) => isBelow(own, path));
	const isOfTables = blocks.length > 0 && blocks.every(({ kind }) => kind === 'table');
	return isOfTables ? blocks.map(({ start, end }) => withEnd(body.slice(start, end))).join('\n') : undefined;
}

/** Append tables at the end of the text: a value for the table at `path`, or a text of tables. */
export function appendTomlTable(text: string, path: readonly string[], value: unknown): string {
	const nested = path.reduceRight((inner, key) => ({ [key]: inner }), value);
	const tables = typeof value === 'string' ? value : tomlLibrary().stringify(nested);
	const eol = lineEnding(text);
	const isOpen = text !== '' && !text.endsWith('\n');
	const isApart = isBlank(text.replace(/^\uFEFF/, '')) || /\n[ \t\r]*\n$/.test(text);
	const gap = isApart ? '' : eol;
	return `${text}${isOpen ? eol : ''}${gap}${withEnd(tables).replaceAll(/\r?\n/g, eol)}`;
}

function withEnd(text: string): string {
	return text.endsWith('\n') ? text : `${text}\n`;
}

type Block = Pick<TomlStatement, 'kind' | 'path' | 'start' | 'end'>;

/**
 * A table with its own pairs is one block, comments between them included, when its path has at least `depth` keys:
 * the pairs of a shorter one may belong to several tables.
 */
function blocksOf(statements: readonly TomlStatement[], depth: number): Block[] {
	const blocks: Block[] = [];
	for (const { kind, path, start, end } of statements) {
		const last = blocks.at(-1);
		const isOfTable = kind === 'pair' && last?.kind === 'table' && last.path.length >= depth;
		if (isOfTable) blocks[blocks.length - 1] = { ...last, end };
		else blocks.push({ kind, path, start, end });
	}
	return blocks;
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
	return above.every((key, index) => path[index] === key);
}

/** Cut whole lines; of the blank lines before and after, one group stays. */
function cutBlock(text: string, start: number, end: number): string {
	const isBlankBefore = start === 0 || isBlank(text.slice(lineStart(text, start - 1), start));
	let to = end;
	while (isBlankBefore && to < text.length && isBlank(text.slice(to, nextLine(text, to))))
		to = nextLine(text, to);
	return text.slice(0, start) + text.slice(to);
}
