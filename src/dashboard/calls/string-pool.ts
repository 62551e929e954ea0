/*
 * Strings that repeat, as small numbers: names of tools, clients, servers.
 *
 * Each use is counted, and a number is free again when the last use is released, so the
 * memory is bounded by the calls that are retained. Secrets are replaced once, when a
 * string is seen first.
 */
import { redact } from '../../redact.ts';
import { INTERNED_CHARACTERS } from '../dashboard-limits.ts';

export class StringPool {
	readonly #ids = new Map<string, number>();
	readonly #strings: string[] = [];
	/** The strings as they were given, cut. */
	readonly #keys: string[] = [];
	readonly #uses: number[] = [];
	readonly #free: number[] = [];

	/** The number of a string, with one more use. */
	add(text: string): number {
		const key = text.length > INTERNED_CHARACTERS ? `${text.slice(0, INTERNED_CHARACTERS)}…` : text;
		const known = this.#ids.get(key);
		if (known !== undefined) {
			this.#uses[known] = (this.#uses[known] ?? 0) + 1;
			return known;
		}
		const id = this.#free.pop() ?? this.#strings.length;
		this.#ids.set(key, id);
		this.#keys[id] = key;
		this.#strings[id] = redact(key);
		this.#uses[id] = 1;
		return id;
	}

	/** One use less. */
	release(id: number): void {
		const uses = (this.#uses[id] ?? 0) - 1;
		this.#uses[id] = uses;
		if (uses > 0) return;
		this.#ids.delete(this.#keys[id] ?? '');
		this.#strings[id] = '';
		this.#keys[id] = '';
		this.#free.push(id);
	}

	/** Without secrets. */
	text(id: number): string {
		return this.#strings[id] ?? '';
	}

	/** An array with 1 at each number whose string passes the test. */
	matching(test: (text: string) => boolean): Uint8Array {
		return Uint8Array.from(this.#strings, (text) => (test(text) ? 1 : 0));
	}
}
