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

	/** The request that is in flight under this id. */
	get(id: string): Flight | undefined {
		return this.#flights.get(id);
	}

	/** @param id which is not in flight */
	add(id: string, flight: Flight): void {
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
}

/** Whether a request stays open until one side ends it. */
export function isListening({ method }: Pick<Flight, 'method'>): boolean {
	return method === 'subscriptions/listen';
}
