/* A message to send, classified once: HTTP needs its kind, and in the modern era headers from its body. */
import { OrchestraError } from '../../errors.ts';
import { metaOf, PROTOCOL_VERSION } from '../../protocol/meta.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import { type Id, readMessage } from '../../wire/json-rpc.ts';

export interface PostedMessage {
	readonly text: string;
	readonly kind: 'request' | 'notification' | 'response';
	/** Undefined for a notification. */
	readonly id: Id | undefined;
	/** Empty for a response. */
	readonly method: string;
	readonly params: Readonly<Record<string, unknown>>;
	/** The protocol version in `_meta`; undefined for a message of the legacy era. */
	readonly version: string | undefined;
}

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** Classify the text of a message. Throws `bad_input`. */
export function readPosted(text: string): PostedMessage {
	const read = readMessage(parse(text), text);
	if (read.kind === 'invalid')
		throw new OrchestraError('bad_input', `not a JSON-RPC message: ${read.reason}`);
	if (read.kind === 'response') {
		const id = read.message.id ?? undefined;
		return { text, kind: 'response', id, method: '', params: nothing, version: undefined };
	}
	const { method, params } = read.message;
	const version = metaOf(params)[PROTOCOL_VERSION];
	return {
		text,
		kind: read.kind,
		id: read.kind === 'request' ? read.message.id : undefined,
		method,
		params: isObject(params) ? params : nothing,
		version: typeof version === 'string' ? version : undefined,
	};
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
