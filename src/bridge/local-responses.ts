/*
 * Responses that the bridge gives without a hub: to a ping and to invalid messages.
 * They are identical to the responses of a hub.
 */
import { encodeResult } from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { responseToInvalid, responseToOversize } from './error-responses.ts';
import { type Head, invalidRequest } from './message-head.ts';

export interface LocalResponsesOptions {
	/** Whether a request is in flight under this id. */
	readonly isInFlight: (id: string) => boolean;
	/** Whether the revision of the session allows batches. */
	readonly acceptsBatch: () => boolean;
}

export class LocalResponses {
	readonly #options: LocalResponsesOptions;
	#hasSpokenModern = false;
	#hasSpokenLegacy = false;

	constructor(options: LocalResponsesOptions) {
		this.#options = options;
	}

	/** Track the era of the client's requests: it decides the form of errors without an id. */
	observe(head: Head): void {
		if (head.kind === 'batch' && this.#options.acceptsBatch())
			for (const part of head.parts) this.observe(part);
		if (head.kind !== 'request') return;
		if (head.isModern) this.#hasSpokenModern = true;
		else this.#hasSpokenLegacy = true;
	}

	/** The response; undefined when the message is for the hub. */
	to(head: Head): string | undefined {
		if (head.kind === 'invalid') return this.#refuse(head);
		if (head.kind === 'response')
			return this.#refuse(
				invalidRequest(head.id === 'null' ? undefined : head.id, 'a request needs a `method`'),
			);
		if (head.kind === 'batch' && !this.#options.acceptsBatch())
			return this.#refuse(invalidRequest(undefined, 'this protocol version has no batches'));
		if (head.kind !== 'request') return undefined;
		const { id, method, isModern } = head;
		if (this.#options.isInFlight(id)) {
			const { code } = invalidRequest(id, '').error;
			return this.#refuse({ kind: 'invalid', id, error: { code, message: `id ${id} is already in flight` } });
		}
		// The modern era has no ping; the hub returns the error.
		return method === 'ping' && !isModern ? encodeResult(id, {}) : undefined;
	}

	/** The response to an oversize line; undefined when the line was itself a response. */
	toOversize(line: OversizeLine): string | undefined {
		return responseToOversize(line, this.#unknownId);
	}

	#refuse(head: Head & { kind: 'invalid' }): string {
		return responseToInvalid(head, this.#unknownId);
	}

	/** Some modern clients refuse `id: null`. */
	get #unknownId(): null | undefined {
		return this.#hasSpokenModern && !this.#hasSpokenLegacy ? undefined : null;
	}
}
