/*
 * MCP messages on one long-lived stream, as the `Transport` that everything above
 * already knows. Each message is one frame, requests one way and responses the
 * other, so the tunnel is an ordinary call that simply never ends.
 */
import { OrchestraError } from '../errors.ts';
import type { LinkStream } from '../quic/link.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import { bytesField, eachField, type FieldValue } from './fields.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The number of `mcp_message` among the kinds of a request and of a response, and that of `tool_call`. */
const MCP_MESSAGE = 100;
const TOOL_CALL = 20;
/** The number of `error_message` in a `ToolResponse`. */
const ERROR_MESSAGE = 4;

/** Messages that came before anybody listened. */
const MAX_EARLY = 1_024;

export class Tunnel implements Transport {
	readonly #stream: LinkStream;
	/** How every frame begins: `request_id` is the first field of requests and responses alike. */
	readonly #head: Uint8Array;
	#receiver: Receiver | undefined;
	#early: string[] = [];
	#end: OrchestraError | undefined;
	#isClosed = false;
	#strays = 0;

	/** A request and a response that carry a message look the same, so both ends are alike. */
	constructor(stream: LinkStream, id: string) {
		this.#stream = stream;
		this.#head = bytesField(1, id);
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	/** How many messages were no JSON-RPC, as whoever reads them said. */
	get strays(): number {
		return this.#strays;
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		for (const text of this.#early.splice(0)) receiver.message(text);
		this.#stream.resume();
		if (this.#end) receiver.end(this.#end);
	}

	post(text: string): boolean {
		if (this.#isClosed) throw new OrchestraError('closed', 'the tunnel is closed');
		return this.#stream.send(bytesField(MCP_MESSAGE, text, this.#head));
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

	noteStray(): void {
		this.#strays++;
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#stream.end();
		this.over(new OrchestraError('closed', 'the tunnel was closed here'));
	}

	/** A frame came on the stream. Throws `bad_frame` when it is no MCP message. */
	take(payload: Uint8Array): void {
		const { kind, value } = kindOf(payload);
		if (kind !== MCP_MESSAGE || typeof value === 'number') {
			const said = kind === TOOL_CALL && typeof value !== 'number' ? errorMessageIn(value) : `kind ${kind}`;
			throw new OrchestraError('bad_frame', `the tunnel got something else than an MCP message: ${said}`);
		}
		this.deliver(value);
	}

	/** Nothing more will come. */
	over(reason: OrchestraError): void {
		if (this.#end) return;
		this.#end = reason;
		this.#isClosed = true;
		this.#receiver?.end(reason);
	}

	/** Hand on one MCP message. Throws for bytes that are no text. */
	deliver(message: Uint8Array): void {
		if (this.#end) return;
		const text = decoder.decode(message);
		if (this.#receiver) this.#receiver.message(text);
		else if (this.#early.push(text) >= MAX_EARLY) this.#stream.pause();
	}
}

/** Open the client side of a tunnel on a fresh stream. */
export function openTunnel(stream: LinkStream, id: string): Tunnel {
	const tunnel = new Tunnel(stream, id);
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

/** What a request or a response carries. The last one counts, as always in Protobuf; 0 for none. */
function kindOf(payload: Uint8Array): { kind: number; value: FieldValue } {
	let found: { kind: number; value: FieldValue } = { kind: 0, value: 0 };
	eachField(payload, (kind, value) => {
		if (kind !== 1) found = { kind, value };
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
