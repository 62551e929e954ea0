/*
 * Errors for messages that are too large to be sent. A request gets an error response
 * locally; a response is replaced by an error with the same id, so that the peer's call
 * ends too.
 */
import { parseJson } from '../wire/json.ts';
import { encodeError, type Message, readMessage, rpcCodes } from '../wire/json-rpc.ts';
import { elementsOf } from '../wire/json-text.ts';

export interface Refusal {
	/** The error under the id of the message; undefined when it has none. */
	readonly response: string | undefined;
	/** True when the error is for the peer, false when it is for the sender. */
	readonly isForPeer: boolean;
	/** What was refused, for a log line. */
	readonly what: string;
}

/** @param text the message, which is JSON */
export function refuseOversize(text: string, bytes: number, limitBytes: number): Refusal {
	const value = parseJson(text);
	if (!Array.isArray(value)) return refusalOf(readMessage(value, text), bytes, limitBytes);
	const strings = elementsOf(text);
	const parts = value.map((part, at) => refusalOf(readMessage(part, strings[at] ?? ''), bytes, limitBytes));
	const responses = parts.flatMap(({ response }) => response ?? []);
	return {
		response: responses.length === 0 ? undefined : `[${responses.join(',')}]`,
		isForPeer: parts.some(({ isForPeer }) => isForPeer),
		what: 'a batch',
	};
}

function refusalOf(read: Message, bytes: number, limitBytes: number): Refusal {
	if (read.kind === 'notification')
		return { response: undefined, isForPeer: false, what: read.message.method };
	if (read.kind === 'invalid') return { response: undefined, isForPeer: false, what: 'an invalid message' };
	const isForPeer = read.kind === 'response';
	const what = isForPeer ? 'the result' : 'the request';
	const response = encodeError(read.message.id, {
		code: isForPeer ? rpcCodes.internal : rpcCodes.invalidRequest,
		message: `${what} is ${bytes} bytes long, over the limit of ${limitBytes} bytes`,
		data: {
			code: 'bad_frame',
			bytes,
			limitBytes,
			hint: 'Return less at once, or give the data as a file or a resource link.',
		},
	});
	return { response, isForPeer, what };
}
