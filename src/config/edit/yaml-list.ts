/* Remove and append items of a list in YAML, by lines; every other character stays. */
import type * as Yaml from 'yaml';
import { OrchestraError } from '../../errors.ts';
import { composeBoundedYaml } from '../../files/bounded-yaml.ts';
import { applyTextEdits, isBlank, lineEnding, lineStart, nextLine, type TextEdit } from './text-edits.ts';

/** Remove the items with these indexes from the list under the top-level `key`. Throws `bad_input` when there is none. */
export function removeYamlItems(text: string, key: string, indexes: readonly number[]): string {
	if (indexes.length === 0) return text;
	const { yaml, pair } = findList(text, key);
	const list = pair?.value;
	if (!yaml.isSeq(list)) throw notEditableList(key);
	if (list.flow === true)
		return indexes.toSorted((a, b) => b - a).reduce((rest, index) => removeFlowItem(rest, key, index), text);
	const edits = indexes.map((index): TextEdit => {
		const lines = linesOf(text, yaml, list.items[index]);
		if (lines === undefined) throw notEditableList(key);
		return { ...lines, text: '' };
	});
	if (indexes.length === list.items.length && yaml.isNode(pair?.key)) {
		// A key without a value would be null.
		const colon = text.indexOf(':', pair.key.range?.[1] ?? 0) + 1;
		edits.push({ at: colon, end: colon, text: ' []' });
	}
	return applyTextEdits(text, edits);
}

/** Remove an item with the comma behind it, or the last one with the comma before it. */
function removeFlowItem(text: string, key: string, index: number): string {
	const { yaml, pair } = findList(text, key);
	const items = yaml.isSeq(pair?.value) ? pair.value.items : [];
	const [before, own, after] = [-1, 0, 1].map((step) => rangeOf(yaml, items[index + step]));
	if (own === undefined) throw notEditableList(key);
	const at = after === undefined ? (before?.[1] ?? own[0]) : own[0];
	return applyTextEdits(text, [{ at, end: after?.[0] ?? own[1], text: '' }]);
}

/** An item as it is written, in whole lines; undefined when the list is in brackets. */
export function yamlItemText(text: string, key: string, index: number): string | undefined {
	const { yaml, pair } = findList(text, key);
	if (!yaml.isSeq(pair?.value) || pair.value.flow === true) return undefined;
	const lines = linesOf(text, yaml, pair.value.items[index]);
	return lines && text.slice(lines.at, lines.end);
}

/**
 * Append an item to the list under the top-level `key`, which may be missing: as the whole lines of another text, or
 * as its value. Throws `bad_input` when there is something else than a list.
 */
export function appendYamlItem(
	text: string,
	key: string,
	item: { lines?: string | undefined; value: unknown },
): string {
	const { yaml, pair, isInBrackets } = findList(text, key);
	const eol = lineEnding(text);
	const { lines = `- ${JSON.stringify(item.value)}` } = item;
	if (pair === undefined) {
		const open = text === '' || text.endsWith('\n') ? text : text + eol;
		return `${open}${key}:${eol}${indented(lines, '  ', eol)}`;
	}
	const list = pair.value;
	const range = rangeOf(yaml, list);
	if (yaml.isSeq(list) && (isInBrackets || (list.flow === true && list.items.length > 0))) {
		const at = (range?.[1] ?? 0) - 1;
		const comma = list.items.length > 0 ? ', ' : '';
		return applyTextEdits(text, [{ at, end: at, text: comma + JSON.stringify(item.value) }]);
	}
	if (!yaml.isSeq(list) || list.items.length === 0) {
		// Nothing, null or `[]` behind the key.
		const isEmpty = yaml.isSeq(list) || list === null || (yaml.isScalar(list) && list.value === null);
		const keyEnd = rangeOf(yaml, pair.key)?.[1];
		if (!isEmpty || keyEnd === undefined) throw notEditableList(key);
		const at = range?.[0] ?? text.indexOf(':', keyEnd) + 1;
		const end = range?.[1] ?? at;
		const blanks = /[ \t]*$/.exec(text.slice(0, at))?.[0].length ?? 0;
		const rest = nextLine(text, end);
		return applyTextEdits(text, [
			{ at: at - blanks, end, text: '' },
			{ at: rest, end: rest, text: (text[rest - 1] === '\n' ? '' : eol) + indented(lines, '  ', eol) },
		]);
	}
	const last = linesOf(text, yaml, list.items.at(-1));
	if (last === undefined) throw notEditableList(key);
	const indent = /^[ \t]*/.exec(text.slice(last.at))?.[0] ?? '';
	const gap = text[last.end - 1] === '\n' ? '' : eol;
	return applyTextEdits(text, [{ at: last.end, end: last.end, text: gap + indented(lines, indent, eol) }]);
}

interface FoundList {
	readonly yaml: typeof Yaml;
	readonly pair: Yaml.Pair | undefined;
	/** The whole text is a map in brackets. */
	readonly isInBrackets: boolean;
}

function findList(text: string, key: string): FoundList {
	const { document, yaml } = composeBoundedYaml(text);
	const { contents } = document;
	if (!yaml.isMap(contents)) return { yaml, pair: undefined, isInBrackets: false };
	const pair = contents.items.find((item) => yaml.isScalar(item.key) && item.key.value === key);
	return { yaml, pair, isInBrackets: contents.flow === true };
}

export function rangeOf(yaml: typeof Yaml, node: unknown): Yaml.Range | undefined {
	return yaml.isNode(node) ? (node.range ?? undefined) : undefined;
}

/** The lines of an item, from its dash to its last one. */
function linesOf(text: string, yaml: typeof Yaml, item: unknown): { at: number; end: number } | undefined {
	const range = rangeOf(yaml, item);
	if (range === undefined) return undefined;
	const last = range[0] + text.slice(range[0], range[1]).trimEnd().length;
	return { at: lineStart(text, range[0]), end: nextLine(text, last) };
}

/** Lines that begin with a dash, with another indentation. */
function indented(lines: string, indent: string, eol: string): string {
	const own = /^[ \t]*/.exec(lines)?.[0] ?? '';
	return lines
		.replace(/\r?\n$/, '')
		.split(/\r?\n/)
		.map(
			(line) =>
				(isBlank(line) ? line : indent + (line.startsWith(own) ? line.slice(own.length) : line)) + eol,
		)
		.join('');
}

function notEditableList(key: string): OrchestraError {
	return new OrchestraError('bad_input', `${key} is not a list that can be edited`, {
		hint: 'Edit it by hand.',
	});
}
