/*
 * The transport to what a command names directly: a command with its arguments, a `stdio:`
 * URI, a URL, or an entry. An entry of the configuration with the URL contributes its headers
 * and its `oauth` settings, as it does for `mctl auth <url>`.
 */
import type { ServerEntry } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { otherEntries } from '../../config/same-url.ts';
import { Log } from '../../log.ts';
import type { McpClientOptions } from '../../mcp/client/call-options.ts';
import { McpClient } from '../../mcp/client/mcp-client.ts';
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { ChildTransport } from '../../transport/child-transport.ts';
import { isTracing, traced } from '../../transport/trace.ts';
import type { Transport } from '../../transport/transport.ts';
import { MESSAGE_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import type { CommandInput } from '../command.ts';
import { entryOfUrl, isUrl } from './target-name.ts';

export type Endpoint = string | SpawnRecord | ServerEntry;

type EndpointInput = Pick<CommandInput, 'cwd' | 'environment' | 'out'>;

interface EndpointOptions {
	/** Longest message, in bytes. Default: that of a server. */
	readonly limitBytes?: number | undefined;
	/** Whether the stderr of a program is shown. */
	readonly showsStderr?: boolean | undefined;
	/** Ends a dial that takes long. */
	readonly signal?: AbortSignal | undefined;
}

/** A client of the MCP server there, with the stored sign-in. The caller closes it. */
export function connectEndpoint(
	endpoint: Endpoint,
	input: EndpointInput,
	options: McpClientOptions & Pick<EndpointOptions, 'showsStderr'>,
): Promise<McpClient> {
	const { showsStderr } = options;
	return McpClient.open((signal) => openEndpoint(endpoint, input, { showsStderr, signal }), options);
}

/** The transport alone. The caller closes it. */
export async function openEndpoint(
	endpoint: Endpoint,
	input: EndpointInput,
	options: EndpointOptions = {},
): Promise<Transport> {
	const transport = await openUntraced(endpoint, input, options);
	return isTracing(input.environment) ? traced(transport, input.out.trace) : transport;
}

async function openUntraced(
	endpoint: Endpoint,
	{ cwd, environment, out }: EndpointInput,
	{ limitBytes = MESSAGE_LIMIT_BYTES, showsStderr = false, signal }: EndpointOptions,
): Promise<Transport> {
	// Loaded on demand: a program needs neither.
	if (typeof endpoint === 'string' && isUrl(endpoint)) {
		const { openRemoteTransport } = await import('../../oauth/open-remote-transport.ts');
		const entry = entryOfUrl(loadConfiguration({ cwd, environment }).configuration.mcpServers, endpoint);
		const others = entry && { otherEntries: () => otherEntries(entry, environment) };
		return openRemoteTransport(entry ?? { url: endpoint }, { environment, limitBytes, ...others });
	}
	if (typeof endpoint !== 'string' && 'kind' in endpoint) {
		const { openServerTransport } = await import('../../hub/sources/mcp/process/open-server-transport.ts');
		const onStderr = (chunk: Buffer): void => (showsStderr ? out.foreignStderr(chunk) : undefined);
		const log = showsStderr ? out.log('mctl', environment) : Log.silent;
		return openServerTransport(endpoint, { environment, onStderr, limitBytes, log, signal });
	}
	const record = typeof endpoint === 'string' ? parseStdioUri(endpoint) : endpoint;
	const stderr = showsStderr ? out.childStderr : 'discard';
	return ChildTransport.open({ cwd, ...record }, { stderr, limitBytes, parentEnvironment: environment });
}
