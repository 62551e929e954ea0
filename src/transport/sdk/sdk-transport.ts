/*
 * Adapter from our transports to the transport interface of the official SDK, 1.x and 2.x.
 *
 * Both SDKs have the same interface: start, send, close and three callbacks that the
 * SDK sets. The SDK is not imported, so one class serves both. Callbacks as mutable
 * properties are the SDK's convention, not ours.
 */
import { OrchestraError } from '../../errors.ts';
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { oversizeMessage, parseFailure } from '../../rpc/calls/message-errors.ts';
import type { Receiver } from '../../rpc/channel.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import type { OversizeLine } from '../../wire/lines.ts';
import { ChildTransport, type ChildTransportOptions } from '../child-transport.ts';
import { StdioTransport, type StdioTransportOptions } from '../stdio-transport.ts';
import type { Transport } from '../transport.ts';

class SdkTransport implements Receiver {
	onclose?: (() => void) | undefined;
	onerror?: ((error: Error) => void) | undefined;
	onmessage?: ((message: object, extra?: object) => void) | undefined;
	readonly #open: () => Promise<Transport> | Transport;
	#transport: Transport | undefined;
	#isClosed = false;

	constructor(open: () => Promise<Transport> | Transport) {
		this.#open = open;
	}

	/** Called by the SDK's `connect`. */
	async start(): Promise<void> {
		if (this.#transport) {
			throw new OrchestraError('bad_input', 'this transport is already started', {
				hint: '`connect` starts it. Create a new transport for a new connection.',
			});
		}
		this.#transport = await this.#open();
		this.#transport.start(this);
	}

	/** Resolves when the message was written to the operating system. */
	async send(message: object): Promise<void> {
		if (this.#transport === undefined) throw new OrchestraError('closed', 'transport is not started');
		this.#transport.post(JSON.stringify(message));
		await this.#transport.flushed();
	}

	async close(): Promise<void> {
		await this.#transport?.close();
		this.#notifyClose();
	}

	message(text: string): void {
		try {
			const value = parseJson(text);
			if (isObject(value) || Array.isArray(value)) return this.onmessage?.(value);
		} catch (error) {
			if (text.trim() === '') return;
			this.onerror?.(parseFailure(text, error));
		}
		this.#transport?.logStray(text);
	}

	oversize({ limitBytes }: OversizeLine): void {
		this.onerror?.(oversizeMessage(limitBytes));
	}

	end(): void {
		this.#notifyClose();
	}

	#notifyClose(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.onclose?.();
	}
}

/** Drop-in replacement for the SDK's `StdioClientTransport`: starts a server process. */
export class OrchestraClientTransport extends SdkTransport {
	#child: ChildTransport | undefined;

	constructor(record: SpawnRecord, options: ChildTransportOptions = { stderr: 'inherit' }) {
		super(async () => {
			this.#child = await ChildTransport.open(record, options);
			return this.#child;
		});
	}

	/** Pid of the server, once started. */
	get pid(): number | null {
		return this.#child?.pid ?? null;
	}
}

/** Drop-in replacement for the SDK's `StdioServerTransport`: the stdin and stdout of this process. */
export class OrchestraServerTransport extends SdkTransport {
	constructor(options: StdioTransportOptions = {}) {
		super(() => new StdioTransport(options));
	}
}
