/*
 * Streaming calls and subscriptions that can be canceled by id.
 *
 * A cancel may come on another stream than the call, so the table belongs to the
 * whole server. A peer cancels only its own: ids of others are not even found.
 */

export class RunningStreams {
	readonly #cancels = new Map<string, () => void>();

	/** Gives back what forgets the entry. A second call under the same id takes the place of the first. */
	add(owner: string, id: string, cancel: () => void): () => void {
		const key = keyOf(owner, id);
		this.#cancels.set(key, cancel);
		return () => {
			if (this.#cancels.get(key) === cancel) this.#cancels.delete(key);
		};
	}

	/** False when there is no such call, or no longer. */
	cancel(owner: string, id: string): boolean {
		const cancel = this.#cancels.get(keyOf(owner, id));
		cancel?.();
		return cancel !== undefined;
	}
}

function keyOf(owner: string, id: string): string {
	return `${owner}\n${id}`;
}
