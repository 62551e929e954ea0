/* Which resources are subscribed to, and which of them an update concerns. */
import { SUBSCRIPTION_PARENTS_LIMIT } from '../mcp-limits.ts';

/** Resources with the number of their subscribers. */
export class ResourceSubscriptions {
	readonly #counts = new Map<string, number>();

	/** The resources with a subscriber. */
	get uris(): readonly string[] {
		return [...this.#counts.keys()];
	}

	get isEmpty(): boolean {
		return this.#counts.size === 0;
	}

	/** Add or remove one subscriber. */
	change(uri: string, isSubscribed: boolean): void {
		const count = (this.#counts.get(uri) ?? 0) + (isSubscribed ? 1 : -1);
		if (count > 0) this.#counts.set(uri, count);
		else this.#counts.delete(uri);
	}
}

/** A URI and those above it, each without and with the slash at its end: an update may be of a sub-resource. */
export function* withParents(uri: string): Generator<string> {
	yield uri;
	let at = uri.length;
	for (let level = 0; level < SUBSCRIPTION_PARENTS_LIMIT; level++) {
		at = uri.lastIndexOf('/', at - 1);
		if (at <= 0) return;
		if (at + 1 < uri.length) yield uri.slice(0, at + 1);
		yield uri.slice(0, at);
	}
}

/** Whether an update of this resource concerns a subscriber: to the resource, or to one above it. */
export function isSubscribedTo(uri: string, subscribed: { has(uri: string): boolean }): boolean {
	for (const each of withParents(uri)) if (subscribed.has(each)) return true;
	return false;
}

/** Whether a change is for the session with this id: one without a session is for all. */
export function isForSession(change: { readonly sessionId?: string | undefined }, id: string): boolean {
	return change.sessionId === undefined || change.sessionId === id;
}
