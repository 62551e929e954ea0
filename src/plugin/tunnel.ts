/*
 * A `Transport` for MCP messages on one long-lived stream of the plugin protocol. Each
 * message is one frame: a request in one direction, a response in the other.
 *
 * A message that is too large for a frame is sent in parts if the peer supports that. A
 * message over the total limit is not sent and fails alone: a request gets an error
 * response locally, and a response is replaced by an error with the same id, so that the
 * peer's call ends too. Other messages in flight are not affected.
 */
import { OrchestraError } from '../errors.ts';
import type { LinkStream } from '../link/link.ts';
import { Log } from '../log.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import { parseJson } from '../wire/json.ts';
import { encodeError, type Message, readMessage, rpcCodes } from '../wire/json-rpc.ts';
import { elementsOf } from '../wire/json-text.ts';
import { FRAME_LIMIT_BYTES, TUNNEL_MESSAGE_BYTES } from '../wire/wire-limits.ts';
import { MCP_PARTS } from './features.ts';
import { FRAME_OVERHEAD_BYTES, TUNNEL_BUFFERED_MESSAGES, TUNNEL_PART_BYTES } from './plugin-limits.ts';
import { bytesField, eachField, type FieldValue, joined } from './protobuf-fields.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The numbers of `mcp_message` and `mcp_part` among the kinds of a request and of a response, and of `tool_call`. */
const MCP_MESSAGE = 100;
const MCP_PART = 101;
const TOOL_CALL = 20;
/** The number of `tunnel_features` in a request. */
const TUNNEL_FEATURES = 102;
/** The number of `error_message` in a `ToolResponse`. */
const ERROR_MESSAGE = 4;

/** Most UTF-8 bytes for one UTF-16 code unit. */
const BYTES_PER_CHARACTER = 3;

export interface TunnelOptions {
	/** Whether the peer supports messages in parts. Default false. */
	sendsParts?: boolean | undefined;
	/** Receives one line for each message that was too large to be sent. */
	log?: Log | undefined;
}

export class Tunnel implements Transport {
	readonly #stream: LinkStream;
	/** The start of every frame: `request_id` is the first field of requests and responses. */
	readonly #head: Uint8Array;
	readonly #sendsParts: boolean;
	readonly #log: Log;
	/** Sent once, in the first frame of the end that opened the tunnel. */
	#announcement: Uint8Array | undefined;
	#parts: Uint8Array[] = [];
	#partsBytes = 0;
	#receiver: Receiver | undefined;
	#buffered: string[] = [];
	#end: OrchestraError | undefined;
	#isClosed = false;

