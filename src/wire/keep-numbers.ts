/*
 * Values of others that are written again with their numbers as they were: all digits of a
 * large one, and forms such as `1.0`.
 *
 * The parts of the value that have such a number get a hidden `toJSON`, which writes their
 * source text. So they keep it inside another value, and in copies of what is above them;
 * a copy of the part itself has none.
 */
import { elementsOf, isObject, memberTexts, rewritesNumbers } from './json.ts';
import { embedText } from './json-rpc.ts';

/** How many levels of a value keep their text: a list has its page, its items and their members. */
const LEVELS = 4;

/** Let our encoder write `value` as `text`, which it was parsed from, when its numbers would be written differently. */
export function keepNumbers(value: unknown, text: string | undefined, levels: number = LEVELS): void {
	if (typeof value !== 'object' || value === null || text === undefined) return;
	if (levels === 0 || !rewritesNumbers(text) || Object.hasOwn(value, 'toJSON')) return;
	// A line break inside the text would end the line that it is written to; JSON has them between values only.
	const written = text.replaceAll(/[\r\n]/g, ' ');
	const copy = (): object => (Array.isArray(value) ? [...value] : { ...value });
	Object.defineProperty(value, 'toJSON', { value: () => embedText(written) ?? copy() });
	if (isObject(value)) {
		for (const [key, part] of memberTexts(text)) keepNumbers(value[key], part, levels - 1);
	} else if (Array.isArray(value)) {
		const parts = elementsOf(text);
		for (const [at, element] of value.entries()) keepNumbers(element, parts[at], levels - 1);
	}
}
