/*
 * MCP over a WebSocket: each message is one text frame. Only clients of MCP servers of that
 * kind need it, so `ws` is loaded by the first one.
 */
import type { WebSocket } from 'ws';
import { isCode, messageOf, OrchestraError } from '../errors.ts';
import { onAbort } from '../rpc/abortable.ts';
import type { Receiver } from '../rpc/channel.ts';
import { oneLine } from '../wire/json-text.ts';
import { MESSAGE_LIMIT_BYTES } from '../wire/wire-limits.ts';
import type { HttpClientOptions } from './http/http-client-options.ts';
import { type Transport } from './transport.ts';
import { HIGH_WATER_BYTES, WS_CLOSE_MS, WS_OPEN_MS, WS_PING_MS } from './transport-limits.ts';

/** The name that the protocol has here. Many servers know none. */
const SUBPROTOCOL = 'mcp';

export interface WsOptions extends Pick<HttpClientOptions, 'headers' | 'limitBytes' | 'serverName'> {
	/** Ends the handshake. */
	readonly signal?: AbortSignal | undefined;
	/** A connection without a sign for this long is asked for one, and given up after the same time again. */
	readonly pingMs?: number | undefined;
}

/** The server refused the connection with this status. */
export class RefusedConnection extends Error {
	readonly status: number;

	constructor(status: number) {
		super(`status ${status}`);
		this.status = status;
	}
}

/** Connect to a server. Rejects with `RefusedConnection` when it answers with another status, `io` when it cannot be reached. */
export async function openWsTransport(url: URL, options: WsOptions = {}): Promise<Transport> {
	try {
		return await connected(url, [SUBPROTOCOL], options);
	} catch (error) {
		// Nothing was sent yet.
		if (!(error instanceof Error) || error.message !== 'Server sent no subprotocol')
			throw explained(url, options, error);
	}
	return connected(url, [], options).catch((error: unknown) => {
		throw explained(url, options, error);
	});
}

async function connected(url: URL, protocols: string[], options: WsOptions): Promise<Transport> {
	const { default: Socket } = await import('ws');
	const { headers = {}, limitBytes = MESSAGE_LIMIT_BYTES } = options;
	const socket = new Socket(url, protocols, {
		headers,
		maxPayload: limitBytes,
		handshakeTimeout: WS_OPEN_MS,
		perMessageDeflate: false,
		followRedirects: false,
	});
	// The handshake fails then.
	const stopListening = onAbort(options.signal, () => socket.terminate());
	return new Promise<Transport>((resolve, reject) => {
		socket.once('unexpected-response', (request, response) => {
			reject(new RefusedConnection(Number(response.statusCode)));
			request.destroy();
		});
		socket.once('error', reject);
		socket.once('open', () => {
			socket.off('error', reject);
			resolve(new WsTransport(socket, nameOf(url, options), options.pingMs ?? WS_PING_MS));
		});
	}).finally(stopListening);
}

class WsTransport implements Transport {
	readonly isRemote = true;
	readonly #socket: WebSocket;
	readonly #name: string;
	#receiver: Receiver | undefined;
	#end: OrchestraError | undefined;
	#hasReportedEnd = false;
	#isAlive = true;
	readonly #pings: NodeJS.Timeout;

	constructor(socket: WebSocket, name: string, pingMs: number) {
		this.#socket = socket;
		this.#name = name;
		socket.on('message', (data, isBinary) =>
			this.#receive(isBinary ? undefined : (data as Buffer).toString('utf8')),
		);
		socket.on('pong', () => {
			this.#isAlive = true;
		});
		socket.on('error', (error) => this.#ended(`${name} broke the connection: ${messageOf(error)}`));
		socket.on('close', (code) => this.#ended(`${name} closed the connection (code ${code})`));
		socket.pause(); // until `start`
		this.#pings = setInterval(() => this.#ping(pingMs), pingMs);
		this.#pings.unref();
	}

	get isClosed(): boolean {
		return this.#end !== undefined;
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		this.#report();
		if (!this.isClosed) this.#socket.resume();
	}

	post(text: string): boolean {
		if (this.#end) throw this.#end;
		this.#socket.send(text);
		return this.#socket.bufferedAmount < HIGH_WATER_BYTES;
	}

	/** Resolves when the operating system has everything. */
	flushed(): Promise<void> {
		if (this.#end) return Promise.reject(this.#end);
		if (this.#socket.bufferedAmount === 0) return Promise.resolve();
		return new Promise((resolve) => {
			// A ping is sent after everything before it.
			this.#socket.ping(undefined, undefined, () => resolve());
		});
	}

	pause(): void {
		this.#socket.pause();
	}

	resume(): void {
		this.#socket.resume();
	}

	logStray(): void {}

	async close(): Promise<void> {
		clearInterval(this.#pings);
		const isOpen = this.#end === undefined;
		this.#ended('transport is shut down');
		if (!isOpen) return;
		this.#socket.resume();
		await new Promise<void>((resolve) => {
			const timer = setTimeout(() => this.#socket.terminate(), WS_CLOSE_MS);
			this.#socket.once('close', () => {
				clearTimeout(timer);
				resolve();
			});
			this.#socket.close(1000);
		});
	}

	/** A binary frame is no message. */
	#receive(frame: string | undefined): void {
		this.#isAlive = true;
		if (frame === undefined || this.#end) return;
		this.#receiver?.message(oneLine(frame));
	}

	/** A connection that is dead for the network is noticed by us alone. */
	#ping(pingMs: number): void {
		// While we do not read, its sign is not read either.
		if (this.#socket.isPaused) {
			this.#isAlive = true;
			return;
		}
		if (!this.#isAlive) {
			this.#ended(`${this.#name} has been silent for ${pingMs / 1000} s`);
			return this.#socket.terminate();
		}
		this.#isAlive = false;
		this.#socket.ping();
	}

	#ended(reason: string): void {
		this.#end ??= new OrchestraError('closed', reason);
		clearInterval(this.#pings);
		this.#report();
	}

	#report(): void {
		if (this.#end === undefined || this.#hasReportedEnd || this.#receiver === undefined) return;
		this.#hasReportedEnd = true;
		this.#receiver.end(this.#end);
	}
}

function nameOf(url: URL, { serverName = `${url.protocol}//${url.host}` }: WsOptions): string {
	return serverName;
}

function explained(url: URL, options: WsOptions, cause: unknown): unknown {
	if (cause instanceof RefusedConnection) return cause;
	if (isCode(cause, 'ERR_MODULE_NOT_FOUND'))
		return new OrchestraError('io', 'WebSockets need the package ws, which is not installed', {
			cause,
			hint: 'It is an optional dependency: install orchestra-hub again without --omit=optional.',
			data: { outcome: 'not_run' },
		});
	const name = nameOf(url, options);
	return new OrchestraError('io', `${name} cannot be reached: ${messageOf(cause)}`, {
		cause,
		hint: 'Check the URL of the server, and that it runs.',
		data: { server: name, outcome: 'not_run' },
	});
}
