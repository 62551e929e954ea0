/*
 * What a provider knows of one call, and what it can say while it works: progress,
 * log messages, questions to the client.
 *
 * The same words work in both eras. A question to a legacy client is a request on
 * the wire; for a modern one the call is parked, the question becomes its answer,
 * and the call goes on when the client comes back. All parts that cost anything
 * are made when they are asked for.
 */
import { OrchestraError } from '../errors.ts';
import type { IncomingCall } from '../rpc/incoming.ts';
import { rpcError } from '../rpc/rpc-error.ts';
import type { Id } from '../wire/json-rpc.ts';
import { mcpCodes } from './meta.ts';
import type { Revision } from './revision.ts';
import { type InputRequest, logLevels, type McpLogLevel } from './types.ts';

/** The answers of a client, by the keys of the questions. */
export type InputResponses = Readonly<Record<string, unknown>>;

/** How a call reaches its client; made by the face. */
export interface ClientLine {
	readonly revision: Revision;
	readonly capabilities: Readonly<Record<string, unknown>>;
	readonly clientInfo: unknown;
	/** Least level of log messages the client wants now; undefined for none at all. */
	logLevel(meta: Readonly<Record<string, unknown>>): McpLogLevel | undefined;
	notify(method: string, params: unknown): void;
	/** Ask a legacy client. */
	request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
}

export class CallContext {
	readonly #line: ClientLine;
	readonly #park: ((questions: Record<string, InputRequest>) => Promise<InputResponses>) | undefined;
	#call: IncomingCall;
	#meta: Readonly<Record<string, unknown>>;
	#controller: AbortController | undefined;
	/** Answers that came with this request, for a provider that keeps its own state. */
	readonly inputResponses: InputResponses | undefined;
	/** The state that the provider gave out, exactly as it was. */
	readonly requestState: string | undefined;

	constructor(
		line: ClientLine,
		call: IncomingCall,
		meta: Readonly<Record<string, unknown>>,
		parts: {
			park?: (questions: Record<string, InputRequest>) => Promise<InputResponses>;
			inputResponses?: InputResponses | undefined;
			requestState?: string | undefined;
		} = {},
	) {
		this.#line = line;
		this.#call = call;
		this.#meta = meta;
		this.#park = parts.park;
		this.inputResponses = parts.inputResponses;
		this.requestState = parts.requestState;
	}

	get revision(): Revision {
		return this.#line.revision;
	}

	/** The id of the request, as the client gave it. */
	get id(): Id {
		return this.#call.id;
	}

	/** `_meta` of the request: `traceparent` and whatever else the client sent. */
	get meta(): Readonly<Record<string, unknown>> {
		return this.#meta;
	}

	get clientInfo(): unknown {
		return this.#line.clientInfo;
	}

	get clientCapabilities(): Readonly<Record<string, unknown>> {
		return this.#line.capabilities;
	}

	/** Aborted when the client gives the call up or is gone. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			this.#follow(this.#call);
		}
		return this.#controller.signal;
	}

	/** True when the client asked to hear of progress. */
	get wantsProgress(): boolean {
		return this.#meta['progressToken'] !== undefined;
	}

	/** Tell how far the work is; nothing happens when the client did not ask. */
	progress(progress: number, total?: number, message?: string): void {
		const progressToken = this.#meta['progressToken'];
		if (progressToken === undefined || this.#call.isCanceled) return;
		this.#line.notify('notifications/progress', { progressToken, progress, total, message });
	}

	/** Log to the client, when it wants messages of this level. */
	log(level: McpLogLevel, data: unknown, logger?: string): void {
		const least = this.#line.logLevel(this.#meta);
		if (least === undefined || this.#call.isCanceled) return;
		if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
		this.#line.notify('notifications/message', { level, logger, data });
	}

	/** Ask the client one thing: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
	async ask(method: string, params?: Record<string, unknown>): Promise<unknown> {
		const { answer } = await this.askAll({ answer: { method, params } });
		return answer;
	}

	/** Ask several things at once; the answers come under the same keys. */
	async askAll(questions: Record<string, InputRequest>): Promise<InputResponses> {
		for (const { method } of Object.values(questions)) this.#requireCapability(method);
		if (this.#line.revision.era === 'legacy') return this.#askLegacy(questions);
		if (this.#park === undefined) throw new OrchestraError('bad_input', 'this request cannot ask the client');
		return this.#park(questions);
	}

	/** The client came back with a new request for the same call. */
	resume(call: IncomingCall, meta: Readonly<Record<string, unknown>>): void {
		this.#call = call;
		this.#meta = meta;
		if (this.#controller) this.#follow(call);
	}

	/** Nobody will come back for the call. */
	abandon(reason: OrchestraError): void {
		this.#controller ??= new AbortController();
		this.#controller.abort(reason);
	}

	async #askLegacy(questions: Record<string, InputRequest>): Promise<InputResponses> {
		const asked = Object.entries(questions).map(async ([key, { method, params }]) => {
			return [key, await this.#line.request(method, params, this.signal)] as const;
		});
		return Object.fromEntries(await Promise.all(asked));
	}

	#requireCapability(method: string): void {
		const name = capabilityOf(method);
		if (name in this.#line.capabilities) return;
		throw rpcError(mcpCodes.missingClientCapability, `the client does not support ${name}`, {
			requiredCapabilities: { [name]: {} },
		});
	}

	#follow(call: IncomingCall): void {
		const { signal } = call;
		if (signal.aborted) this.#controller?.abort(signal.reason);
		else signal.addEventListener('abort', () => this.#controller?.abort(signal.reason), { once: true });
	}
}

/** `elicitation/create` needs `elicitation`, and so on. */
function capabilityOf(method: string): string {
	return method.split('/', 1)[0] ?? method;
}
