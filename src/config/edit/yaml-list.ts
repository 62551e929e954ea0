/* Remove items of a list in YAML, by lines; every other character stays. */
import { OrchestraError } from '../../errors.ts';
import { composeBoundedYaml } from '../../files/bounded-yaml.ts';
import { applyTextEdits, lineStart, nextLine, type TextEdit } from './text-edits.ts';

/** Remove the items with these indexes from the list under the top-level `key`. Throws `bad_input` for a list in brackets. */
export function removeYamlItems(text: string, key: string, indexes: readonly number[]): string {
	if (indexes.length === 0) return text;
	const { document, yaml } = composeBoundedYaml(text);
	const pair = yaml.isMap(document.contents)
		? document.contents.items.find((item) => yaml.isScalar(item.key) && item.key.value === key)
		: undefined;
	const list = pair?.value;
	if (!yaml.isSeq(list) || list.flow === true) throw notBlockList(key);
	const edits: TextEdit[] = indexes.map((index) => {
		const item = list.items[index];
		const range = yaml.isNode(item) ? item.range : undefined;
		if (!range) throw notBlockList(key);
		const last = range[0] + text.slice(range[0], range[1]).trimEnd().length;
		return { at: lineStart(text, range[0]), end: nextLine(text, last), text: '' };
	});
	if (indexes.length === list.items.length && yaml.isNode(pair?.key)) {
		// A key without a value would be null.
		const colon = text.indexOf(':', pair.key.range?.[1] ?? 0) + 1;
		edits.push({ at: colon, end: colon, text: ' []' });
	}
	return applyTextEdits(text, edits);
}

function notBlockList(key: string): OrchestraError {
	return new OrchestraError('bad_input', `${key} is not a list with an item on each line`, {
		hint: 'Edit it by hand.',
	});
}
