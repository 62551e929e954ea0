/*
 * A server at a URL that the user typed. An entry of the configuration with this URL
 * contributes its headers and its `oauth` settings, as it does for `mctl auth <url>`.
 */
import type { RemoteServerEntry, ServerEntry } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load.ts';
import type { McpClientOptions } from '../mcp/client/call-options.ts';
import { McpClient } from '../mcp/client/mcp-client.ts';
import { openRemoteTransport, type RemoteTransportOptions } from '../oauth/open-remote-transport.ts';
import { isTracing, traced, traceToStderr } from '../transport/trace.ts';
import type { Transport } from '../transport/transport.ts';

/** Connect with the stored sign-in. The caller closes the client. */
export function connectUrl(
	url: string,
	environment: RemoteTransportOptions['environment'],
	options: McpClientOptions,
): Promise<McpClient> {
	return McpClient.open(() => openUrl(url, { environment }), options);
}

/** The transport alone. The caller closes it. */
export async function openUrl(url: string, options: RemoteTransportOptions): Promise<Transport> {
	const { environment } = options;
	const { mcpServers } = loadConfiguration({ cwd: process.cwd(), environment }).configuration;
	const isMeant = (each: ServerEntry): each is RemoteServerEntry => each.kind !== 'stdio' && each.url === url;
	const transport = await openRemoteTransport(mcpServers.find(isMeant) ?? { url }, options);
	return isTracing(environment) ? traced(transport, traceToStderr) : transport;
}
