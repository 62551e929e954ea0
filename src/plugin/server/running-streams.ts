/*
 * Streaming calls and subscriptions that can be canceled by id.
 *
 * A cancel request may use another stream than the call, so all streams of a server
 * share one table. A peer can cancel only its own calls.
 */

export class RunningStreams {
	readonly #cancels = new Map<string, () => void>();

	/** Returns the function that removes the entry. A second call with the same id replaces the first. */
	add(owner: string, id: string, cancel: () => void): () => void {
		const key = keyOf(owner, id);
		this.#cancels.set(key, cancel);
		return () => {
			if (this.#cancels.get(key) === cancel) this.#cancels.delete(key);
		};
	}

	/** False when no such call is running. */
	cancel(owner: string, id: string): boolean {
		const cancel = this.#cancels.get(keyOf(owner, id));
		cancel?.();
		return cancel !== undefined;
	}
}

function keyOf(owner: string, id: string): string {
	return `${owner}\n${id}`;
}
