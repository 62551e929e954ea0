/* Keywords of JSON Schema whose usual check can take very long, done in bounded time. */
import { OrchestraError } from '../errors.ts';
import { isObject } from '../wire/json.ts';
import { REFERENCE_BUDGET } from './schema-limits.ts';

/** Counts the references that are followed while one value is checked. */
export class ReferenceBudget {
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

/** Are all items different? Each is compared by a text of it, so the time grows with the size alone. */
export function areUnique(items: readonly unknown[]): boolean {
	const seen = new Set<string>();
	for (const item of items) {
		const text = canonical(item);
		if (seen.has(text)) return false;
		seen.add(text);
	}
	return true;
}

/** JSON with sorted keys: equal values have equal texts. The depth of values is bounded before. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
	if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
	const members = Object.keys(value)
		.sort()
		.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
	return `{${members.join()}}`;
}
