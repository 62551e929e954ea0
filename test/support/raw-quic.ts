/* A QUIC client that writes any bytes it likes into a stream, whole frames or not. */

import { randomBytes } from 'node:crypto';
import { parseAddress } from '../../src/link/address.ts';
import type { Identity } from '../../src/link/link.ts';
import { configureEngine, loadEngine } from '../../src/link/quic/engine.ts';
import { QuicConnection } from '../../src/link/quic/quic-connection.ts';
import { QuicSocket } from '../../src/link/quic/quic-socket.ts';
import { nextTurn } from './waiting.ts';

export interface RawQuic {
	/** Send bytes and the end of the stream; resolves with what came back, or how the stream broke. */
	exchange(bytes: Uint8Array): Promise<Buffer | string>;
	/** Acknowledge what was received in a datagram of its own. */
	acknowledge(): void;
	close(): Promise<void>;
}

export async function dialRaw(address: string, identity: Identity): Promise<RawQuic> {
	const engine = await loadEngine();
	const remote = parseAddress(address);
	const socket = await QuicSocket.connect(remote);
	const config = configureEngine(engine, identity, { isServer: false, isRemote: false });
	const connection = await new Promise<QuicConnection>((resolve) => {
		const native = engine.Connection.connect('localhost', randomBytes(16), socket.local, remote, config);
		const { local } = socket;
		const timing = { handshakeMs: 5_000, peerTimeoutMs: 10_000, frameLimitBytes: 1_000 };
		const made = new QuicConnection({
			native,
			host: socket,
			local,
			remote,
			isServer: false,
			...timing,
			onEstablished: resolve,
		});
		socket.connections.add(made);
		socket.receive(
			(data) => made.take(data),
			() => {},
		);
		made.scheduleFlush();
	});
	let id = -4;
	return {
		exchange: async (bytes) => {
			id += 4;
			connection.native.streamSend(id, bytes, true);
			connection.scheduleFlush();
			return readAll(connection, id);
		},
		acknowledge: () => connection.flush(),
		close: async () => {
			await connection.close(0);
			await socket.close();
		},
	};
}

async function readAll(connection: QuicConnection, id: number): Promise<Buffer | string> {
	const buffer = new Uint8Array(65_536);
	const parts: Buffer[] = [];
	for (let reads = 0; reads < 20_000 && !connection.isClosed; reads++) {
		try {
			const got = connection.native.streamRecv(id, buffer);
			if (got) parts.push(Buffer.from(buffer.slice(0, got[0])));
			if (got?.[1]) return Buffer.concat(parts);
		} catch (error) {
			if (String(error).includes('StreamReset')) return String(error);
		}
		await nextTurn();
	}
	return 'nothing happened';
}
