/*
 * How many clients watch each resource, over all pipes of a server, so that the
 * provider hears of the first one and of the last.
 */
import type { Provider } from './provider.ts';

/** How many resources one client may watch at once. */
export const WATCHED_RESOURCES = 10_000;

export class Watches {
	readonly #counts = new Map<string, number>();

	add(provider: Provider, uri: string): void {
		const count = this.#counts.get(uri) ?? 0;
		this.#counts.set(uri, count + 1);
		if (count === 0) provider.watchResource?.(uri, true);
	}

	remove(provider: Provider, uri: string): void {
		const count = this.#counts.get(uri) ?? 0;
		if (count > 1) this.#counts.set(uri, count - 1);
		else if (this.#counts.delete(uri)) provider.watchResource?.(uri, false);
	}
}
