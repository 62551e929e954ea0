/*
 * The requests of a remote call to the client of the calling hub.
 *
 * A request is sent again after a lost connection; the hub answers a number only once
 * and repeats its answer. A wait ends with the answer, when the tool withdraws its
 * request, which the hub passes on to the client, the end of the call or after
 * `ANSWER_MS`.
 */
import { OrchestraError } from '../../errors.ts';
import type { InputRequests, InputResponses } from '../../mcp/server/input-requests.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { encodeJson, JsonText } from '../../wire/json-text.ts';
import { ANSWER_MS } from '../fabric-limits.ts';
import type { FabricLink } from '../link/fabric-link.ts';

/** Send a message about client request number `seq` to the calling hub. */
export type SendClientRequest = (kind: 'ask' | 'withdraw', body: string, seq: number) => void;

interface Pending {
	readonly body: string;
	readonly timer: NodeJS.Timeout;
	/** Stop listening for a withdrawal. */
	readonly stopListening: () => void;
	readonly resolve: (responses: InputResponses) => void;
	readonly reject: (error: OrchestraError) => void;
}

export class RemoteClientRequests {
	readonly #link: FabricLink;
	readonly #send: SendClientRequest;
	readonly #pending = new Map<number, Pending>();
	#sent = 0;
	#isClosed = false;

	constructor(link: FabricLink, send: SendClientRequest) {
		this.#link = link;
		this.#send = send;
	}

	/** @param withdrawn aborted when the answer is wanted no more */
	ask(requests: InputRequests, withdrawn?: AbortSignal): Promise<InputResponses> {
		return new Promise((resolve, reject) => {
			if (this.#isClosed) return reject(new OrchestraError('canceled', 'the call has ended'));
			if (withdrawn?.aborted) return reject(OrchestraError.from(withdrawn.reason, 'canceled'));
			const body = encodeJson(requests);
			if (!this.#link.fits(body)) return reject(payloadTooLarge('client request', this.#link));
			const seq = ++this.#sent;
			const timer = setTimeout(() => this.#giveUp(seq, 'the client did not answer in time'), ANSWER_MS);
			const stopListening = onAbort(withdrawn, () => this.#withdraw(seq, withdrawn?.reason));
			this.#pending.set(seq, { body, timer, stopListening, resolve, reject });
			this.#send('ask', body, seq);
		});
	}

	repeat(): void {
		for (const [seq, { body }] of this.#pending) this.#send('ask', body, seq);
	}

	/** `{answers}` or `{error}` as JSON. */
	answer(seq: number, body: string): void {
		const pending = this.#take(seq);
		if (pending === undefined) return;
		const given = new JsonText(body).exact;
		if (isObject(given) && isObject(given['answers'])) return pending.resolve(given['answers']);
		const error = isObject(given) && isObject(given['error']) ? given['error'] : {};
		const { code, message, data } = error;
		pending.reject(
			rpcError(
				typeof code === 'number' ? code : rpcCodes.internal,
				typeof message === 'string' ? message : 'the client did not answer',
				data,
			),
		);
	}

	close(): void {
		this.#isClosed = true;
		for (const seq of this.#pending.keys()) this.#giveUp(seq, 'the call was canceled');
	}

	#withdraw(seq: number, reason: unknown): void {
		const pending = this.#take(seq);
		if (pending === undefined) return;
		pending.reject(OrchestraError.from(reason, 'canceled'));
		this.#send('withdraw', '', seq);
	}

	#giveUp(seq: number, reason: string): void {
		this.#take(seq)?.reject(new OrchestraError('canceled', reason));
	}

	#take(seq: number): Pending | undefined {
		const pending = this.#pending.get(seq);
		this.#pending.delete(seq);
		clearTimeout(pending?.timer);
		pending?.stopListening();
		return pending;
	}
}

/** The error of a client request or an answer that the server would not take. */
export function payloadTooLarge(
	what: 'client request' | 'answer',
	{ payloadLimit }: FabricLink,
): OrchestraError {
	const limit = `${payloadLimit} bytes, the max_payload of the NATS server`;
	return new OrchestraError('bad_input', `the ${what} of a remote call is larger than ${limit}`, {
		hint: 'Raise max_payload of the NATS server, at most to 64MB.',
	});
}
