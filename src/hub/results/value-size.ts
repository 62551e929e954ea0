/* An estimate of the size of a value as JSON, without encoding it. */
import { JsonText } from '../../wire/json-text.ts';

/** Characters for the punctuation around one value. */
const PUNCTUATION = 4;

/** True when the JSON of `value` has about more than `limit` characters. Stops counting there. */
export function isLarger(value: unknown, limit: number): boolean {
	return countCharacters(value, limit) > limit;
}

/** About the number of characters of the JSON of `value`, counted up to about `limit`. */
export function countCharacters(value: unknown, limit: number): number {
	if (value instanceof JsonText) return value.text.length;
	let count = 0;
	const pending: unknown[] = [value];
	while (pending.length > 0 && count <= limit) {
		const next = pending.pop();
		count += PUNCTUATION;
		if (typeof next === 'string') count += next.length;
		else if (Array.isArray(next)) for (const item of next) pending.push(item);
		else if (typeof next === 'object' && next !== null) {
			for (const key of Object.keys(next)) {
				count += key.length;
				pending.push(Reflect.get(next, key));
			}
		}
	}
	return count;
}
