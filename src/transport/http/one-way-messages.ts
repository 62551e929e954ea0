/*
 * Notifications and responses: messages that get no answer. A failure is logged, because
 * no caller waits for it.
 */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { REPLY_MS } from './http-client-limits.ts';
import { refused } from './http-errors.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import type { RequestContext } from './request-context.ts';
import { discardBody } from './response-body.ts';
import type { UnsentCount } from './unsent-count.ts';

export class OneWayMessages {
	readonly #context: Pick<RequestContext, 'wire' | 'ready' | 'target'>;
	readonly #unsent: UnsentCount;
	readonly #log: Log;
	readonly #sending = new Set<Promise<void>>();

	constructor(context: Pick<RequestContext, 'wire' | 'ready' | 'target'>, unsent: UnsentCount, log: Log) {
		this.#context = context;
		this.#unsent = unsent;
		this.#log = log;
	}

	/** The messages on their way; each resolves when the server has accepted or refused it. */
	get sending(): Promise<void>[] {
		return [...this.#sending];
	}

	/** Resolves when the server has accepted or refused it. Never rejects. */
	send(message: OutgoingMessage): Promise<void> {
		const onFlushed = this.#unsent.add(message.text.length);
		const what = message.kind === 'response' ? 'a response' : message.method;
		const sent = this.#post(message, onFlushed)
			.catch((error: unknown) => this.#log.warn(`${what} was not sent: ${messageOf(error)}`))
			.finally(() => {
				onFlushed();
				this.#sending.delete(sent);
			});
		this.#sending.add(sent);
		return sent;
	}

	async #post(message: OutgoingMessage, onFlushed: () => void): Promise<void> {
		const { wire, ready, target } = this.#context;
		await ready(message);
		const request = { ...target(message), body: message.text, replyMs: REPLY_MS, onFlushed };
		const response = await wire.exchange({ method: 'POST', ...request }).reply();
		discardBody(response);
		const { statusCode: status = 0, headers } = response;
		if (status >= 300) throw refused(wire.label, { status, headers, body: '' });
	}
}
