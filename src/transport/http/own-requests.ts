/*
 * Requests of the transport itself, whose answers are not delivered: the second handshake
 * of a session, and the list of tools after a call with wrong headers.
 */
import { OrchestraError } from '../../errors.ts';
import { within } from '../../rpc/clock.ts';
import { encodeRequest, type Id } from '../../wire/json-rpc.ts';
import { RELIST_PAGES, REPLY_MS } from './http-client-limits.ts';
import type { OwnAnswer } from './http-session.ts';
import { type PostedMessage, readPosted } from './posted-message.ts';
import { PostedRequest } from './posted-request.ts';
import { resultIn } from './received-message.ts';
import type { RequestContext } from './request-context.ts';
import type { ToolHeaders } from './tool-headers.ts';

export class OwnRequests {
	readonly #context: RequestContext;
	readonly #tools: ToolHeaders;
	readonly #open = new Set<PostedRequest>();
	#relisting: Promise<void> | undefined;
	#count = 0;

	constructor(context: RequestContext, tools: ToolHeaders) {
		this.#context = context;
		this.#tools = tools;
	}

	/** An id that no caller uses. */
	nextId(): Id {
		return `orchestra-${++this.#count}`;
	}

	/** Send a request. Rejects when it fails or is not answered in time. */
	async send(text: string): Promise<OwnAnswer> {
		const message = readPosted(text);
		let request: PostedRequest | undefined;
		const answered = new Promise<OwnAnswer>((resolve, reject) => {
			const context: RequestContext = {
				...this.#context,
				ready: () => undefined,
				// They are part of a repair, so they need none themselves.
				sessionOf: () => undefined,
				onAnswer: (_message, text, headers) => resolve({ text, headers }),
				onFailed: (_message, error) => reject(error),
			};
			request = new PostedRequest(message, message.id ?? this.nextId(), context, () => {});
			this.#open.add(request);
			void request.run();
		});
		try {
			const answer = await within(answered, REPLY_MS);
			if (answer) return answer;
			const { url } = this.#context.wire.label;
			throw new OrchestraError('timeout', `${url} did not answer ${message.method} within ${REPLY_MS} ms`, {
				hint: 'Check that the server is up, then try again.',
				data: { outcome: 'none' },
			});
		} finally {
			request?.abort();
			if (request) this.#open.delete(request);
		}
	}

	/** Read the list of tools again, with the `_meta` of `message`, and learn their headers. Single-flight. */
	relistTools(message: PostedMessage): Promise<void> {
		this.#relisting ??= this.#relist(message.params['_meta']).finally(() => {
			this.#relisting = undefined;
		});
		return this.#relisting;
	}

	async #relist(meta: unknown): Promise<void> {
		let cursor: unknown;
		for (let page = 0; page < RELIST_PAGES; page++) {
			const id = this.nextId();
			const { text } = await this.send(encodeRequest(id, 'tools/list', { cursor, _meta: meta }));
			this.#tools.learn(id, text);
			const next = resultIn(text)?.['nextCursor'];
			if (typeof next !== 'string' || next === cursor) return;
			cursor = next;
		}
	}

	/** End all of them. */
	abort(): void {
		for (const request of this.#open) request.abort();
	}
}
