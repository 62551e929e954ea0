/*
 * Strings that repeat, as small numbers: names of tools, clients, servers.
 *
 * Each use is counted, and a number is free again when the last use is released, so the
 * memory is bounded by the calls that are retained. Secrets are replaced once, when a
 * string is seen first.
 */
import { redact } from '../../redact.ts';
import { INTERNED_CHARACTERS } from '../dashboard-limits.ts';

interface PooledString {
	/** As it was given, cut. */
	key: string;
	/** Without secrets. */
	text: string;
	uses: number;
}

export class StringPool {
	readonly #ids = new Map<string, number>();
	readonly #strings: PooledString[] = [];
	readonly #free: number[] = [];

	/** The number of a string, with one more use. */
	add(given: string): number {
		const key = given.length > INTERNED_CHARACTERS ? `${given.slice(0, INTERNED_CHARACTERS)}…` : given;
		const known = this.#ids.get(key);
		const string = known === undefined ? undefined : this.#strings[known];
		if (known !== undefined && string) {
			string.uses++;
			return known;
		}
		const id = this.#free.pop() ?? this.#strings.length;
		this.#ids.set(key, id);
		this.#strings[id] = { key, text: redact(key), uses: 1 };
		return id;
	}

	/** One use less. */
	release(id: number): void {
		const string = this.#strings[id];
		if (string === undefined || --string.uses > 0) return;
		this.#ids.delete(string.key);
		this.#strings[id] = { key: '', text: '', uses: 0 };
		this.#free.push(id);
	}

	/** Without secrets. */
	text(id: number): string {
		return this.#strings[id]?.text ?? '';
	}

	/** An array with 1 at each number whose string passes the test. */
	matching(test: (text: string) => boolean): Uint8Array {
		return Uint8Array.from(this.#strings, ({ text }) => (test(text) ? 1 : 0));
	}
}
