/* One connection to a NATS server. The client library is loaded here, and only with the setting `fabric`. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type * as Nats from '@nats-io/transport-node';
import { isCode, OrchestraError } from '../../errors.ts';
import { PING_MS, PINGS_OUT } from '../fabric-limits.ts';
import { inboxPrefix } from './inbox-prefix.ts';
import type { ServerAddress } from './nats-servers.ts';
import { assertCapable, usesTls } from './server-check.ts';

const DEFAULT_PORT = 4222;

export type NatsModule = typeof Nats;

/** How to reach the servers, and as whom. */
export interface NatsAccess {
	readonly servers: readonly string[];
	/** The name of this member. */
	readonly name: string;
	/** An nkey seed, or the content of a `.creds` file; called for each connection. */
	readonly credentials?: (() => Promise<string>) | undefined;
	/** The file of the certificate authority of the servers. Default: those of Node. */
	readonly ca?: string | undefined;
}

/**
 * Connect to one server within a time; the connection ends when it is lost. Throws `bad_input` for a server that may
 * not be used, and the error of the library for the rest.
 */
export async function connectNats(
	access: NatsAccess,
	{ url, tlsName }: ServerAddress,
	timeoutMs: number,
): Promise<{ nats: NatsModule; connection: Nats.NatsConnection }> {
	const { servers, name, ca } = access;
	const isTls = usesTls(servers);
	const nats = await loadNats();
	const credentials = await access.credentials?.();
	const tls = {
		minVersion: 'TLSv1.3',
		...(ca !== undefined && { ca: readFileSync(ca, 'utf8') }),
		...(tlsName !== undefined && { servername: tlsName }),
	};
	await greeting(url, timeoutMs);
	const connection = await nats.connect({
		servers: url,
		name,
		timeout: timeoutMs,
		inboxPrefix: inboxPrefix(name),
		// The link connects again, to any server.
		reconnect: false,
		pingInterval: PING_MS,
		maxPingOut: PINGS_OUT,
		noAsyncTraces: true,
		ignoreClusterUpdates: true,
		tls: isTls ? tls : null,
		...(credentials !== undefined && { authenticator: authenticatorOf(nats, credentials) }),
	});
	const { info } = connection;
	try {
		if (info) assertCapable(info);
	} catch (error) {
		await connection.close();
		throw error;
	}
	return { nats, connection };
}

/**
 * Resolves when the server says something, which a NATS server does first. Of one that accepts the connection and stays
 * silent, the client library would keep the socket open, and with it this process.
 */
async function greeting(url: string, timeoutMs: number): Promise<void> {
	const { hostname, port } = new URL(url);
	const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) });
	const signal = AbortSignal.timeout(timeoutMs);
	try {
		await once(socket, 'data', { signal });
	} catch (error) {
		if (!signal.aborted) throw error;
		throw new OrchestraError('timeout', `${url} has not answered in ${timeoutMs / 1000} s`, { cause: error });
	} finally {
		socket.destroy();
	}
}

/** Load the client library. Throws `bad_input` when it is not installed. */
export async function loadNats(): Promise<NatsModule> {
	try {
		return await import('@nats-io/transport-node');
	} catch (error) {
		if (!isCode(error, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND')) throw error;
		throw new OrchestraError('bad_input', 'the package @nats-io/transport-node is not installed', {
			cause: error,
			hint: 'Run: npm install @nats-io/transport-node@3.3',
		});
	}
}

function authenticatorOf(nats: NatsModule, credentials: string): Nats.Authenticator {
	const text = credentials.trim();
	const bytes = new TextEncoder().encode(text);
	if (/^SU[A-Z2-7]{56}$/.test(text)) return nats.nkeyAuthenticator(bytes);
	if (text.includes('BEGIN NATS USER JWT')) return nats.credsAuthenticator(bytes);
	throw new OrchestraError(
		'bad_input',
		'fabric.credentials is neither an nkey seed nor a NATS credentials file',
		{
			hint: 'mctl fabric invite makes a key.',
		},
	);
}
