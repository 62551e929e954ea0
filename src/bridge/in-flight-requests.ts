/*
 * The requests of the client that await a response, so that each gets one whatever
 * happens to the hub. Subscriptions stay open and do not count for idleness.
 */
import { CallTable } from '../rpc/calls/call-table.ts';

export interface InFlightRequest {
	readonly method: string;
	/** The whole request, stored only when it must be replayed to a new hub. */
	readonly text: string | undefined;
	/** The batch that contains it; the responses of a batch are sent together. */
	readonly batch: object | undefined;
}

export class InFlightRequests {
	readonly #requests = new CallTable<string, InFlightRequest>();
	readonly #onIdle: () => void;
	#listening = 0;

	/** @param onIdle called whenever only subscriptions are left */
	constructor(onIdle: () => void) {
		this.#onIdle = onIdle;
	}

	get isIdle(): boolean {
		return this.#requests.size === this.#listening;
	}

	/** The request that is in flight under this id. */
	get(id: string): InFlightRequest | undefined {
		return this.#requests.get(id);
	}

	/** @param id not in flight yet */
	add(id: string, request: InFlightRequest): void {
		this.#requests.set(id, request);
		if (isListening(request)) this.#listening++;
	}

	/** Remove a request that has ended. */
	take(id: string): InFlightRequest | undefined {
		const request = this.#requests.take(id);
		if (request === undefined) return undefined;
		if (isListening(request)) this.#listening--;
		if (this.isIdle) this.#onIdle();
		return request;
	}

	/** Remove and return every request. */
	takeAll(): [id: string, request: InFlightRequest][] {
		const all = [...this.#requests.entries()];
		this.#requests.clear();
		this.#listening = 0;
		this.#onIdle();
		return all;
	}
}

/** Whether a request is a subscription, which stays open. */
export function isListening({ method }: Pick<InFlightRequest, 'method'>): boolean {
	return method === 'subscriptions/listen';
}
