/*
 * The items of the sources that have answered while others have not, so that a call
 * does not wait for a plugin that hangs when another source has the tool.
 */
import type { Source } from '../source.ts';
import type { SourceItems } from './merged-list.ts';

export class PartialList<T> {
	readonly #items = new Map<Source, readonly T[]>();
	#searches: (() => void)[] = [];

	add({ source, items }: SourceItems<T>): void {
		this.#items.set(source, items);
		for (const look of this.#searches) look();
	}

	/** The items of a source; undefined when it has not answered. */
	of(source: Source): readonly T[] | undefined {
		return this.#items.get(source);
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
