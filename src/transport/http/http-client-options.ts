/* The settings of the HTTP client. */
import type { Log } from '../../log.ts';
import type { HttpAuth } from './http-auth.ts';

/** Settings of an `HttpClientTransport`. */
export interface HttpClientOptions {
	/** Sent with every request, to the origin of the URL only. */
	headers?: Readonly<Record<string, string>> | undefined;
	/** Supplies bearer tokens. Without it, a 401 fails the call. */
	auth?: HttpAuth | undefined;
	/** The name of the server in hints such as `mctl auth <server>`. Default: its URL. */
	serverName?: string | undefined;
	/** Variables that name proxies: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY. Default: those of this process. */
	environment?: Readonly<NodeJS.ProcessEnv> | undefined;
	/** A Unix socket that the server listens on, in place of the host of the URL. */
	socketPath?: string | undefined;
	log?: Log | undefined;
	/** Longest message accepted, in bytes. Default 10 MiB. */
	limitBytes?: number | undefined;
}
