/*
 * The end of an idle hub that a bridge of a newer version asks for.
 *
 * The hub decides, since only it knows that nobody uses it. From the decision on it
 * accepts no connection, and a client whose connection was not accepted has sent nothing:
 * so no call is lost, whatever connects at the same moment. It finds the next hub.
 */
import type { LinkPeer } from '../../link/link.ts';
import { within } from '../../rpc/clock.ts';
import { RETIREMENT_ANSWER_MS } from './shared-limits.ts';

/** `connected`: nobody uses it, but there is another connection, which may be about to end. */
export type RetirementAnswer = 'retired' | 'used' | 'connected';

export class Retirement {
	readonly #isIdle: () => boolean;
	readonly #closeIfAlone: () => boolean;
	readonly #stop = new AbortController();
	#asker: LinkPeer | undefined;

	/** @param isIdle besides the request itself @param closeIfAlone stops to accept connections, unless there is a second one */
	constructor(isIdle: () => boolean, closeIfAlone: () => boolean) {
		this.#isIdle = isIdle;
		this.#closeIfAlone = closeIfAlone;
	}

	/** Aborted when the hub has to end. */
	get signal(): AbortSignal {
		return this.#stop.signal;
	}

	/** End the hub if it is idle. */
	ask(peer: LinkPeer): RetirementAnswer {
		if (!this.#isIdle()) return 'used';
		if (!this.#closeIfAlone()) return 'connected';
		this.#asker = peer;
		this.#stop.abort();
		return 'retired';
	}

	/** Resolves when the bridge has the answer. */
	async answered(): Promise<void> {
		if (this.#asker) await within(this.#asker.closed, RETIREMENT_ANSWER_MS);
	}
}
