/*
 * Bounds the elicitation and sampling requests of a server: each takes the attention of a
 * user or the tokens of a model. Roots are not counted: the program of the client answers.
 */
import { OrchestraError } from '../../../errors.ts';
import { CLIENT_REQUESTS_PER_CALL, CLIENT_REQUESTS_PER_MINUTE } from '../source-limits.ts';

const MINUTE_MS = 60_000;

export class ClientRequestRate {
	readonly #server: string;
	readonly #now: () => number;
	readonly #byCall = new WeakMap<object, number>();
	#minuteAt = Number.NEGATIVE_INFINITY;
	#inMinute = 0;

	constructor(server: string, now: () => number = () => performance.now()) {
		this.#server = server;
		this.#now = now;
	}

	/** Count the requests of these methods. Throws `bad_input` when they are too many. */
	count(call: object, methods: readonly string[]): void {
		const count = methods.filter((method) => method !== 'roots/list').length;
		if (count === 0) return;
		const now = this.#now();
		if (now - this.#minuteAt >= MINUTE_MS) {
			this.#minuteAt = now;
			this.#inMinute = 0;
		}
		const ofCall = (this.#byCall.get(call) ?? 0) + count;
		if (ofCall > CLIENT_REQUESTS_PER_CALL)
			throw this.#tooMany(`${CLIENT_REQUESTS_PER_CALL} times during one call`);
		if (this.#inMinute + count > CLIENT_REQUESTS_PER_MINUTE)
			throw this.#tooMany(`${CLIENT_REQUESTS_PER_MINUTE} times within a minute`);
		this.#byCall.set(call, ofCall);
		this.#inMinute += count;
	}

	#tooMany(bound: string): OrchestraError {
		return new OrchestraError('bad_input', `${this.#server} may ask its clients at most ${bound}`, {
			hint: 'The server asks for input or for messages of a model again and again. Report this to its author.',
		});
	}
}
