/* What a request over HTTP needs of its transport. */
import type { IncomingHttpHeaders } from 'node:http';
import type { OrchestraError } from '../../errors.ts';
import type { Id } from '../../wire/json-rpc.ts';
import type { HttpWire } from './http-wire.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import type { ReadFlow } from './read-flow.ts';

export interface RequestContext {
	readonly wire: HttpWire;
	readonly flow: ReadFlow;
	readonly limitBytes: number;
	/** Resolves when a message may be sent: the handshake is complete. Undefined: at once. */
	ready(message: OutgoingMessage): Promise<void> | undefined;
	/** Where, and with which headers, a message is sent now. */
	target(message: OutgoingMessage): { url: URL | undefined; headers: Record<string, string> };
	/** The session that `target` names now. */
	sessionOf(message: OutgoingMessage): string | undefined;
	/** True when answers arrive on the stream of the HTTP+SSE transport. */
	hasEventLink(): boolean;
	/** True when the server refuses a ping in the session `id` as one in a session that it does not know. */
	isSessionLost(id: string | undefined): Promise<boolean>;
	/** The server does not know the session `id`: start a new one, unless that happened already. */
	renewSession(id: string | undefined): Promise<void>;
	/** The headers of a tool were wrong: read the list of tools again. */
	relistTools(message: OutgoingMessage): Promise<void>;
	/** `initialize` was refused: true when the server has the HTTP+SSE transport, which is used from now on. */
	fallBack(): Promise<boolean>;
	/** Receives the answer of a request. */
	onAnswer(message: OutgoingMessage, text: string, headers: IncomingHttpHeaders): void;
	/** Receives any other message on the stream of the request `streamId`; `id` is that of a response. */
	onMessage(text: string, id: Id | null | undefined, streamId: Id): void;
	onFailed(message: OutgoingMessage, error: OrchestraError): void;
}
