/*
 * A UDP socket and the connections on it.
 *
 * The first write of an event-loop turn is flushed right after its callback, for low
 * latency; later writes are flushed together at the end of the turn. One timer serves
 * the deadlines of all connections. Datagrams are built in one buffer, which is reused
 * once the kernel has sent it, nearly always at once.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { OrchestraError } from '../../errors.ts';
import { Deadlines } from '../../rpc/calls/deadlines.ts';
import { systemClock } from '../../rpc/clock.ts';
import { formatAddress, type HostPort } from '../address.ts';
import { LARGEST_DATAGRAM_BYTES, SOCKET_BUFFER_BYTES } from '../link-limits.ts';
import type { ConnectionHost, QuicConnection } from './quic-connection.ts';

export class QuicSocket implements ConnectionHost {
	readonly local: HostPort;
	readonly connections: Set<QuicConnection> = new Set();
	buffer: Buffer = Buffer.allocUnsafeSlow(LARGEST_DATAGRAM_BYTES);
	readonly #socket: Socket;
	readonly #isConnected: boolean;
	/** Connections to flush next, each once. */
	readonly #flushQueue: QuicConnection[] = [];
	readonly #deadlines: Deadlines;
	#isReceiving = false;
	#isScheduled = false;
	#isClosed = false;

	private constructor(socket: Socket, isConnected: boolean) {
		this.#socket = socket;
		this.#isConnected = isConnected;
		const { address, port } = socket.address();
		this.local = { host: address, port };
		this.#deadlines = new Deadlines(systemClock, (now) => this.#tick(now));
	}

	/** A socket that listens on `local`. */
	static async bind(local: HostPort): Promise<QuicSocket> {
		const socket = openSocket(local.host);
		try {
			const listening = once(socket, 'listening');
			socket.bind(local.port, local.host);
			await listening;
		} catch (cause) {
			socket.close();
			throw new OrchestraError('io', `cannot listen on UDP ${formatAddress(local)}: ${String(cause)}`, {
				cause,
				hint: 'Is another hub running there? Choose another port, or 0 for any.',
			});
		}
		return new QuicSocket(socket, false);
	}

	/** A socket connected to one peer: it gets ECONNREFUSED when the peer's port is closed. */
	static async connect(remote: HostPort): Promise<QuicSocket> {
		const socket = openSocket(remote.host);
		try {
			const connected = once(socket, 'connect');
			socket.connect(remote.port, remote.host);
			await connected;
		} catch (cause) {
			socket.close();
			throw new OrchestraError(
				'io',
				`cannot open a UDP socket to ${formatAddress(remote)}: ${String(cause)}`,
				{ cause },
			);
		}
		return new QuicSocket(socket, true);
	}

	/** Start delivering datagrams, and errors of the socket. */
	receive(onDatagram: (data: Buffer, from: RemoteInfo) => void, onError: (error: Error) => void): void {
		this.#socket.on('message', (data, from) => {
			this.#isReceiving = true;
			try {
				onDatagram(data, from);
			} finally {
				this.#isReceiving = false;
			}
			if (this.#flushQueue.length === 0 || this.#isScheduled) return;
			this.#schedule();
			this.#flush();
		});
		this.#socket.on('error', onError);
		this.#onError = onError;
	}

	scheduleFlush(connection: QuicConnection): void {
		this.#flushQueue.push(connection);
		if (this.#isReceiving || this.#isScheduled) return;
		this.#schedule();
		process.nextTick(this.#flush);
	}

	scheduleTick(connection: QuicConnection): void {
		this.#deadlines.schedule(connection.dueAt);
	}

	transmit(connection: QuicConnection, size: number): void {
		if (!this.#isConnected) {
			this.sendTo(connection.remote, size);
			return;
		}
		this.#socket.send(this.buffer, 0, size, this.#onSent);
		this.#renewBuffer();
	}

	/** Send the first `size` bytes of the buffer to any address. */
	sendTo({ host, port }: HostPort, size: number): void {
		this.#socket.send(this.buffer, 0, size, port, host, this.#onSent);
		this.#renewBuffer();
	}

	remove(connection: QuicConnection): void {
		this.connections.delete(connection);
	}

	/** Idempotent. Close the connections first. */
	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#deadlines.close();
		await new Promise<void>((resolve) => this.#socket.close(resolve));
	}

	#onError: (error: Error) => void = () => {};

	readonly #onSent = (error: Error | null): void => {
		if (error) this.#onError(error);
	};

	/** Connections queued after the first flush are flushed at the end of the turn. */
	#schedule(): void {
		this.#isScheduled = true;
		setImmediate(this.#endTurn);
	}

	readonly #endTurn = (): void => {
		this.#isScheduled = false;
		this.#flush();
	};

	readonly #flush = (): void => {
		for (const connection of this.#flushQueue.splice(0)) {
			connection.flush();
			if (connection.dueAt < Number.POSITIVE_INFINITY) this.#deadlines.schedule(connection.dueAt);
		}
	};

	#tick(now: number): number {
		let next = Number.POSITIVE_INFINITY;
		for (const connection of this.connections) {
			// `tick` schedules a flush in this turn, which schedules the next deadline.
			if (connection.dueAt <= now + 1) connection.tick(now + 1);
			else next = Math.min(next, connection.dueAt);
		}
		return next;
	}

	/** A datagram in the send queue still uses the buffer. */
	#renewBuffer(): void {
		if (this.#socket.getSendQueueCount() > 0) this.buffer = Buffer.allocUnsafeSlow(LARGEST_DATAGRAM_BYTES);
	}
}

function openSocket(host: string): Socket {
	return createSocket({
		type: host.includes(':') ? 'udp6' : 'udp4',
		recvBufferSize: SOCKET_BUFFER_BYTES,
		sendBufferSize: SOCKET_BUFFER_BYTES,
		// All addresses are IP addresses, so no lookup is needed.
		lookup: (address, _options, done) => done(null, address, address.includes(':') ? 6 : 4),
	});
}
