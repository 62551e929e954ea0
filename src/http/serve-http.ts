/* Serve a provider as an MCP server over HTTP, in every revision. */
import { OrchestraError } from '../errors.ts';
import { isOnLoopback, parseAddress } from '../link/address.ts';
import { Log } from '../log.ts';
import { sharedState } from '../mcp/server/mcp-session.ts';
import type { Provider } from '../mcp/server/provider.ts';
import { bearerToken } from './authenticate.ts';
import type { HttpLimits } from './http-limits.ts';
import { HttpListener } from './http-listener.ts';

/** Options of `serveHttp`. */
export interface ServeHttpOptions {
	/** `host:port` on loopback. Default `127.0.0.1:0`, any free port. */
	address?: string;
	/** Clients send it as `Authorization: Bearer`. */
	token: string;
	limits?: Partial<HttpLimits>;
	log?: Log;
}

/** A provider that is served over HTTP. */
export interface HttpServing {
	/** The URL for clients. */
	readonly url: string;
	/** End all sessions and stop listening. Idempotent. */
	close(): Promise<void>;
}

/** Serve a provider at `/mcp`, on loopback only. The caller closes it. Throws `bad_input` for another address. */
export async function serveHttp(provider: Provider, options: ServeHttpOptions): Promise<HttpServing> {
	const { address = '127.0.0.1:0', token, limits, log = Log.fromEnvironment(provider.info.name) } = options;
	const parsed = parseAddress(address);
	if (!(await isOnLoopback(parsed)))
		throw new OrchestraError('bad_input', `${address} is not an address on loopback`, {
			hint: 'Listen on 127.0.0.1, and put a proxy with TLS before it.',
		});
	if (token === '')
		throw new OrchestraError('bad_input', 'the token is empty', {
			hint: 'Pass a long random string, and give it to the clients.',
		});
	const served = { provider, shared: sharedState() };
	const listener = await HttpListener.open({
		address: parsed,
		authenticate: bearerToken(token),
		provider: (name) => (name === undefined ? served : undefined),
		limits,
		log,
	});
	return {
		url: listener.url,
		async close() {
			served.shared.suspendedCalls.close();
			await listener.close();
		},
	};
}
