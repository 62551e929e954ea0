/* Keywords of JSON Schema whose usual check can take very long, done in bounded time. */
import { OrchestraError } from '../errors.ts';
import { canonicalJson } from '../wire/canonical-json.ts';
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

/** Are all items different? Each is compared by a text of it, so the time grows with the size alone. Their depth is bounded before. */
export function areUnique(items: readonly unknown[]): boolean {
	const seen = new Set<string>();
	for (const item of items) {
		const text = canonicalJson(item);
		if (seen.has(text)) return false;
		seen.add(text);
	}
	return true;
}
