/*
 * Requests of the transport itself, whose answers are not delivered: the second handshake
 * of a session, the ping that tells whether a session is lost, and the list of tools after a call with wrong headers.
 */
import { OrchestraError } from '../../errors.ts';
import { pagesOf } from '../../protocol/list-cursor.ts';
import type { Result } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { encodeRequest, type Id } from '../../wire/json-rpc.ts';
import { REPLY_MS } from './http-client-limits.ts';
import type { TransportAnswer } from './http-session.ts';
import { OutgoingMessage } from './outgoing-message.ts';
import { PostRequest } from './post-request.ts';
import type { RequestContext } from './request-context.ts';
import { resultIn } from './response-messages.ts';
import type { ToolHeaders } from './tool-headers.ts';

export class TransportRequests {
	readonly #context: RequestContext;
	readonly #tools: ToolHeaders;
	/** Ends the request in flight. */
	readonly #open = new Set<(reason: OrchestraError) => void>();
	#relisting: Promise<void> | undefined;
	#probing: Promise<boolean> | undefined;
	#count = 0;

	constructor(context: RequestContext, tools: ToolHeaders) {
		this.#context = context;
		this.#tools = tools;
	}

	/** An id that no caller uses. */
	nextId(): Id {
		return `"orchestra-${++this.#count}"`;
	}

	/** Send a request. Rejects when it fails or is not answered in time. */
	async send(text: string, rules: Partial<RequestContext> = {}): Promise<TransportAnswer> {
		const message = new OutgoingMessage(text);
		let end = (_reason?: OrchestraError): void => {};
		const answered = new Promise<TransportAnswer>((resolve, reject) => {
			const context: RequestContext = {
				...this.#context,
				ready: () => undefined,
				// They are part of a repair, so they need none themselves.
				sessionOf: () => undefined,
				...rules,
				onAnswer: (_message, text, headers) => resolve({ text, headers }),
				onFailed: (_message, error) => reject(error),
			};
			const request = new PostRequest(message, message.id ?? this.nextId(), context, () => {});
			end = (reason) => {
				request.abort();
				reject(reason);
			};
			this.#open.add(end);
			void request.run();
		});
		try {
			const answer = await within(answered, REPLY_MS);
			if (answer) return answer;
			const { url } = this.#context.wire.label;
			throw new OrchestraError('timeout', `${url} did not answer ${message.method} within ${REPLY_MS} ms`, {
				hint: 'Check that the server is up, then try again.',
				data: { outcome: 'not_run' },
			});
		} finally {
			end();
			this.#open.delete(end);
		}
	}

	/** Send a ping in the session `id`, which is the current one. No answer is no evidence. Single-flight. */
	isSessionLost(id: string | undefined): Promise<boolean> {
		this.#probing ??= this.#probe(id).finally(() => {
			this.#probing = undefined;
		});
		return this.#probing;
	}

	async #probe(id: string | undefined): Promise<boolean> {
		let isLost = false;
		const rules: Partial<RequestContext> = {
			sessionOf: () => id,
			isSessionLost: () => Promise.resolve(true),
			renewSession: () => {
				isLost = true;
				return Promise.reject(new Error('the session is lost'));
			},
		};
		// The request that made us ask keeps its own answer.
		await this.send(encodeRequest(this.nextId(), 'ping', undefined), rules).catch(() => {});
		return isLost;
	}

	/** Read the list of tools again, with the `_meta` of `message`, and learn their headers. Single-flight. */
	relistTools(message: OutgoingMessage): Promise<void> {
		this.#relisting ??= this.#relist(message.params['_meta']).finally(() => {
			this.#relisting = undefined;
		});
		return this.#relisting;
	}

	async #relist(meta: unknown): Promise<void> {
		const request = async (params: object): Promise<Result> => {
			const id = this.nextId();
			const { text } = await this.send(encodeRequest(id, 'tools/list', { ...params, _meta: meta }));
			await this.#tools.learn(id, text);
			return resultIn(text) ?? {};
		};
		for await (const page of pagesOf(request)) if (page['nextCursor'] === undefined) return;
	}

	/** End all of them with `reason`. */
	abort(reason: OrchestraError): void {
		for (const end of this.#open) end(reason);
	}
}
