/*
 * What the bridge answers without a hub: a ping, and what is no request. The answers
 * are those that a hub would give, so a client cannot tell who gave them.
 */
import type { OversizeLine } from '../wire/lines.ts';
import { type Head, invalidRequest } from './message-head.ts';
import { answerToInvalid, answerToOversize } from './refusals.ts';

export interface LocalAnswersParts {
	/** Is a request in flight under this id? */
	readonly isInFlight: (id: string) => boolean;
	/** Does the revision of the session have batches? */
	readonly acceptsBatch: () => boolean;
}

export class LocalAnswers {
	readonly #parts: LocalAnswersParts;
	#hasSpokenModern = false;
	#hasSpokenLegacy = false;

	constructor(parts: LocalAnswersParts) {
		this.#parts = parts;
	}

	/** A message came: the era of its requests decides how later errors without an id look. */
	note(head: Head): void {
		if (head.kind === 'batch' && this.#parts.acceptsBatch()) for (const part of head.parts) this.note(part);
		if (head.kind !== 'request') return;
		if (head.isModern) this.#hasSpokenModern = true;
		else this.#hasSpokenLegacy = true;
	}

	/** The answer; undefined when the message is for a hub. */
	to(head: Head): string | undefined {
		if (head.kind === 'invalid') return this.#refuse(head);
		if (head.kind === 'answer')
			return this.#refuse(invalidRequest(head.id === 'null' ? '' : head.id, 'a request needs a `method`'));
		if (head.kind === 'batch' && !this.#parts.acceptsBatch())
			return this.#refuse(invalidRequest('', 'this protocol version has no batches'));
		if (head.kind !== 'request') return undefined;
		const { id, method, isModern } = head;
		if (this.#parts.isInFlight(id)) {
			const { error } = invalidRequest(id, '');
			return this.#refuse({
				kind: 'invalid',
				id,
				error: { ...error, message: `id ${id} is already in flight` },
			});
		}
		// The modern era has no ping, and a hub says so.
		return method === 'ping' && !isModern ? `{"jsonrpc":"2.0","id":${id},"result":{}}` : undefined;
	}

	/** The answer to a line that was too long; undefined when it was itself an answer. */
	toOversize(line: OversizeLine): string | undefined {
		return answerToOversize(line, this.#unknownId);
	}

	#refuse(head: Head & { kind: 'invalid' }): string {
		return answerToInvalid(head, this.#unknownId);
	}

	/** Some modern clients refuse `id: null`. */
	get #unknownId(): string {
		return this.#hasSpokenModern && !this.#hasSpokenLegacy ? '' : 'null';
	}
}
