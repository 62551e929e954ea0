/*
 * A JSON-RPC client of a child process: start it, call it, stop it.
 *
 * When the child exits, every pending call rejects at once with the exit status and
 * the last stderr lines. Restarting is the job of a supervisor above.
 */
import type { Diagnosis } from '../process/diagnosis.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { parseStdioUri } from '../process/stdio-uri.ts';
import type { RequestOptions } from '../rpc/calls/outgoing-calls.ts';
import { Peer, type PeerOptions } from '../rpc/peer.ts';
import { ChildTransport, type ChildTransportOptions } from './child-transport.ts';
import { withTrace } from './trace.ts';

/** Settings of the child process and of the JSON-RPC peer. */
export interface ClientOptions
	extends Omit<ChildTransportOptions, 'log'>,
		Pick<PeerOptions, 'onRequest' | 'onNotification' | 'onEnd' | 'strict' | 'dialect' | 'log'> {}

/** A child process that is called over JSON-RPC. */
export class Client {
	readonly #transport: ChildTransport;
	readonly #peer: Peer;
	readonly #timeoutMs: number | undefined;

	/** Start a program, given as a spawn record or a `stdio:` URI. Throws `spawn` or `bad_input`. The caller closes it. */
	static async open(target: SpawnRecord | string, options: ClientOptions = {}): Promise<Client> {
		const record = typeof target === 'string' ? parseStdioUri(target) : target;
		const opened = await ChildTransport.open(record, { ...options, stderr: options.stderr ?? 'inherit' });
		return new Client(withTrace(opened, options.parentEnvironment), options, record.timeoutMs);
	}

	private constructor(transport: ChildTransport, options: ClientOptions, timeoutMs: number | undefined) {
		this.#transport = transport;
		this.#timeoutMs = timeoutMs;
		this.#peer = new Peer(transport, options);
		transport.start(this.#peer);
	}

	get pid(): number {
		return this.#transport.pid;
	}

	get isRunning(): boolean {
		return this.#transport.isRunning;
	}

	/** True once `close` was called. */
	get isShutdown(): boolean {
		return this.#transport.isShutdown;
	}

	/** Call a method. The deadline is that of the options, else of the spawn record, else 30 s. */
	request(method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
		const isPlain = this.#timeoutMs === undefined || options.timeoutMs !== undefined;
		return this.#peer.request(method, params, isPlain ? options : { ...options, timeoutMs: this.#timeoutMs });
	}

	/** Send a notification. */
	notify(method: string, params?: unknown): void {
		this.#peer.notify(method, params);
	}

	/** Resolves when everything sent so far was written to the operating system. */
	flushed(): Promise<void> {
		return this.#peer.flushed();
	}

	/** The state of the program, or how it exited. */
	diagnose(): Diagnosis {
		return this.#transport.diagnose();
	}

	/** Run the stop ladder and wait until the process tree is gone. Idempotent. */
	close(): Promise<void> {
		return this.#transport.close();
	}
}
