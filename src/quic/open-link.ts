/*
 * Dial or listen with whatever this platform has.
 *
 * QUIC is preferred. Where there is no engine for it the same frames travel over
 * TLS, and a warning says so, because both ends must then use TLS.
 */
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { loadEngine } from './engine.ts';
import type { DialOptions, Link, LinkKind, LinkListener, ListenOptions } from './link.ts';
import { dialQuic } from './quic-client.ts';

export interface LinkChoice {
	/** Default `auto`: QUIC where there is an engine, else TLS. */
	kind?: LinkKind | 'auto' | undefined;
}

/** Open a link to a peer. */
export async function dial(options: DialOptions & LinkChoice): Promise<Link> {
	if ((await choose(options)) === 'quic') return dialQuic(options);
	return (await import('./tls-client.ts')).dialTls(options);
}

/** Listen for peers. */
export async function listen(options: ListenOptions & LinkChoice): Promise<LinkListener> {
	if ((await choose(options)) === 'quic') return (await import('./quic-server.ts')).listenQuic(options);
	return (await import('./tls-server.ts')).listenTls(options);
}

async function choose({ kind = 'auto', log }: LinkChoice & { log?: Log | undefined }): Promise<LinkKind> {
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
