/*
 * The connections of the listener.
 *
 * Requests that a client sends before the reply to the first (pipelining) are served one
 * after the other: Node reports the disconnect of a client only for the reply that is its
 * turn. At the limit of connections a new one takes the place of one without a request,
 * the longest silent first: connections that send nothing lock no client out.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PIPELINE_LIMIT } from './http-limits.ts';

interface Connection {
	readonly socket: Socket;
	/** False until its first request. */
	isUsed: boolean;
	/** The reply that is its turn. */
	current: ServerResponse | undefined;
	/** Begin the requests after it, in their order. */
	readonly waiting: (() => void)[];
}

export class ConnectionTable {
	readonly #limit: number;
	/** Keyed by the address of the client, which TCP and TLS socket share; the longest without a request first. */
	readonly #open = new Map<string, Connection>();
	readonly #bySocket = new WeakMap<Socket, Connection>();

	constructor(limit: number) {
		this.#limit = limit;
	}

	/** A client connected. False when every connection has a request in flight: then this one is closed. */
	add(socket: Socket): boolean {
		const address = addressOf(socket);
		const isNew = !this.#open.has(address); // else the TLS socket takes the place of its TCP socket
		if (isNew && this.#open.size >= this.#limit && !this.#closeSilent()) {
			socket.destroy();
			return false;
		}
		const connection = { socket, isUsed: false, current: undefined, waiting: [] };
		this.#open.set(address, connection);
		this.#bySocket.set(socket, connection);
		socket.once('close', () => {
			if (this.#open.get(address) === connection) this.#open.delete(address);
		});
		return true;
	}

	/** Run `serve` now, or when the replies before this one are complete. When the connection ends before: never. */
	inTurn({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
		const connection = this.#bySocket.get(socket);
		if (connection === undefined) return void socket.destroy(); // it was closed while this was read
		const begin = (): void => {
			// The reply before it was the last one of the connection: no peer would get this one.
			if (response.socket === null || socket.writableEnded) return;
			connection.current = response;
			connection.isUsed = true;
			response.once('close', () => this.#next(connection));
			serve();
		};
		if (connection.current === undefined) return begin();
		connection.waiting.push(begin);
		if (connection.waiting.length >= PIPELINE_LIMIT) socket.pause();
	}

	#next(connection: Connection): void {
		const { socket, waiting } = connection;
		connection.current = undefined;
		if (socket.destroyed) return void waiting.splice(0);
		const begin = waiting.shift();
		if (waiting.length < PIPELINE_LIMIT && socket.isPaused()) socket.resume();
		if (begin) return begin();
		const address = addressOf(socket);
		if (!this.#open.delete(address)) return;
		this.#open.set(address, connection);
	}

	/** Close the connection that has been silent for longest; one that was never used before one between two requests. */
	#closeSilent(): boolean {
		const idle = [...this.#open].filter(([, { current }]) => current === undefined);
		const [address, connection] = idle.find(([, { isUsed }]) => !isUsed) ?? idle[0] ?? [];
		if (address === undefined || connection === undefined) return false;
		this.#open.delete(address);
		connection.socket.destroy();
		return true;
	}
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
	return `${remoteAddress} ${remotePort}`;
}
