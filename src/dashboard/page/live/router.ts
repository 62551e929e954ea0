/* The view that is open, as the browser has it in its address and its history. */
import { type Signal, signal } from '@preact/signals';
import { type PageRoute, parseRoute } from './route.ts';

export class Router {
	readonly route: Signal<PageRoute>;

	constructor() {
		this.route = signal(parseRoute(location.hash));
		addEventListener('hashchange', () => {
			this.route.value = parseRoute(location.hash);
		});
	}

	open(href: string): void {
		location.hash = href;
	}

	/** Change the address without a new entry in the history, as while somebody types. */
	replace(href: string): void {
		history.replaceState(null, '', href);
		this.route.value = parseRoute(href);
	}
}
