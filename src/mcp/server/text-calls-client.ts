/*
 * The clients of calls that pass as text: a `tools/call` is a view, before anything of it is parsed.
 *
 * A provider that can pass it on as text takes it (`ToolForwarder`) and sends the answer as text too. What
 * needs values (an error, a client request, a large result) goes on by the general route, with what was
 * received so far. The envelope of a modern client is read once and compared as text from then on.
 */
import { attempt } from '../../errors.ts';
import type { IncomingCall, RequestOrigin } from '../../rpc/calls/incoming-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { isObject } from '../../wire/json.ts';
import type { MessageForm } from '../../wire/message-form.ts';
import { type MessageMember, member } from '../../wire/message-member.ts';
import type { MessageView } from '../../wire/message-view.ts';
import { CallContext, type ClientConnection } from './call-context.ts';
import type { ConnectionSessions } from './connection-sessions.ts';
import type { Asking } from './input-requests.ts';
import { ModernClient, ModernEnvelope } from './modern-client.ts';

/** The client of viewed calls, and where they come from. */
export interface TextCallsClient {
	readonly client: ClientConnection;
	readonly origin: RequestOrigin;
	readonly asking?: Asking | undefined;
}

/** Takes calls of one client as text. */
export interface ToolForwarder {
	/** True when it takes the call: it registers it at its origin, and ends it. */
	take(view: MessageView, from: TextCallsClient): boolean;
}

/** The context of a viewed call that needs one. */
export function textCallContext({ client, asking }: TextCallsClient, call: IncomingCall): CallContext {
	return new CallContext(client, call, undefined, asking);
}

const envelope: readonly MessageMember[] = [
	member.protocolVersion,
	member.clientCapabilities,
	member.clientInfo,
	member.logLevel,
];

/** The text of the envelope of a modern client. */
export function envelopeOf(view: MessageView): string {
	let text = '';
	for (const each of envelope) text += `${view.source(each)}\n`;
	return text;
}

/** The modern client of a call; undefined when that is not valid: the general route explains it. */
export function modernEnvelopeOf(view: MessageView): ModernEnvelope | undefined {
	return attempt(() => {
		const meta = view.value(member.meta);
		return new ModernEnvelope(isObject(meta) ? meta : {});
	});
}

/** A modern client, by the text of its envelope. */
export class EnvelopeClient implements TextCallsClient {
	readonly client: ModernClient;
	readonly origin: RequestOrigin;
	forwarder: ToolForwarder | undefined;
	/** The form of its last call: calls of the same form have the same envelope. */
	#form: MessageForm | undefined;
	readonly #strings: readonly (string | undefined)[];

	private constructor(
		client: ModernClient,
		origin: RequestOrigin,
		strings: readonly (string | undefined)[],
		form: MessageForm | undefined,
	) {
		this.client = client;
		this.origin = origin;
		this.#strings = strings;
		this.#form = form;
	}

	/** Undefined when the envelope is not valid. */
	static of(view: MessageView, peer: () => Peer, sessions: ConnectionSessions): EnvelopeClient | undefined {
		const { meta } = modernEnvelopeOf(view) ?? {};
		const strings = envelope.map((each) => view.source(each));
		return (
			meta && new EnvelopeClient(new ModernClient(peer, sessions, meta), peer().origin, strings, view.form)
		);
	}

	isOf(view: MessageView): boolean {
		if (view.form !== undefined && view.form === this.#form) return true;
		for (let at = 0; at < envelope.length; at++) {
			const [member, text] = [envelope[at], this.#strings[at]];
			if (member && (text === undefined ? view.has(member) : !view.is(member, text))) return false;
		}
		this.#form = view.form;
		return true;
	}
}
