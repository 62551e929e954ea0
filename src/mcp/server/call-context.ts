/*
 * What a provider knows of one call, and what it can say while it works: progress,
 * log messages, questions to the client.
 *
 * The same words work in both eras. A question to a legacy client is a request on
 * the wire; for a modern one the call is parked, the question becomes its answer,
 * and the call goes on when the client comes back. All parts that cost anything
 * are made when they are asked for.
 */
import { OrchestraError } from '../../errors.ts';
import type { ClientMethods } from '../../protocol/client-methods.ts';
import { type InputRequest, logLevels, type McpLogLevel } from '../../protocol/mcp-types.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/incoming-call.ts';
import { ExactNumber, type Id } from '../../wire/json-rpc.ts';
import type { Questions } from './client-questions.ts';

/** The answers of a client, by the keys of the questions. */
export type InputResponses = Readonly<Record<string, unknown>>;

/** How much a progress that does not rise is lifted above the one before. */
const LEAST_RISE = 1e-6;

/** How a call reaches its client; made by the face. */
export interface ClientLine {
	readonly revision: Revision;
	readonly capabilities: Readonly<Record<string, unknown>>;
	readonly clientInfo: unknown;
	/** One id for each MCP connection. */
	readonly sessionId: string;
	/** Least level of log messages the client wants now; undefined for none at all. */
	logLevel(meta: Readonly<Record<string, unknown>>): McpLogLevel | undefined;
	notify(method: string, params: unknown): void;
}

/** How a call puts questions to its client, and what came with the request for it. */
export interface Asking {
	asker?: { ask(questions: Questions, context: CallContext): Promise<InputResponses> };
	inputResponses?: InputResponses | undefined;
	requestState?: string | undefined;
}

export class CallContext {
	readonly #asking: Asking;
	#line: ClientLine;
	#call: IncomingCall;
	#meta: Readonly<Record<string, unknown>>;
	#controller: AbortController | undefined;
	#isHeard = true;
	#progress = Number.NEGATIVE_INFINITY;

	constructor(
		line: ClientLine,
		call: IncomingCall,
		meta: Readonly<Record<string, unknown>>,
		asking: Asking = {},
	) {
		this.#line = line;
		this.#call = call;
		this.#meta = meta;
		this.#asking = asking;
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

	/** The id of the MCP connection that the call came on: the same for all its calls. */
	get sessionId(): string {
		return this.#line.sessionId;
	}

	get clientCapabilities(): Readonly<Record<string, unknown>> {
		return this.#line.capabilities;
	}

	/** Answers that came with this request, for a provider that keeps its own state. */
	get inputResponses(): InputResponses | undefined {
		return this.#asking.inputResponses;
	}

	/** The state that the provider gave out, exactly as it was. */
	get requestState(): string | undefined {
		return this.#asking.requestState;
	}

	/** Aborted when the client gives the call up or is gone. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			this.#follow(this.#call);
		}
		return this.#controller.signal;
	}

	/** The request as the text it came in, with digits that a number would lose; empty when it was none. */
	get text(): string {
		return this.#call.text;
	}

	/** True once the client gave the call up. */
	get isCanceled(): boolean {
		return this.#call.isCanceled;
	}

	/** True when the client asked to hear of progress. */
	get wantsProgress(): boolean {
		return isToken(this.#meta['progressToken']);
	}

	/**
	 * Tell how far the work is; nothing happens when the client did not ask or no longer listens. The protocol
	 * wants it to rise each time, so a number that does not is told as a little more than the one before.
	 */
	progress(progress: number, total?: number, message?: string): void {
		const { progressToken } = this.#meta;
		if (!isToken(progressToken) || !Number.isFinite(progress)) return;
		const least = this.#progress + Math.max(LEAST_RISE, Math.abs(this.#progress) * 2 * Number.EPSILON);
		this.#progress = progress > this.#progress ? progress : least;
		const finiteTotal = Number.isFinite(total) ? total : undefined;
		this.#tell('notifications/progress', {
			progressToken,
			progress: this.#progress,
			total: finiteTotal,
			message,
		});
	}

	/** Log to the client, when it wants messages of this level. */
	log(level: McpLogLevel, data: unknown, logger?: string): void {
		const least = this.#line.logLevel(this.#meta);
		if (least === undefined || logLevels.indexOf(level) < logLevels.indexOf(least)) return;
		this.#tell('notifications/message', { level, logger, data });
	}

	/** Ask the client one thing: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
	async ask<Method extends keyof ClientMethods>(
		method: Method,
		...[params]: ClientMethods[Method]['params'] extends undefined
			? []
			: [params: ClientMethods[Method]['params']]
	): Promise<ClientMethods[Method]['result']> {
		const question: InputRequest = { method, params: params && { ...(params as object) } };
		const { answer } = await this.askAll({ answer: question });
		// The client's own words: what it promised by declaring the capability.
		return answer as ClientMethods[Method]['result'];
	}

	/** Ask several things at once; the answers come under the same keys. */
	async askAll(questions: Questions): Promise<InputResponses> {
		const { asker } = this.#asking;
		if (asker === undefined) throw new OrchestraError('bad_input', 'this request cannot ask the client');
		return asker.ask(questions, this);
	}

	/** For the face: the client has its answer, and hears nothing more of this request. */
	end(): void {
		this.#isHeard = false;
	}

	/** For the face: the client came back with a new request for the same call, maybe on another pipe. */
	resume(line: ClientLine, call: IncomingCall, meta: Readonly<Record<string, unknown>>): void {
		this.#line = line;
		this.#call = call;
		this.#meta = meta;
		this.#isHeard = true;
		this.#progress = Number.NEGATIVE_INFINITY;
		if (this.#controller) this.#follow(call);
	}

	/** For the face: nobody will come back for the call. */
	abandon(reason: OrchestraError): void {
		this.#controller ??= new AbortController();
		this.#controller.abort(reason);
	}

	#tell(method: string, params: unknown): void {
		if (!this.#isHeard || this.#call.isCanceled) return;
		try {
			this.#line.notify(method, params);
		} catch (error) {
			// A client that is gone hears nothing, and that is no fault of the work.
			if (!OrchestraError.is(error, 'closed') && !OrchestraError.is(error, 'io')) throw error;
		}
	}

	#follow(call: IncomingCall): void {
		call.onCancel((reason) => this.#controller?.abort(reason));
	}
}

/** A text or a whole number; progress cannot be told under anything else. */
function isToken(token: unknown): boolean {
	if (token instanceof ExactNumber) return /^-?\d+$/.test(token.text);
	return typeof token === 'string' || Number.isInteger(token);
}
