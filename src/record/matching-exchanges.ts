/*
 * Finds the recorded exchange for a request: equal method and params, in the order of the
 * recording.
 *
 * `_meta` does not count: it has tokens and the trace of one client. The handshake is
 * found by its method alone, because another client says other things about itself. A
 * replaced secret in recorded params stands for any text. A request that is made more
 * often than it was recorded gets the last answer again, except a call of a tool, which
 * may change something.
 */
import { MASK } from '../token-shapes.ts';
import { canonicalJson } from '../wire/canonical-json.ts';
import { isObject } from '../wire/json.ts';
import { MESSAGE_LEVELS } from '../wire/wire-limits.ts';
import { type RecordedExchange, requestKey, withoutMeta } from './exchanges.ts';

const byMethodAlone: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** Why there is no exchange. */
export type Missing = 'method' | 'params' | 'used up';

interface Queue {
	readonly exchanges: RecordedExchange[];
	next: number;
}

export class MatchingExchanges {
	readonly #byKey = new Map<string, Queue>();
	/** The exchanges with replaced secrets in their params. */
	readonly #masked: RecordedExchange[] = [];
	readonly #methods = new Set<string>();

	constructor(exchanges: readonly RecordedExchange[]) {
		for (const exchange of exchanges) {
			const key = keyOf(exchange.method, exchange.key);
			const queue = this.#byKey.get(key);
			if (queue) queue.exchanges.push(exchange);
			else this.#byKey.set(key, { exchanges: [exchange], next: 0 });
			if (exchange.isMasked) this.#masked.push(exchange);
			this.#methods.add(exchange.method);
		}
	}

	find(method: string, params: unknown): RecordedExchange | Missing {
		const queue = this.#queueOf(method, params);
		if (queue === undefined) return this.#methods.has(method) ? 'params' : 'method';
		const found = queue.exchanges[queue.next];
		if (found === undefined)
			return method === 'tools/call' ? 'used up' : (queue.exchanges.at(-1) ?? 'params');
		queue.next++;
		return found;
	}

	#queueOf(method: string, params: unknown): Queue | undefined {
		const key = keyOf(method, requestKey(method, params));
		const exact = this.#byKey.get(key);
		if (exact) return exact;
		const similar = this.#masked.find(
			(exchange) => exchange.method === method && fits(withoutMeta(exchange.params), withoutMeta(params), 0),
		);
		return similar && this.#byKey.get(similar.key);
	}
}

function keyOf(method: string, key: string): string {
	return byMethodAlone.has(method) ? method : key;
}

/** Whether a value is the recorded one, with any text in place of a replaced secret. */
function fits(recorded: unknown, given: unknown, depth: number): boolean {
	if (typeof recorded === 'string' && recorded.includes(MASK))
		return typeof given === 'string' && fitsText(recorded.split(MASK), given);
	if (depth < MESSAGE_LEVELS && Array.isArray(recorded) && Array.isArray(given)) {
		return recorded.length === given.length && recorded.every((each, at) => fits(each, given[at], depth + 1));
	}
	if (depth < MESSAGE_LEVELS && isObject(recorded) && isObject(given)) {
		const names = Object.keys(recorded);
		return (
			names.length === Object.keys(given).length &&
			names.every((name) => Object.hasOwn(given, name) && fits(recorded[name], given[name], depth + 1))
		);
	}
	return canonicalJson(recorded) === canonicalJson(given);
}

/** Whether a text has these pieces in order, the first at its start and the last at its end. */
function fitsText(pieces: readonly string[], text: string): boolean {
	const [first = '', ...rest] = pieces;
	const last = rest.pop() ?? '';
	if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
		return false;
	let at = first.length;
	for (const piece of rest) {
		const found = text.indexOf(piece, at);
		if (found === -1) return false;
		at = found + piece.length;
	}
	return at <= text.length - last.length;
}
