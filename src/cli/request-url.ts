/* `mctl request <url>`: one request to a remote MCP server, after the handshake of its era unless it is raw. */
import { packageVersion } from '../files/package-version.ts';
import { connectServer } from '../mcp/client/connect-server.ts';
import { openRemoteTransport } from '../oauth/open-remote-transport.ts';
import type { Result } from '../protocol/mcp-types.ts';
import { Peer } from '../rpc/peer.ts';
import { isTracing, traced, traceToStderr } from '../transport/trace.ts';
import { isObject } from '../wire/json.ts';
import type { CommandInput } from './command.ts';

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
	{ environment: parentEnvironment, signal }: CommandInput,
): Promise<unknown> {
	const clientInfo = { name: 'mctl', version: packageVersion() };
	const client = await connectServer(url, { clientInfo, parentEnvironment, signal });
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
	const opened = await openRemoteTransport({ url }, { environment });
	const transport = isTracing(environment) ? traced(opened, traceToStderr) : opened;
	const peer = new Peer(transport, {});
	transport.start(peer);
	try {
		return await peer.request(method, params, { timeoutMs, signal });
	} finally {
		await transport.close();
	}
}
