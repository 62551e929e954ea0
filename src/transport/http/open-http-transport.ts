/* Open a transport to a server by its URL. */
import { OrchestraError } from '../../errors.ts';
import { percentDecoded } from '../../printable.ts';
import { registerQuery } from '../../secrets/secret-name.ts';
import type { Transport } from '../transport.ts';
import type { HttpClientOptions } from './http-client-options.ts';
import { HttpClientTransport } from './http-client-transport.ts';

/** Settings of `openHttpTransport`. */
export interface HttpTransportOptions extends HttpClientOptions {
	/** `http` (default) finds out everything by itself; `sse` uses the HTTP+SSE transport of 2024-11-05 at once. */
	kind?: 'http' | 'sse' | undefined;
}

/** A transport to the MCP server at `url`. Nothing is sent before the first message, except with `kind: 'sse'`. */
export async function openHttpTransport(url: string, options: HttpTransportOptions = {}): Promise<Transport> {
	const transport = new HttpClientTransport(parseServerUrl(url), { ...options, ...socketOf(url) });
	if (options.kind !== 'sse') return transport;
	try {
		await transport.openEventLink();
		return transport;
	} catch (error) {
		await transport.close();
		throw error;
	}
}

/** `unix:///run/server.sock#/mcp`: the socket, and the path behind the `#`. */
function socketOf(text: string): { socketPath?: string } {
	return text.startsWith('unix:') ? { socketPath: percentDecoded(new URL(text).pathname) } : {};
}

/** The URL of a server; secrets of its query are redacted from now on. Throws `bad_input` for a URL that is not of HTTP, or has credentials in it. */
export function parseServerUrl(text: string): URL {
	const given = URL.canParse(text) ? new URL(text) : undefined;
	const isSocket = given?.protocol === 'unix:' && given.host === '' && given.pathname.length > 1;
	const url = isSocket ? new URL(given.hash.slice(1) || '/', 'http://localhost') : given;
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		throw new OrchestraError(
			'bad_input',
			'the URL of an MCP server must begin with http://, https:// or unix:///',
			{
				hint: 'Example: https://example.com/mcp',
			},
		);
	}
	registerQuery(url);
	if (url.username === '' && url.password === '') return url;
	throw new OrchestraError(
		'bad_input',
		'the URL of an MCP server must not contain a user name or a password',
		{
			hint: 'Send them as a header: "headers": {"Authorization": "Basic …"}',
		},
	);
}
