/* Remove and append a table in TOML; every other character stays. */
import { isBlank, keepMark, lineEnding, lineStart, nextLine } from './text-edits.ts';
import { type TomlStatement, tomlStatements } from './toml-statements.ts';

/** Remove the table at `path`, however it is written: tables, dotted keys, an inline table. */
export function removeTomlTable(text: string, path: readonly string[]): string {
	return keepMark(text, (body) => {
		const blocks = blocksOf(tomlStatements(body), path.length).filter(({ path: own }) => isBelow(own, path));
		return blocks.reduceRight((rest, { start, end }) => cutBlock(rest, start, end), body);
	});
}

/** Append a table of strings and lists of strings at the end of the text. */
export function appendTomlTable(
	text: string,
	path: readonly string[],
	values: Readonly<Record<string, string | readonly string[]>>,
): string {
	const eol = lineEnding(text);
	const lines = [
		`[${path.map(tomlKey).join('.')}]`,
		...Object.entries(values).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`),
	];
	const isOpen = text !== '' && !text.endsWith('\n');
	const gap = isBlank(text.replace(/^\uFEFF/, '')) ? '' : eol;
	return `${text}${isOpen ? eol : ''}${gap}${lines.join(eol)}${eol}`;
}

type Block = Pick<TomlStatement, 'path' | 'start' | 'end'>;

/**
 * A table with its own pairs is one block, comments between them included, when its path has at least `depth` keys:
 * the pairs of a shorter one may belong to several tables.
 */
function blocksOf(statements: readonly TomlStatement[], depth: number): Block[] {
	const blocks: (Block & Pick<TomlStatement, 'kind'>)[] = [];
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

function tomlKey(key: string): string {
	return /^[\w-]+$/.test(key) ? key : tomlText(key);
}

function tomlValue(value: string | readonly string[]): string {
	return typeof value === 'string' ? tomlText(value) : `[${value.map(tomlText).join(', ')}]`;
}

/** A basic string has the escapes of JSON, and must escape DEL too. */
function tomlText(text: string): string {
	return JSON.stringify(text).replaceAll('\u007F', '\\u007F');
}
