/*
 * Bounds for an untrusted schema, checked before it is compiled.
 *
 * The schema library turns a schema into code. Depth, long chains of references and
 * hundreds of alternatives make that take seconds or exhaust the stack, and a
 * recursive schema with two branches doubles the work at each level of the value.
 * So a schema is copied within bounds, and each reference in the copy gets a keyword
 * that counts how often it is followed.
 */
import { OrchestraError } from '../errors.ts';
import { assertBounded } from '../files/value-bounds.ts';
import { isObject, type JsonObject, type JsonValue } from '../wire/json.ts';
import {
	SCHEMA_BRANCH_LIMIT,
	SCHEMA_REFERENCE_LIMIT,
	SCHEMA_VALUE_LIMIT,
	SUBSCHEMA_LIMIT,
} from './schema-limits.ts';

/** The keyword that counts references while a value is checked. */
export const BUDGET_KEYWORD = 'orchestraBudget';

/** Keywords whose value is a map from names to schemas. */
const mapKeywords = new Set([
	'properties',
	'patternProperties',
	'$defs',
	'definitions',
	'dependentSchemas',
	'dependencies',
]);
/** Keywords whose value is data, never a schema. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired']);

/** A copy to compile. Throws `bad_input` naming the bound that the schema breaks. */
export function boundedSchema(schema: JsonObject): JsonObject {
	assertBounded(schema, { count: SCHEMA_VALUE_LIMIT });
	return new SchemaCopy().schema(schema);
}

class SchemaCopy {
	readonly #targets = new Set<string>();
	#count = 0;

	schema(source: JsonObject): JsonObject {
		if (++this.#count > SUBSCHEMA_LIMIT) throw tooMany('schemas', SUBSCHEMA_LIMIT);
		const copy: JsonObject = {};
		for (const [keyword, rule] of Object.entries(source)) {
			if (rule !== undefined) set(copy, keyword, this.#rule(keyword, rule));
			if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(keyword) && typeof rule === 'string')
				this.#follow(copy, rule);
		}
		return copy;
	}

	#rule(keyword: string, rule: JsonValue): JsonValue {
		if (dataKeywords.has(keyword)) return rule;
		if (mapKeywords.has(keyword) && isObject(rule)) {
			const copy: JsonObject = {};
			for (const [name, inner] of Object.entries(rule))
				if (inner !== undefined) set(copy, name, this.#value(inner));
			return copy;
		}
		return this.#value(rule);
	}

	#value(value: JsonValue): JsonValue {
		if (Array.isArray(value)) {
			if (value.length > SCHEMA_BRANCH_LIMIT && value.some(isObject))
				throw tooMany('alternatives in one list', SCHEMA_BRANCH_LIMIT);
			return value.map((inner) => this.#value(inner));
		}
		return isObject(value) ? this.schema(value) : value;
	}

	#follow(copy: JsonObject, target: string): void {
		this.#targets.add(target);
		if (this.#targets.size > SCHEMA_REFERENCE_LIMIT)
			throw tooMany('targets of references', SCHEMA_REFERENCE_LIMIT);
		copy[BUDGET_KEYWORD] = true;
	}
}

/** A key may be `__proto__`, which an assignment would take for something else. */
function set(target: JsonObject, key: string, value: JsonValue): void {
	Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

function tooMany(what: string, limit: number): OrchestraError {
	return new OrchestraError('bad_input', `it has more than ${limit} ${what}`, {
		hint: 'Make the schema smaller.',
		data: { limit },
	});
}
