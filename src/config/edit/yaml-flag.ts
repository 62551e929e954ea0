/* Set one flag of an item of a list in YAML; every other character stays. */
import { isDeepStrictEqual } from 'node:util';
import type * as Yaml from 'yaml';
import { OrchestraError } from '../../errors.ts';
import { boundedValue, composeBoundedYaml } from '../../files/bounded-yaml.ts';
import { isObject } from '../../wire/json.ts';
import {
	applyTextEdits,
	editWithoutMark,
	lineEnding,
	lineStart,
	nextLine,
	type TextEdit,
} from './text-edits.ts';
import { rangeOf } from './yaml-list.ts';

/** Set the flag at `path`: key of the list, index, key of the flag. Throws `bad_input` for an item that is an alias. */
export function setYamlFlag(text: string, path: readonly (string | number)[], value: boolean): string {
	return editWithoutMark(text, (body) => {
		const { document, yaml } = composeBoundedYaml(body, { merge: true });
		const item = document.getIn(path.slice(0, -1), true);
		if (!yaml.isMap(item)) throw notEditable(path);
		const key = String(path.at(-1));
		const edited = applyTextEdits(body, [flagEdit(body, { yaml, item }, key, value)]);
		if (!isEditAlone(body, edited, path, value)) throw notEditable(path);
		return edited;
	});
}

/** Replace the value of the key, or add the key behind a line with another one. */
function flagEdit(
	body: string,
	{ yaml, item }: { yaml: typeof Yaml; item: Yaml.YAMLMap },
	key: string,
	value: boolean,
): TextEdit {
	const own = item.items.find((pair) => yaml.isScalar(pair.key) && pair.key.value === key);
	const place = rangeOf(yaml, own?.value);
	if (place) return { at: place[0], end: place[1], text: String(value) };
	const other = item.items.find((pair) => yaml.isScalar(pair.value));
	const start = rangeOf(yaml, other?.key)?.[0] ?? 0;
	if (item.flow === true) return { at: start, end: start, text: `${key}: ${value}, ` };
	const indent = ' '.repeat(start - lineStart(body, start));
	const at = nextLine(body, rangeOf(yaml, other?.value)?.[1] ?? start);
	const eol = lineEnding(body);
	const isLast = at === body.length && !body.endsWith('\n');
	return {
		at,
		end: at,
		text: isLast ? `${eol}${indent}${key}: ${value}` : `${indent}${key}: ${value}${eol}`,
	};
}

/** An anchor, a tag or a value over several lines may make it another text than meant. */
function isEditAlone(
	before: string,
	after: string,
	path: readonly (string | number)[],
	value: boolean,
): boolean {
	const expected = composeBoundedYaml(before, { merge: true }).document;
	expected.setIn(path, value);
	const [wanted, found] = [expected, composeBoundedYaml(after, { merge: true }).document].map((document) =>
		boundedValue(document),
	);
	return isObject(found) && isDeepStrictEqual(found, wanted);
}

function notEditable(path: readonly (string | number)[]): OrchestraError {
	return new OrchestraError(
		'bad_input',
		`${path.join('.')} cannot be set without changing more of the YAML`,
		{
			hint: 'Edit it by hand.',
		},
	);
}
