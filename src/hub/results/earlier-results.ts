/*
 * Results of read-only tools that a session got before: the same call with the same result is answered
 * with the handle of the earlier one. The call is made each time; only its answer is shorter.
 */
import { sha256 } from '../../files/sha256.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { encodeJson } from '../../wire/json-text.ts';
import type { HubCall } from '../calls/hub-call.ts';
import { REMEMBERED_RESULTS } from './result-limits.ts';

/** A result that a session got. */
interface EarlierResult {
	readonly sessionId: string;
	readonly hash: string;
	readonly handle: string;
	readonly at: Date;
}

/** Results of read-only tools that sessions got before. */
export class EarlierResults {
	/** Keyed by session, tool and arguments, the least recently used first. */
	readonly #earlier = new BoundedMap<string, EarlierResult>(REMEMBERED_RESULTS);

	/** The earlier result of the same call when it is the same; undefined when it is not. */
	find(call: HubCall, result: unknown): Pick<EarlierResult, 'handle' | 'at'> | undefined {
		const key = keyOf(call);
		const found = this.#earlier.get(key);
		if (found === undefined) return undefined;
		this.#earlier.delete(key);
		if (found.hash !== sha256(encodeJson(result))) return undefined;
		this.#earlier.set(key, found);
		return found;
	}

	/** The session gets this result now, and it is kept. */
	remember(call: HubCall, result: unknown, handle: string): void {
		const { sessionId } = call.context;
		this.#earlier.set(keyOf(call), { sessionId, hash: sha256(encodeJson(result)), handle, at: new Date() });
	}

	endSession(sessionId: string): void {
		for (const [key, earlier] of this.#earlier)
			if (earlier.sessionId === sessionId) this.#earlier.delete(key);
	}
}

function keyOf({ context, name, arguments: input }: HubCall): string {
	return sha256(`${context.sessionId}\n${name}\n${canonicalJson(input ?? {})}`);
}
