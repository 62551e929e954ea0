/*
 * The items of the backends that have answered while others have not, so that a call
 * does not wait for a plugin that hangs when another backend has the tool.
 */
import type { Backend } from './backends/backend.ts';
import type { BackendItems } from './merged-list.ts';

export class PartialList<T> {
	readonly #items = new Map<Backend, readonly T[]>();
	#searches: (() => void)[] = [];

	add({ backend, items }: BackendItems<T>): void {
		this.#items.set(backend, items);
		for (const look of this.#searches) look();
	}

	/** The items of a backend; undefined when it has not answered. */
	of(backend: Backend): readonly T[] | undefined {
		return this.#items.get(backend);
	}

	/** The first defined result of `look`, called now and after each answer. Never resolves when there is none. */
	find<R>(look: () => R | undefined): Promise<R> {
		return new Promise((resolve) => {
			const search = (): void => {
				const found = look();
				if (found === undefined) return;
				this.#searches = this.#searches.filter((other) => other !== search);
				resolve(found);
			};
			this.#searches.push(search);
			search();
		});
	}
}
