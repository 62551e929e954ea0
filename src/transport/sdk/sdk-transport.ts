/*
 * Our transports in the shape that the official SDK expects, 1.x and 2.x alike.
 *
 * The two SDKs describe the same interface: start, send, close and three
 * callbacks that the SDK sets. Nothing of the SDK is imported, so one class serves
 * both and nobody pays for what they do not use. Callbacks as mutable properties
 * are the SDK's convention, not ours.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Receiver } from '../../rpc/channel.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import type { OversizeLine } from '../../wire/lines.ts';
import type { Transport } from '../transport.ts';

export class SdkTransport implements Receiver {
	onclose?: (() => void) | undefined;
	onerror?: ((error: Error) => void) | undefined;
	onmessage?: ((message: object, extra?: object) => void) | undefined;
	readonly #open: () => Promise<Transport> | Transport;
	#transport: Transport | undefined;
	#isOver = false;

	constructor(open: () => Promise<Transport> | Transport) {
		this.#open = open;
	}

	/** Called by the SDK's `connect`. */
	async start(): Promise<void> {
		if (this.#transport) {
			throw new OrchestraError('bad_input', 'this transport was started already', {
				hint: '`connect` starts it; make a new transport for a new connection.',
			});
		}
		this.#transport = await this.#open();
		this.#transport.start(this);
	}

	/** Resolves when the message is with the operating system; rejects when it cannot be. */
	async send(message: object): Promise<void> {
		if (this.#transport === undefined) throw new OrchestraError('closed', 'transport is not started');
		this.#transport.post(JSON.stringify(message));
		await this.#transport.flushed();
	}

	async close(): Promise<void> {
		await this.#transport?.close();
		this.#tellClose();
	}

	message(text: string): void {
		try {
			const value = parseJson(text);
			if (isObject(value) || Array.isArray(value)) return this.onmessage?.(value);
		} catch (error) {
			if (text.trim() === '') return;
			this.onerror?.(
				new OrchestraError('parse', `failed to parse response: ${messageOf(error)}`, { cause: error }),
			);
		}
		this.#transport?.noteStray(text);
	}

	oversize({ limitBytes }: OversizeLine): void {
		const message = `message is longer than the limit of ${limitBytes} bytes`;
		this.onerror?.(new OrchestraError('bad_frame', message, { data: { limitBytes } }));
	}

	end(): void {
		this.#tellClose();
	}

	#tellClose(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.onclose?.();
	}
}
