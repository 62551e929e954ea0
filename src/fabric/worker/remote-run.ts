/*
 * One call of another hub, run at this worker.
 *
 * It goes through the hub of the worker like a call of any client, named `fabric:<hub>`,
 * so the policy, the journal and the limits of this machine apply. Progress, log
 * messages and client requests are sent to the calling hub.
 */
import { OrchestraError } from '../../errors.ts';
import type { Hub } from '../../hub/hub.ts';
import { CallContext, type ClientConnection } from '../../mcp/server/call-context.ts';
import type { InputRequests, InputResponses } from '../../mcp/server/input-requests.ts';
import {
	type Answer,
	answerValue,
	isInputRequired,
	isLogLevel,
	type McpLogLevel,
} from '../../protocol/mcp-types.ts';
import { CLIENT_CAPABILITIES, LOG_LEVEL, metaOf } from '../../protocol/meta.ts';
import { negotiate, type Revision } from '../../protocol/revisions.ts';
import { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { isObject } from '../../wire/json.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { REMOTE_ROUNDS_LIMIT, REMOTE_SESSION_CHARACTERS } from '../fabric-limits.ts';
import type { FabricLink } from '../link/fabric-link.ts';
import { NotificationRate } from '../notification-rate.ts';
import { RemoteClientRequests } from './remote-client-requests.ts';

/** The `_meta` field with the session of the calling client. */
export const SESSION_META = 'orchestra/session';

export interface RemoteRunOptions {
	readonly id: string;
	/** The calling hub. */
	readonly caller: string;
	/** The hub of this worker. */
	readonly hub: Hub;
	readonly link: FabricLink;
	/** The tool, by the name that it is advertised under. */
	readonly tool: string;
	/** The params, as JSON. */
	readonly text: string;
	readonly send: (kind: 'progress' | 'log' | 'ask' | 'withdraw', body: string, seq?: number) => void;
}

export class RemoteRun implements ClientConnection {
	readonly id: string;
	readonly caller: string;
	readonly tool: string;
	readonly revision: Revision = negotiate(undefined);
	readonly capabilities: Readonly<Record<string, unknown>>;
	readonly clientInfo: { readonly name: string; readonly version: string };
	readonly sessionId: string;
	readonly passesResultsOn = true;
	readonly #options: RemoteRunOptions;
	readonly #params: Readonly<Record<string, unknown>>;
	readonly #call: IncomingCall;
	readonly #clientRequests: RemoteClientRequests;
	readonly #rate: NotificationRate;

	/** Throws `bad_frame` for params that are no object. */
	constructor(options: RemoteRunOptions) {
		const { id, caller, text, tool, link, send } = options;
		this.#options = options;
		this.id = id;
		this.caller = caller;
		this.tool = tool;
		const params: unknown = JSON.parse(text);
		if (!isObject(params)) throw new OrchestraError('bad_frame', 'the params of a call must be an object');
		this.#params = { ...params, name: tool };
		const meta = metaOf(params);
		const declared = meta[CLIENT_CAPABILITIES];
		this.capabilities = isObject(declared) ? declared : {};
		this.clientInfo = { name: `fabric:${caller}`, version: '1' };
		const session = meta[SESSION_META];
		this.sessionId = `fabric:${caller}:${typeof session === 'string' ? session.slice(0, REMOTE_SESSION_CHARACTERS) : ''}`;
		this.#call = new IncomingCall(JSON.stringify(id), 'tools/call', this.#params, `{"params":${text}}`);
		this.#clientRequests = new RemoteClientRequests(link, send);
		this.#rate = new NotificationRate((kind, notified) => send(kind, encodeJson(notified)));
	}

	logLevel(meta: Readonly<Record<string, unknown>>): McpLogLevel | undefined {
		const level = meta[LOG_LEVEL];
		return isLogLevel(level) ? level : undefined;
	}

	notify(method: string, params: unknown): void {
		if (method === 'notifications/progress') this.#rate.progress(params);
		else if (method === 'notifications/message') this.#rate.log(params);
	}

	/** Run it. Rejects as the tool does. */
	async result(): Promise<Answer> {
		try {
			return await this.#round(1);
		} finally {
			this.#rate.flush();
			this.#clientRequests.close();
		}
	}

	cancel(reason: string): void {
		this.#call.cancel(reason);
		this.#clientRequests.close();
	}

	get isCanceled(): boolean {
		return this.#call.isCanceled;
	}

	/** The calling hub answered client request number `seq`. */
	answer(seq: number, body: string): void {
		this.#clientRequests.answer(seq, body);
	}

	/** Send the client requests again that have no answer yet. */
	repeatClientRequests(): void {
		this.#clientRequests.repeat();
	}

	async #round(round: number, inputResponses?: InputResponses, requestState?: string): Promise<Answer> {
		const asker = {
			ask: (requests: InputRequests, _context: CallContext, withdrawn?: AbortSignal) =>
				this.#clientRequests.ask(requests, withdrawn),
		};
		const asking = { asker, inputResponses, requestState, isContinued: inputResponses !== undefined };
		const context = new CallContext(this, this.#call, metaOf(this.#params), asking);
		const { arguments: input } = this.#params;
		const params = { name: this.#options.tool, arguments: isObject(input) ? input : {} };
		const answer = await this.#options.hub.request({ method: 'tools/call', params, context });
		context.end();
		const result = answerValue(answer);
		if (!isInputRequired(result)) return answer;
		if (round >= REMOTE_ROUNDS_LIMIT)
			throw new OrchestraError('internal', `the tool asked for input more than ${REMOTE_ROUNDS_LIMIT} times`);
		const answers = await this.#clientRequests.ask(result.inputRequests ?? {});
		return this.#round(round + 1, answers, result.requestState);
	}
}
