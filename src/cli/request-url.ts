/* `mctl request <url>`: one request to a remote MCP server, after the handshake of its era unless it is raw. */
import { packageVersion } from '../files/package-version.ts';
import type { Result } from '../protocol/mcp-types.ts';
import { Peer } from '../rpc/peer.ts';
import { isObject } from '../wire/json.ts';
import type { CommandInput } from './command.ts';
import { connectUrl, openUrl } from './connect-url.ts';

export interface UrlRequest {
	readonly url: string;
	readonly method: string;
	readonly params: unknown;
	readonly timeoutMs: number | undefined;
	/** True: no handshake. */
	readonly isRaw: boolean;
}

/** The result. Uses the sign-in that `mctl auth <url>` stored. */
export async function requestUrl(request: UrlRequest, input: CommandInput): Promise<unknown> {
	return request.isRaw ? sendAlone(request, input) : sendAfterHandshake(request, input);
}

async function sendAfterHandshake(
	{ url, method, params, timeoutMs }: UrlRequest,
	{ environment, signal }: CommandInput,
): Promise<unknown> {
	const clientInfo = { name: 'mctl', version: packageVersion() };
	const client = await connectUrl(url, environment, { clientInfo, signal });
	try {
		const sent: Result = isObject(params) ? params : {};
		return await client.request(method, sent, { timeoutMs, signal });
	} finally {
		await client.close();
	}
}

async function sendAlone(
	{ url, method, params, timeoutMs }: UrlRequest,
	{ environment, signal }: CommandInput,
): Promise<unknown> {
	const transport = await openUrl(url, { environment });
	const peer = new Peer(transport, {});
	transport.start(peer);
	try {
		return await peer.request(method, params, { timeoutMs, signal });
	} finally {
		await transport.close();
	}
}
