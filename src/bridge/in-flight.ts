/*
 * The requests of the client that await an answer, so that each gets one whatever
 * happens to the hub. Listening requests stay open for ever and hold up nothing.
 */

export interface Flight {
	readonly method: string;
	/** The whole request, kept only where a new hub must be told of it. */
	readonly text: string | undefined;
	/** The batch it came in; its answers go back together. */
	readonly batch: object | undefined;
}

export class InFlight {
	readonly #flights = new Map<string, Flight>();
	readonly #onIdle: () => void;
	#listening = 0;

	/** @param onIdle told whenever nothing but listening is left */
	constructor(onIdle: () => void) {
		this.#onIdle = onIdle;
	}

	get isIdle(): boolean {
		return this.#flights.size === this.#listening;
	}

	add(id: string, flight: Flight): void {
		this.take(id);
		this.#flights.set(id, flight);
		if (isListening(flight)) this.#listening++;
	}

	/** The request is over: forget it. */
	take(id: string): Flight | undefined {
		const flight = this.#flights.get(id);
		if (flight === undefined) return undefined;
		this.#flights.delete(id);
		if (isListening(flight)) this.#listening--;
		if (this.isIdle) this.#onIdle();
		return flight;
	}

	/** Every request that is left, which then counts as answered. */
	takeAll(): [id: string, flight: Flight][] {
		const all = [...this.#flights];
		this.#flights.clear();
		this.#listening = 0;
		this.#onIdle();
		return all;
	}

	/** Ids of the requests that listen. */
	listening(): string[] {
		return [...this.#flights].filter(([, flight]) => isListening(flight)).map(([id]) => id);
	}
}

function isListening({ method }: Flight): boolean {
	return method === 'subscriptions/listen';
}