	/** Works for both ends: requests and responses with a message have the same form. */
	constructor(stream: LinkStream, id: string, options: TunnelOptions = {}) {
		this.#stream = stream;
		this.#head = bytesField(1, id);
		this.#sendsParts = options.sendsParts ?? false;
		this.#log = options.log ?? Log.silent;
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		for (const text of this.#buffered.splice(0)) receiver.message(text);
		this.#stream.resume();
		if (this.#end) receiver.end(this.#end);
	}

	post(text: string): boolean {
		if (this.#isClosed) throw new OrchestraError('closed', 'the tunnel is closed');
		if (text.length * BYTES_PER_CHARACTER <= TUNNEL_PART_BYTES) return this.#send(MCP_MESSAGE, text);
		const message = Buffer.from(text);
		if (message.length > this.#limitBytes) return this.#refuse(text, message.length);
		return this.#sendsParts ? this.#sendParts(message) : this.#send(MCP_MESSAGE, message);
	}

	flushed(): Promise<void> {
		return this.#stream.drained();
	}

	pause(): void {
		this.#stream.pause();
	}

	resume(): void {
		this.#stream.resume();
	}

	logStray(): void {}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		// Some hubs reject a stream that ends before its first frame.
		if (this.#announcement) this.#send(MCP_MESSAGE, '');
		this.#stream.end();
		this.over(new OrchestraError('closed', 'the tunnel was closed here'));
	}

	/** Declare in the first frame that this end supports parts. For the end that opens the tunnel. */
	announce(): void {
		this.#announcement = bytesField(TUNNEL_FEATURES, MCP_PARTS);
	}

	/** Receive a frame of the stream. Throws `bad_frame` when it is not an MCP message. */
	take(payload: Uint8Array): void {
		const { kind, value } = kindOf(payload);
		if (kind === MCP_PART && typeof value !== 'number') return this.#takePart(value);
		if (kind !== MCP_MESSAGE || typeof value === 'number') {
			const said = kind === TOOL_CALL && typeof value !== 'number' ? errorMessageIn(value) : `kind ${kind}`;
			throw new OrchestraError(
				'bad_frame',
				`the tunnel received a frame that is not an MCP message: ${said}`,
			);
		}
		this.deliver(value);
	}

	/** The stream has ended. */
	over(reason: OrchestraError): void {
		if (this.#end) return;
		this.#end = reason;
		this.#isClosed = true;
		this.#receiver?.end(reason);
	}

	/** Deliver one MCP message. Throws for bytes that are not UTF-8. */
	deliver(message: Uint8Array): void {
		if (this.#end) return;
		if (this.#parts.length > 0) this.#takePart(message);
		const text = decoder.decode(this.#parts.length > 0 ? this.#joinParts() : message);
		if (this.#receiver) this.#receiver.message(text);
		else if (this.#buffered.push(text) >= TUNNEL_BUFFERED_MESSAGES) this.#stream.pause();
	}

	get #limitBytes(): number {
		return this.#sendsParts ? TUNNEL_MESSAGE_BYTES : FRAME_LIMIT_BYTES - FRAME_OVERHEAD_BYTES;
	}

	#send(kind: number, value: string | Uint8Array): boolean {
		const announcement = this.#announcement;
		if (announcement === undefined) return this.#stream.send(bytesField(kind, value, this.#head));
		this.#announcement = undefined;
		return this.#stream.send(bytesField(kind, value, joined([this.#head, announcement])));
	}

	#sendParts(message: Uint8Array): boolean {
		// The first frame must be a message; an empty one is ignored.
		if (this.#announcement) this.#send(MCP_MESSAGE, '');
		let at = 0;
		for (; message.length - at > TUNNEL_PART_BYTES; at += TUNNEL_PART_BYTES)
			this.#send(MCP_PART, message.subarray(at, at + TUNNEL_PART_BYTES));
		return this.#send(MCP_MESSAGE, message.subarray(at));
	}

	#takePart(part: Uint8Array): void {
		this.#partsBytes += part.length;
		if (this.#partsBytes > TUNNEL_MESSAGE_BYTES) {
			throw new OrchestraError(
				'bad_frame',
				`the peer sent a message of more than ${TUNNEL_MESSAGE_BYTES} bytes in parts`,
			);
		}
		this.#parts.push(part);
	}

	#joinParts(): Uint8Array {
		const whole = joined(this.#parts);
		this.#parts = [];
		this.#partsBytes = 0;
		return whole;
	}

	/** Do not send: a request fails here, a response becomes an error for the peer, a notification is dropped. */
	#refuse(text: string, bytes: number): boolean {
		const { response, isForPeer, what } = refuseOversize(text, bytes, this.#limitBytes);
		this.#log.warn(
			`${what} of ${bytes} bytes is over the limit of ${this.#limitBytes} bytes; it was not sent`,
		);
		if (response === undefined) return true;
		if (isForPeer) return this.post(response);
		queueMicrotask(() => {
			if (this.#end === undefined) this.#receiver?.message(response);
		});
		return true;
	}
}

/** Open the client side of a tunnel on a fresh stream. */
export function openTunnel(stream: LinkStream, id: string, options: TunnelOptions = {}): Tunnel {
	const tunnel = new Tunnel(stream, id, options);
	tunnel.announce();
	stream.receive({
		frame: (payload) => {
			try {
				tunnel.take(payload);
			} catch (thrown) {
				stream.reset();
				tunnel.over(OrchestraError.from(thrown, 'bad_frame'));
			}
		},
		end: () => {
			stream.end();
			tunnel.over(new OrchestraError('closed', 'the peer closed the tunnel'));
		},
		fail: (error) => tunnel.over(error),
	});
	return tunnel;
}

/** The answer to the sender or the peer in place of a message that is too large to be sent. */
interface Refusal {
	/** The error under the id of the message; undefined when it has none. */
	readonly response: string | undefined;
	/** True when the error is for the peer, false when it is for the sender. */
	readonly isForPeer: boolean;
	/** The refused message, for a log line. */
	readonly what: string;
}

/** @param text the message, which is JSON */
function refuseOversize(text: string, bytes: number, limitBytes: number): Refusal {
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

/** The kind of a request or a response. The last field counts, as always in Protobuf; 0 for none. */
function kindOf(payload: Uint8Array): { kind: number; value: FieldValue } {
	let found: { kind: number; value: FieldValue } = { kind: 0, value: 0 };
	eachField(payload, (kind, value) => {
		if (kind !== 1 && kind !== TUNNEL_FEATURES) found = { kind, value };
	});
	return found;
}

function errorMessageIn(toolResponse: Uint8Array): string {
	let said = '';
	eachField(toolResponse, (number, value) => {
		if (number === ERROR_MESSAGE && typeof value !== 'number') said = decoder.decode(value);
	});
	return said;
}
