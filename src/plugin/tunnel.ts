/*
 * MCP messages on one long-lived stream, as the `Transport` that everything above
 * already knows. Each message is one frame, requests one way and responses the
 * other, so the tunnel is an ordinary call that simply never ends.
 */
import { OrchestraError } from '../errors.ts';
import type { LinkStream } from '../quic/link.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from './codec.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/** Messages that came before anybody listened. */
const MAX_EARLY = 1_024;

export class Tunnel implements Transport {
	readonly #stream: LinkStream;
	readonly #id: string;
	readonly #isClient: boolean;
	#receiver: Receiver | undefined;
	#early: string[] = [];
	#end: OrchestraError | undefined;
	#isClosed = false;
	#strays = 0;

	/** @param isClient the side that opened the stream sends requests, the other one responses */
	constructor(stream: LinkStream, id: string, isClient: boolean) {
		this.#stream = stream;
		this.#id = id;
		this.#isClient = isClient;
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
		const mcpMessage = { case: 'mcpMessage' as const, value: encoder.encode(text) };
		return this.#stream.send(
			this.#isClient
				? encodeRequest({ requestId: this.#id, request: mcpMessage })
				: encodeResponse({ requestId: this.#id, response: mcpMessage }),
		);
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
		const { case: kind, value } = this.#isClient
			? decodeResponse(payload).response
			: decodeRequest(payload).request;
		if (kind !== 'mcpMessage') {
			const said = kind === 'toolCall' && 'errorMessage' in value ? `: ${value.errorMessage}` : '';
			throw new OrchestraError(
				'bad_frame',
				`the tunnel got ${kind ?? 'an empty message'} instead of an MCP message${said}`,
			);
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
	const tunnel = new Tunnel(stream, id, true);
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
