/*
 * Calls that the page makes. The page is a client of the hub like any other: each call has
 * an MCP connection of its own within this process, all with one session, so policy,
 * journal and limits apply. The reply is one JSON object per line; empty lines keep the
 * connection alive. When the page disconnects, the call is canceled.
 */
import { randomUUID } from 'node:crypto';
import { OrchestraError } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { serveSession } from '../../hub/sessions/serve-session.ts';
import { ServerConnection } from '../../mcp/client/server-connection.ts';
import type { ElicitResult } from '../../protocol/client-methods.ts';
import { negotiate } from '../../protocol/revisions.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { memoryPair } from '../../transport/memory-transport.ts';
import { isObject } from '../../wire/json.ts';
import type { AnswerComparison, AnswerRequest, CallElicitation, CallMessage } from '../api/api-calls.ts';
import { type ApiExchange, apiError } from '../api/api-reply.ts';
import type { ApiError } from '../api/api-types.ts';
import { LineReply } from '../api/line-reply.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { CLIENT_REQUESTS_LIMIT, PAGE_CALL_MS } from '../dashboard-limits.ts';
import { DASHBOARD_CLIENT } from '../views/catalogue-view.ts';
import { callLogRow, progressRow } from './call-facts.ts';

/** How a call of the page ended. */
export type CallAnswer = { readonly result: unknown } | { readonly error: ApiError };

export class PageCalls {
	readonly #deps: DashboardDeps;
	readonly #sessionId = randomUUID();
	readonly #elicitations = new Map<string, (answer: ElicitResult) => void>();
	/** The calls that wait for their number in the log, by the number in their `clientInfo`. */
	readonly #unnumbered = new Map<unknown, (number: number) => void>();
	#count = 0;
	#inFlight = 0;

	constructor(deps: DashboardDeps) {
		this.#deps = deps;
		// Open while the listener is, so that a server with a process per session keeps it between calls.
		deps.hub.sessions.opened(this.#sessionId, DASHBOARD_CLIENT);
		const sessionId = this.#sessionId;
		deps.hub.clients.introduced({ sessionId, clientInfo, revision: negotiate(undefined) });
		deps.calls.onBegun = (client, number) => {
			if (isObject(client)) this.#unnumbered.get(client['call'])?.(number);
		};
	}

	/**
	 * Make a call and stream its messages. Throws `bad_input` when too many are in flight.
	 *
	 * @param compare its value is sent with the answer
	 */
	async run(
		exchange: ApiExchange,
		method: string,
		params: Readonly<Record<string, unknown>>,
		compare?: (answer: CallAnswer) => AnswerComparison,
	): Promise<void> {
		const { pageCalls } = this.#deps.limits;
		if (this.#inFlight >= pageCalls)
			throw new OrchestraError('bad_input', `${pageCalls} calls of the page are in flight`, {
				hint: 'Cancel one, or wait for its end.',
			});
		this.#inFlight++;
		const reply = new LineReply(exchange.response, this.#deps.limits);
		const began = performance.now();
		const elapsed = (): number => Math.round((performance.now() - began) * 10) / 10;
		try {
			const result = await this.#call({ method, params, signal: exchange.signal }, (message) =>
				reply.send(message),
			);
			// It came from a JSON message.
			reply.finish({
				kind: 'result',
				result,
				ms: elapsed(),
				comparison: compare?.({ result }),
			} as CallMessage);
		} catch (thrown) {
			const error = apiError(thrown);
			reply.finish({ kind: 'error', error, ms: elapsed(), comparison: compare?.({ error }) });
		} finally {
			this.#inFlight--;
		}
	}

	/** One request without a stream. */
	request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
		return this.#call({ method, params, signal }, () => {});
	}

	/** Answer a client request of a call. Throws `not_found` when it was answered or its call has ended. */
	answer({ id, action, content }: AnswerRequest): void {
		const settle = this.#elicitations.get(id);
		if (settle === undefined)
			throw new OrchestraError('not_found', 'this client request was answered, or its call has ended', {
				hint: 'Call the tool again to be asked again.',
			});
		if (action !== 'accept' || content === undefined) return settle({ action });
		// It came from a JSON message; the server checks it by its schema.
		settle({ action, content: { ...content } as NonNullable<ElicitResult['content']> });
	}

	close(): void {
		this.#deps.calls.onBegun = undefined;
		this.#deps.hub.sessions.closed(this.#sessionId);
	}

	async #call(
		{ method, params, signal }: { method: string; params: object; signal: AbortSignal },
		send: (message: CallMessage) => void,
	): Promise<unknown> {
		const { opened, shared, log } = this.#deps;
		const call = ++this.#count;
		const [transport, far] = memoryPair();
		serveSession(far, {
			opened: () => opened,
			shared,
			log,
			sessionId: this.#sessionId,
			view: undefined,
			transport: DASHBOARD_CLIENT,
		});
		this.#unnumbered.set(call, (number) => {
			this.#unnumbered.delete(call);
			send({ kind: 'started', number });
		});
		try {
			const connection = await ServerConnection.open(async () => transport, {
				clientInfo: { ...clientInfo, call },
				capabilities: { elicitation: { form: {}, url: {} } },
				knownEra: 'legacy',
				onRequest: (request, given) => this.#ask(request, given, signal, send),
				onNotification: (name, given) => forward(name, given, send),
				signal,
			});
			await connection.request('logging/setLevel', { level: 'debug' }, { signal });
			const onProgress = (given: unknown): void => forward('notifications/progress', given, send);
			const options = { signal, timeoutMs: PAGE_CALL_MS, onProgress };
			return await connection.request(method, params, options);
		} finally {
			this.#unnumbered.delete(call);
			await transport.close();
		}
	}

	/** A client request of the tool, or of the policy, to the user. */
	#ask(method: string, params: unknown, signal: AbortSignal, send: (message: CallMessage) => void): unknown {
		if (method !== 'elicitation/create') throw methodNotFound(method);
		if (this.#elicitations.size >= CLIENT_REQUESTS_LIMIT * this.#deps.limits.pageCalls)
			throw new OrchestraError('bad_input', 'too many client requests wait for an answer', {
				hint: 'Answer some of them, or cancel their calls.',
			});
		const elicitation = elicitationOf(isObject(params) ? params : {});
		return new Promise<ElicitResult>((resolve) => {
			let stopListening = (): void => {};
			const settle = (answer: ElicitResult): void => {
				this.#elicitations.delete(elicitation.id);
				stopListening();
				resolve(answer);
			};
			this.#elicitations.set(elicitation.id, settle);
			stopListening = onAbort(signal, () => settle({ action: 'cancel' }));
			send({ kind: 'ask', elicitation });
		});
	}
}

const clientInfo = { name: DASHBOARD_CLIENT, version: packageVersion() };

function forward(method: string, params: unknown, send: (message: CallMessage) => void): void {
	if (!isObject(params)) return;
	if (method === 'notifications/progress') send({ kind: 'progress', ...progressRow(params) });
	else if (method === 'notifications/message') send({ kind: 'log', ...callLogRow(params) });
}

function elicitationOf({
	mode,
	message,
	requestedSchema,
	url,
}: Readonly<Record<string, unknown>>): CallElicitation {
	return {
		id: randomUUID(),
		mode: mode === 'url' ? 'url' : 'form',
		message: typeof message === 'string' ? message : '',
		// It came from a JSON message.
		schema: isObject(requestedSchema) ? (requestedSchema as CallElicitation['schema']) : null,
		url: typeof url === 'string' ? url : null,
	};
}
