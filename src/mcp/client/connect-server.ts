/*
 * Connect to an MCP server, however it is described: a command as in `mcpServers`,
 * a `stdio:` URI, a URL, or a transport that is already open.
 */
import { OrchestraError } from '../../errors.ts';
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { ChildTransport, type ChildTransportOptions } from '../../transport/child-transport.ts';
import type { HttpAuth } from '../../transport/http/http-auth.ts';
import { withTrace } from '../../transport/trace.ts';
import type { Transport } from '../../transport/transport.ts';
import type { McpClientOptions } from './call-options.ts';
import { McpClient } from './mcp-client.ts';

/** A server that is reached by URL, as an entry of `mcpServers`. */
export interface RemoteTarget {
	url: string | URL;
	headers?: Readonly<Record<string, string>> | undefined;
	type?: 'http' | 'sse' | 'streamable-http' | undefined;
	/** Which sign-in to use, as `mctl auth <url> --account NAME` stored it. Default `default`. */
	account?: string | undefined;
}

/** A server: a command, a `stdio:` URI, a URL, or a transport. */
export type ServerTarget =
	| (SpawnRecord & { readonly type?: 'stdio' | undefined })
	| RemoteTarget
	| Transport
	| URL
	| string;

/** Settings of the client, and of the child process if there is one. */
export interface ConnectServerOptions
	extends McpClientOptions,
		Pick<ChildTransportOptions, 'stderr' | 'parentEnvironment' | 'limitBytes' | 'spawner' | 'guard'> {
	/** Authorization for a remote server. Default: the sign-in that `mctl auth <url> --account default` stored; `false` sends no token. */
	auth?: HttpAuth | false | undefined;
}

/** Start a server, or connect to a running one. The caller closes the client. */
export async function connectServer(
	target: ServerTarget,
	options: ConnectServerOptions = {},
): Promise<McpClient> {
	return McpClient.open(starter(target, options), options);
}

/** The function that opens the transport. Throws `bad_input` for a target that is none of the kinds. */
function starter(target: ServerTarget, options: ConnectServerOptions): () => Promise<Transport> {
	if (typeof target === 'string') {
		if (/^https?:/i.test(target)) return () => openRemote({ url: target }, options);
		const record = parseStdioUri(target);
		return () => openChild(record, options);
	}
	if (target instanceof URL) return () => openRemote({ url: target }, options);
	if ('post' in target) return once(target);
	if ('url' in target) return () => openRemote(target, options);
	if (typeof target.command === 'string') return () => openChild(target, options);
	throw new OrchestraError('bad_input', 'the server has neither a command nor a url', {
		hint: 'Pass { command, args }, { url }, a stdio: URI, a URL or a transport.',
	});
}

async function openChild(record: SpawnRecord, options: ConnectServerOptions): Promise<Transport> {
	return withTrace(await ChildTransport.open(record, options), options.parentEnvironment);
}

/** Connect with the stored sign-in of the user, unless the caller supplies authorization. */
async function openRemote(target: RemoteTarget, options: ConnectServerOptions): Promise<Transport> {
	const { openRemoteTransport } = await import('../../oauth/open-remote-transport.ts');
	const { DEFAULT_ACCOUNT } = await import('../../oauth/account.ts');
	const { headers, type, account = DEFAULT_ACCOUNT } = target;
	const { parentEnvironment: environment = process.env, limitBytes, log, auth } = options;
	const kind = type === 'sse' ? type : 'http';
	const server = { url: String(target.url), headers, kind, oauth: { account } } as const;
	const transport = await openRemoteTransport(server, { environment, limitBytes, log, auth });
	return withTrace(transport, environment);
}

/** A transport that is open already cannot be opened a second time. */
function once(transport: Transport): () => Promise<Transport> {
	let isUsed = false;
	return async () => {
		if (!isUsed) {
			isUsed = true;
			return transport;
		}
		throw new OrchestraError('closed', 'the server ended the connection when it got the probe', {
			hint: "Open a new transport and pass `knownEra: 'legacy'`, which skips the probe.",
		});
	};
}
