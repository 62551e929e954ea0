/* A message to send, classified once: HTTP needs its kind, and in the modern era headers from its body. */
import { OrchestraError } from '../../errors.ts';
import { metaOf, PROTOCOL_VERSION } from '../../protocol/meta.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import { type Id, readMessage } from '../../wire/json-rpc.ts';
import { member } from '../../wire/message-member.ts';
import { MessageView } from '../../wire/message-view.ts';
import { readView } from '../../wire/read-view.ts';

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

export class OutgoingMessage {
	readonly text: string;
	readonly kind: 'request' | 'notification' | 'response';
	/** Undefined for a notification. */
	readonly id: Id | undefined;
	/** Empty for a response. */
	readonly method: string;
	/** The protocol version in `_meta`; undefined for a message of the legacy era. */
	readonly version: string | undefined;
	readonly #readParams: () => unknown;
	#params: Readonly<Record<string, unknown>> | undefined;

	/** Throws `bad_input` for a text that is no message. */
	constructor(text: string) {
		const view = MessageView.of(text);
		// Without a view it is nested too deeply for one, or no JSON.
		const value = view ? undefined : parse(text);
		const read = view ? readView(view) : readMessage(value, text);
		if (read.kind === 'invalid')
			throw new OrchestraError('bad_input', `not a JSON-RPC message: ${read.reason}`);
		this.text = text;
		this.kind = read.kind;
		this.id = read.kind === 'notification' ? undefined : (read.message.id ?? undefined);
		this.method = read.kind === 'response' ? '' : read.message.method;
		this.#readParams = () => (view ? view.value(member.params) : Object(value).params);
		const version = view ? view.value(member.protocolVersion) : metaOf(this.params)[PROTOCOL_VERSION];
		this.version = typeof version === 'string' ? version : undefined;
	}

	/** Parsed on first use: few messages need them. */
	get params(): Readonly<Record<string, unknown>> {
		if (this.#params === undefined) {
			const params = this.#readParams();
			this.#params = isObject(params) ? params : nothing;
		}
		return this.#params;
	}
}

function parse(text: string): unknown {
	try {
		return parseJson(text);
	} catch (cause) {
		throw new OrchestraError('bad_input', 'a message to a server must be JSON', { cause });
	}
}

const idempotentMethods: ReadonlySet<string> = new Set([
	'initialize',
	'ping',
	'server/discover',
	'tools/list',
	'prompts/list',
	'resources/list',
	'resources/templates/list',
]);

/** True for a method that may be processed twice. */
export function isIdempotent(method: string): boolean {
	return idempotentMethods.has(method);
}
