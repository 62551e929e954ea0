/* Sort the keys of JSON from a Struct: Protobuf maps have no order, and Go shuffles them. */
import { isObject, type JsonObject, type JsonValue } from '../wire/json.ts';

/** The same object with the keys of every object in it sorted. */
export function sortedKeys(object: JsonObject): JsonObject {
	const keys = Object.keys(object).sort();
	return Object.fromEntries(keys.map((key) => [key, sorted(object[key] ?? null)]));
}

function sorted(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(sorted);
	return isObject(value) ? sortedKeys(value) : value;
}
