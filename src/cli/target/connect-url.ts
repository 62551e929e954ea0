/*
 * A server at a URL that the user typed. An entry of the configuration with this URL
 * contributes its headers and its `oauth` settings, as it does for `mctl auth <url>`.
 */
import { loadConfiguration } from '../../config/load.ts';
import { otherEntries } from '../../config/same-url.ts';
import type { McpClientOptions } from '../../mcp/client/call-options.ts';
import { McpClient } from '../../mcp/client/mcp-client.ts';
import { openRemoteTransport, type RemoteTransportOptions } from '../../oauth/open-remote-transport.ts';
import { isTracing, traced } from '../../transport/trace.ts';
import type { Transport } from '../../transport/transport.ts';
import type { CommandInput } from '../command.ts';
import { entryOfUrl } from './auth-target.ts';

type UrlInput = Pick<CommandInput, 'cwd' | 'environment' | 'out'>;

/** Connect with the stored sign-in. The caller closes the client. */
export function connectUrl(url: string, input: UrlInput, options: McpClientOptions): Promise<McpClient> {
	return McpClient.open(() => openUrl(url, input), options);
}

/** The transport alone. The caller closes it. */
export async function openUrl(
	url: string,
	{ cwd, environment, out }: UrlInput,
	options: Pick<RemoteTransportOptions, 'limitBytes'> = {},
): Promise<Transport> {
	const { mcpServers } = loadConfiguration({ cwd, environment }).configuration;
	const entry = entryOfUrl(mcpServers, url);
	const transport = await openRemoteTransport(entry ?? { url }, {
		environment,
		...options,
		...(entry && { otherEntries: () => otherEntries(entry, environment) }),
	});
	return isTracing(environment) ? traced(transport, out.trace) : transport;
}
