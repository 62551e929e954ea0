/*
 * Counts the subscribers of each resource over all sessions, so that the source of
 * the resource is notified of the first subscriber and of the last one only.
 */

/** Most resources that one client may subscribe to. */
export const RESOURCE_SUBSCRIPTIONS_LIMIT = 10_000;

export class ResourceSubscriptions {
	readonly #counts = new Map<string, number>();

	/** Add or remove one subscriber. True when the resource got its first subscriber or lost its last one. */
	change(uri: string, isSubscribed: boolean): boolean {
		const before = this.#counts.get(uri) ?? 0;
		const count = Math.max(0, before + (isSubscribed ? 1 : -1));
		if (count > 0) this.#counts.set(uri, count);
		else this.#counts.delete(uri);
		return (before === 0) !== (count === 0);
	}
}
