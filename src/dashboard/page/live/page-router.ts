/* The view that is open, as the browser has it in its address and its history. */
import { type Signal, signal } from '@preact/signals';
import { type PageRoute, parseRoute } from './route.ts';

export class PageRouter {
	readonly route: Signal<PageRoute>;
	#hash = location.hash;

	constructor() {
		this.route = signal(parseRoute(this.#hash));
		addEventListener('hashchange', () => this.#follow());
	}

	/** The view changes at once: the next key may come before the event of the browser. */
	open(href: string): void {
		location.hash = href;
		this.#follow();
	}

	/** Change the address without a new entry in the history, as while the user types. */
	replace(href: string): void {
		history.replaceState(null, '', href);
		this.#follow();
	}

	#follow(): void {
		if (this.#hash === location.hash) return;
		this.#hash = location.hash;
		this.route.value = parseRoute(this.#hash);
	}
}
