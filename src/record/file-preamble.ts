/* The lines that the next file of a recording begins with: the handshake, and the requests in flight. */
import { BoundedMap } from '../rpc/bounded-map.ts';
import { IN_FLIGHT_LIMIT } from './record-limits.ts';
import type { Side } from './recording-format.ts';

const handshake: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/** A line of a recording. A batch has neither id nor method: its requests are not carried over. */
export interface WrittenLine {
	readonly from: Side;
	readonly line: string;
	readonly id?: unknown;
	readonly method?: unknown;
}

export class FilePreamble {
	/** Keyed by the sender and the id of the request. */
	readonly #inFlight = new BoundedMap<string, string>(IN_FLIGHT_LIMIT);
	readonly #handshake: string[] = [];
	/** The requests of the handshake without an answer. */
	readonly #opening = new Set<string>();

	get lines(): readonly string[] {
		return [...this.#handshake, ...this.#inFlight.values()];
	}

	/** A line was written. */
	add({ from, id, method, line }: WrittenLine): void {
		if (method === undefined) return this.#answered(from, JSON.stringify(id), line);
		if (method === 'notifications/initialized' && this.#handshake.length < IN_FLIGHT_LIMIT)
			this.#handshake.push(line);
		if (id === undefined) return;
		const key = `${from} ${JSON.stringify(id)}`;
		if (handshake.has(method) && this.#handshake.length < IN_FLIGHT_LIMIT) {
			this.#handshake.push(line);
			this.#opening.add(key);
			return;
		}
		this.#inFlight.set(key, line);
	}

	#answered(from: Side, id: string, line: string): void {
		const key = `${from === 'client' ? 'server' : 'client'} ${id}`;
		if (this.#opening.delete(key)) this.#handshake.push(line);
		this.#inFlight.delete(key);
	}
}
