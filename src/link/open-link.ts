/*
 * Dial or listen with the best transport of this platform.
 *
 * QUIC is preferred. Without a QUIC engine the same frames go over TLS, with a
 * warning, because both ends must then use TLS. An address `unix:/path` is always a
 * Unix socket (see unix-address.ts).
 */
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import type { DialOptions, Link, LinkKind, LinkListener, ListenOptions } from './link.ts';
import { loadEngine } from './quic/engine.ts';
import { dialQuic } from './quic/quic-client.ts';
import { isUnixAddress } from './tls/unix-address.ts';

export interface LinkChoice {
	/** Default `auto`: a Unix socket for `unix:/path`, else QUIC if the engine loads, else TLS. */
	kind?: LinkKind | 'auto' | undefined;
}

/** Open a link to a peer. */
export async function dial(options: DialOptions & LinkChoice): Promise<Link> {
	if ((await choose(options)) === 'quic') return dialQuic(options);
	return (await import('./tls/tls-client.ts')).dialTls(options);
}

/** Listen for peers. */
export async function listen(options: ListenOptions & LinkChoice): Promise<LinkListener> {
	if ((await choose(options)) === 'quic') return (await import('./quic/quic-server.ts')).listenQuic(options);
	return (await import('./tls/tls-server.ts')).listenTls(options);
}

interface Chosen extends LinkChoice {
	address: string;
	log?: Log | undefined;
}

async function choose({ kind = 'auto', address, log }: Chosen): Promise<LinkKind> {
	const isUnix = isUnixAddress(address);
	if (isUnix !== (kind === 'unix') && kind !== 'auto') {
		throw new OrchestraError('bad_input', `a link of kind ${kind} cannot use the address ${address}`, {
			hint: 'Unix sockets have addresses like unix:/path/to.sock, all other links host:port.',
		});
	}
	if (isUnix) return 'unix';
	if (kind !== 'auto') return kind;
	try {
		await loadEngine();
		return 'quic';
	} catch (thrown) {
		const { message } = OrchestraError.from(thrown);
		(log ?? Log.fromEnvironment('link')).warn(`${message}; using TLS over TCP instead`);
		return 'tls';
	}
}
