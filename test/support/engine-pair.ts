/*
 * A bare engine as the client and our connection as the server, joined in memory.
 *
 * The test carries each datagram itself, so it decides what arrives, when, and in
 * which order. Calls into the server's engine are counted: a loop that makes no
 * progress throws instead of hanging the test.
 */
import { randomBytes } from 'node:crypto';
import type { HostPort } from '../../src/link/address.ts';
import type { LinkStream } from '../../src/link/link.ts';
import { configureEngine, type EngineConnection, loadEngine } from '../../src/link/quic/engine.ts';
import { QuicConnection } from '../../src/link/quic/quic-connection.ts';
import type { Identities } from './links.ts';

export interface EnginePair {
	/** The bare engine of the client. */
	client: EngineConnection;
	server: QuicConnection;
	/** Datagrams of the client that have not been delivered yet. */
	toServer: Buffer[];
	/** Put what the client has to send into `toServer`. */
	collect(): void;
	/** Give one datagram to the server, and let it flush. */
	deliver(datagram: Buffer): void;
	/** Carry everything both ways until both are quiet. */
	settle(): void;
	/** The most calls into the server's engine for one datagram. */
	mostCalls(): number;
}

const CLIENT: HostPort = { host: '127.0.0.1', port: 50_001 };
const SERVER: HostPort = { host: '127.0.0.1', port: 50_002 };
const HOUR_MS = 3_600_000;

/** @param limit more calls into the server's engine for one datagram are an endless loop */
export async function openEnginePair(
	who: Identities,
	limit: number,
	onStream: (stream: LinkStream) => void,
): Promise<EnginePair> {
	const engine = await loadEngine();
	const settings = (isServer: boolean) =>
		configureEngine(engine, isServer ? who.server : who.client, { isServer, isRemote: false });
	const client = engine.Connection.connect('localhost', randomBytes(16), CLIENT, SERVER, settings(false));
	const buffer = Buffer.alloc(65_536);
	const toServer: Buffer[] = [];
	const collect = (): void => {
		for (let made = client.send(buffer); made; made = client.send(buffer)) {
			toServer.push(Buffer.from(buffer.subarray(0, made[0])));
		}
	};
	collect();
	const id = randomBytes(16);
	// The engine takes the id of a client that was not sent a retry from its first packet.
	const noOriginal = null as unknown as Uint8Array;
	const counted = countCalls(engine.Connection.accept(id, noOriginal, SERVER, CLIENT, settings(true)), limit);
	const flushQueue: QuicConnection[] = [];
	const server = new QuicConnection({
		native: counted.native,
		host: {
			buffer: Buffer.alloc(65_536),
			scheduleFlush: (connection) => void flushQueue.push(connection),
			scheduleTick: (connection) => void flushQueue.push(connection),
			transmit(_connection, size) {
				// The engine of the client may refuse a packet; then it is lost, as on a network.
				client.recv(Buffer.from(this.buffer.subarray(0, size)), { from: SERVER, to: CLIENT });
			},
			remove: () => {},
		},
		local: SERVER,
		remote: CLIENT,
		isServer: true,
		frameLimitBytes: 1_000,
		handshakeMs: HOUR_MS,
		peerTimeoutMs: HOUR_MS,
		onEstablished: () => {},
		onStream,
	});
	const deliver = (datagram: Buffer): void => {
		counted.restart();
		server.take(datagram);
		for (const connection of flushQueue.splice(0)) connection.flush();
	};
	const settle = (): void => {
		for (collect(); toServer.length > 0; collect()) for (const one of toServer.splice(0)) deliver(one);
		counted.restart();
		server.flush();
	};
	settle();
	settle();
	if (!server.isEstablished) throw new Error('the handshake in memory did not succeed');
	return { client, server, toServer, collect, deliver, settle, mostCalls: counted.most };
}

function countCalls(
	target: EngineConnection,
	limit: number,
): { native: EngineConnection; restart: () => void; most: () => number } {
	let calls = 0;
	let most = 0;
	const count = (): void => {
		most = Math.max(most, ++calls);
		if (calls > limit) throw new Error(`more than ${limit} calls into the engine for one datagram`);
	};
	const native = new Proxy(target, {
		get(object, key) {
			const member: unknown = Reflect.get(object, key);
			if (typeof member !== 'function') return member;
			return (...args: unknown[]): unknown => {
				count();
				return Reflect.apply(member, object, args);
			};
		},
	});
	return { native, restart: () => void (calls = 0), most: () => most };
}
