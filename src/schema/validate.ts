/*
 * Check a value against a JSON Schema (2020-12).
 *
 * The schema library is loaded when it is first needed, since loading it takes
 * longer than running most tools, and each schema is compiled once. The sentences name
 * the path of each wrong field. Schema and value both come from outside, so both
 * are bounded before the library sees them.
 */
import type { Ajv2020, ErrorObject, Options } from 'ajv/dist/2020.js';
import { messageOf, OrchestraError } from '../errors.ts';
import { assertBounded } from '../files/value-bounds.ts';
import { canonicalJson } from '../wire/canonical-json.ts';
import type { JsonObject } from '../wire/json.ts';
import { BoundedPattern } from './bounded-pattern.ts';
import { BUDGET_KEYWORD, boundedSchema } from './bounded-schema.ts';
import { type PlainCheck, plainCheck } from './plain-schema.ts';
import { REFERENCE_BUDGET } from './schema-limits.ts';

/** The errors of one value. */
type Check = (value: unknown) => readonly ErrorObject[];

const compiled = new WeakMap<JsonObject, Promise<Check>>();
const plain = new WeakMap<JsonObject, PlainCheck>();

/** The errors of `value`, one sentence each; none when it is valid. Throws `bad_input` for a broken schema. */
export function validate(schema: JsonObject, value: unknown, name: string): string[] | Promise<string[]> {
	let isPlainlyValid = plain.get(schema);
	if (isPlainlyValid === undefined) {
		isPlainlyValid = boundedPlainCheck(schema);
		plain.set(schema, isPlainlyValid);
	}
	return isPlainlyValid(value) ? none : validateFully(schema, value, name);
}

const none: string[] = [];

/** The same; none for a schema that cannot be checked here, which the tool checks itself. */
export async function mistakesIn(schema: JsonObject, value: unknown, name: string): Promise<string[]> {
	try {
		return await validate(schema, value, name);
	} catch (error) {
		if (OrchestraError.is(error, 'bad_input')) return none;
		throw error;
	}
}

/** A schema over a bound is left to `compile`, which refuses it. */
function boundedPlainCheck(schema: JsonObject): PlainCheck {
	try {
		assertBounded(schema);
		return plainCheck(schema);
	} catch {
		return () => false;
	}
}

async function validateFully(schema: JsonObject, value: unknown, name: string): Promise<string[]> {
	const check = await compile(schema);
	try {
		assertBounded(value);
		return [...new Set(check(value).map((error) => sentence(error, name)))];
	} catch (error) {
		// Over a bound: the value is refused like any other that cannot be shown to be valid.
		if (OrchestraError.is(error, 'bad_input')) return [`${name}: ${error.message}`];
		throw error;
	}
}

/** Compile a schema, to find out whether it is one. Throws `bad_input` saying why not. */
export function compile(schema: JsonObject): Promise<Check> {
	const known = compiled.get(schema) ?? compileNew(schema);
	compiled.set(schema, known);
	return known;
}

async function compileNew(schema: JsonObject): Promise<Check> {
	const { Ajv2020 } = await import('ajv/dist/2020.js');
	// A schema may name an older draft; it is read as 2020-12 all the same.
	const { $schema: _draft, ...rest } = schema;
	try {
		const budget = new ReferenceBudget();
		const isValid = addBoundedKeywords(new Ajv2020(settings), budget).compile(boundedSchema(rest));
		return (value) => {
			budget.reset();
			return isValid(value) ? [] : (isValid.errors ?? []);
		};
	} catch (error) {
		throw new OrchestraError('bad_input', `the schema is not JSON Schema 2020-12: ${messageOf(error)}`, {
			hint: 'Correct inputSchema or outputSchema in the manifest.',
		});
	}
}

/** References are called and not copied, and the code is not optimized: both take long on a hostile schema. */
const settings: Options = {
	allErrors: true,
	strict: false,
	validateFormats: false,
	logger: false,
	inlineRefs: false,
	code: {
		optimize: false,
		regExp: Object.assign((source: string) => new BoundedPattern(source), { code: 'boundedPattern' }),
	},
};

/** Keywords whose usual check can take very long, done in bounded time. */
function addBoundedKeywords(ajv: Ajv2020, budget: ReferenceBudget): Ajv2020 {
	return ajv
		.removeKeyword('uniqueItems')
		.addKeyword({
			keyword: 'uniqueItems',
			type: 'array',
			schemaType: 'boolean',
			error: { message: 'must not hold equal items' },
			validate: (isUnique: boolean, items: unknown[]) => !isUnique || areUnique(items),
		})
		.addKeyword({ keyword: BUDGET_KEYWORD, before: '$ref', validate: () => budget.spend(), errors: false });
}

/** Counts the references that are followed while one value is checked. */
class ReferenceBudget {
	#left = REFERENCE_BUDGET;

	reset(): void {
		this.#left = REFERENCE_BUDGET;
	}

	/** True while there is budget. Throws `bad_input` after it. */
	spend(): boolean {
		if (--this.#left >= 0) return true;
		throw new OrchestraError(
			'bad_input',
			`takes more than ${REFERENCE_BUDGET} steps to check against its schema`,
			{ hint: 'Send a smaller value, or make the schema less recursive.' },
		);
	}
}

/** Are all items different? Each is compared by a text of it, so the time grows with the size alone. Their depth is bounded before. */
function areUnique(items: readonly unknown[]): boolean {
	const seen = new Set<string>();
	for (const item of items) {
		const text = canonicalJson(item);
		if (seen.has(text)) return false;
		seen.add(text);
	}
	return true;
}

function sentence(
	{ instancePath, keyword, params, message = 'is not valid' }: ErrorObject,
	name: string,
): string {
	const path = name + instancePath.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
	const extra: unknown = params['additionalProperty'];
	const allowed: unknown = params['allowedValues'];
	if (keyword === 'additionalProperties') return `${path}.${String(extra)} is not a field of this tool`;
	if (keyword === 'required') return `${path}.${String(params['missingProperty'])} is required`;
	if (Array.isArray(allowed))
		return `${path} must be one of ${allowed.map((v) => JSON.stringify(v)).join(', ')}`;
	return `${path} ${message}`;
}
