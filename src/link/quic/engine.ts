/*
 * The QUIC engine, reduced to the calls that we use.
 *
 * It is the native part of `@matrixai/quic` (Cloudflare's quiche with BoringSSL),
 * without its JavaScript layer, which is about thirty times slower than the engine.
 * Another engine would replace only this file. It is loaded on first use; on a
 * platform without a binary only QUIC is missing.
 */
import { createRequire } from 'node:module';
import { messageOf, OrchestraError } from '../../errors.ts';
import type { HostPort } from '../address.ts';
import type { Identity } from '../link.ts';
import * as limits from '../link-limits.ts';
import { REMOTE_DATAGRAM_BYTES } from '../link-limits.ts';

const require = createRequire(import.meta.url);

/** Largest datagram on loopback; a peer may announce a smaller limit. */
export const DATAGRAM_BYTES: number = process.platform === 'linux' ? 16_383 : 8_192;

/** BoringSSL disables Ed25519 unless it is listed. */
const SIGNATURES = 'ed25519:ecdsa_secp256r1_sha256:rsa_pss_rsae_sha256';

export interface EngineConfig {
	setApplicationProtos(names: string[]): void;
	setMaxIdleTimeout(ms: number): void;
	setMaxRecvUdpPayloadSize(size: number): void;
	setMaxSendUdpPayloadSize(size: number): void;
	setInitialMaxData(bytes: number): void;
	setInitialMaxStreamDataBidiLocal(bytes: number): void;
	setInitialMaxStreamDataBidiRemote(bytes: number): void;
	setInitialMaxStreamsBidi(count: number): void;
	setInitialMaxStreamsUni(count: number): void;
	setMaxStreamWindow(bytes: number): void;
	setMaxConnectionWindow(bytes: number): void;
	setDisableActiveMigration(isOff: boolean): void;
	enablePacing(isOn: boolean): void;
}

export interface EngineError {
	isApp: boolean;
	errorCode: number;
	reason: Uint8Array;
}

export interface EngineConnection {
	recv(data: Uint8Array, path: { from: HostPort; to: HostPort }): number;
	/** Writes the next datagram into `data`; null when there is none. */
	send(data: Uint8Array): [number, unknown] | null;
	streamRecv(id: number, data: Uint8Array): [number, boolean] | null;
	streamSend(id: number, data: Uint8Array, isLast: boolean): number | null;
	streamShutdown(id: number, direction: number, code: number): unknown;
	streamCapacity(id: number): number;
	streamReadable(id: number): boolean;
	peerStreamsLeftBidi(): number;
	isReadable(): boolean;
	readable(): Iterable<number>;
	timeout(): number | null;
	onTimeout(): void;
	close(isApp: boolean, code: number, reason: Uint8Array): unknown;
	isEstablished(): boolean;
	isDraining(): boolean;
	isClosed(): boolean;
	peerError(): EngineError | null;
	localError(): EngineError | null;
	peerCertChain(): Uint8Array[] | null;
	applicationProto(): Uint8Array;
	sendAckEliciting(): void;
}

export interface EngineHeader {
	version: number;
	dcid: Uint8Array;
	scid: Uint8Array;
	token?: Uint8Array;
	ty: number;
}

export interface Engine {
	Config: {
		withBoringSslCtx(
			verifyPeer: boolean,
			allowFailure: boolean,
			ca: Uint8Array,
			keys: Uint8Array[] | null,
			certificates: Uint8Array[] | null,
			signatures: string,
		): EngineConfig;
	};
	Connection: {
		connect(
			name: string,
			id: Uint8Array,
			local: HostPort,
			remote: HostPort,
			config: EngineConfig,
		): EngineConnection;
		accept(
			id: Uint8Array,
			originalId: Uint8Array,
			local: HostPort,
			remote: HostPort,
			config: EngineConfig,
		): EngineConnection;
	};
	Header: { fromSlice(data: Uint8Array, idBytes: number): EngineHeader };
	versionIsSupported(version: number): boolean;
	negotiateVersion(scid: Uint8Array, dcid: Uint8Array, out: Uint8Array): number;
	retry(
		scid: Uint8Array,
		dcid: Uint8Array,
		newId: Uint8Array,
		token: Uint8Array,
		version: number,
		out: Uint8Array,
	): number;
}

/** Constants of the engine: directions of `streamShutdown`, and the type of an Initial packet. */
export const SHUTDOWN_READ = 0;
export const SHUTDOWN_WRITE = 1;
export const TYPE_INITIAL = 0;

/*
 * Load the platform's binary by its package name. The package of the engine tries a dozen other places
 * first, which takes three times as long; it is the fallback for other installation layouts.
 */
async function findEngine(): Promise<Engine> {
	try {
		const binary: unknown = require(`@matrixai/quic-${process.platform}-${process.arch}`);
		return binary as Engine; // the same module as below, where it has this type
	} catch {
		const native = await import('@matrixai/quic/native/index.js');
		return native.quiche;
	}
}

/** Load the engine. Throws `not_found` where there is no binary for this platform. */
export async function loadEngine(): Promise<Engine> {
	try {
		return await findEngine();
	} catch (cause) {
		const platform = `${process.platform}-${process.arch}`;
		throw new OrchestraError('not_found', `there is no QUIC engine for ${platform}: ${messageOf(cause)}`, {
			cause,
			hint: 'Install without --omit=optional, or use the TLS link.',
			data: { platform },
		});
	}
}

/** The configuration of a connection. A client accepts no streams. */
export function configureEngine(
	engine: Engine,
	identity: Identity,
	role: { isServer: boolean; isRemote: boolean; protocol?: string | undefined },
): EngineConfig {
	const bytes = (text: string): Uint8Array => Buffer.from(text);
	const hasCertificate = identity.certificate !== '';
	const config = engine.Config.withBoringSslCtx(
		true,
		false,
		bytes(identity.ca),
		hasCertificate ? [bytes(identity.key)] : null,
		hasCertificate ? [bytes(identity.certificate)] : null,
		SIGNATURES,
	);
	const datagramBytes = role.isRemote ? REMOTE_DATAGRAM_BYTES : DATAGRAM_BYTES;
	config.setApplicationProtos([role.protocol ?? limits.LINK_PROTOCOL]);
	config.setMaxIdleTimeout(limits.IDLE_MS);
	config.setMaxRecvUdpPayloadSize(datagramBytes);
	config.setMaxSendUdpPayloadSize(datagramBytes);
	config.setInitialMaxData(limits.CONNECTION_WINDOW_BYTES);
	config.setInitialMaxStreamDataBidiLocal(limits.STREAM_WINDOW_BYTES);
	config.setInitialMaxStreamDataBidiRemote(limits.STREAM_WINDOW_BYTES);
	config.setMaxStreamWindow(limits.STREAM_WINDOW_BYTES);
	config.setMaxConnectionWindow(limits.CONNECTION_WINDOW_BYTES);
	config.setInitialMaxStreamsBidi(role.isServer ? limits.MAX_STREAMS : 0);
	config.setInitialMaxStreamsUni(0);
	config.setDisableActiveMigration(true);
	// No pacing: on loopback there is no bottleneck to pace for.
	config.enablePacing(false);
	return config;
}
