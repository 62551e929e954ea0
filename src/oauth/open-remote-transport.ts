/* Open the transport to a remote MCP server, with the authorization that is stored for it. */
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { resolveSecrets } from '../secrets/resolve-secret.ts';
import type { SecretStrings } from '../secrets/secret-text.ts';
import type { HttpAuth } from '../transport/http/http-auth.ts';
import { openHttpTransport, parseServerUrl } from '../transport/http/open-http-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { WsOptions } from '../transport/ws-transport.ts';
import { accountOf, hasAuthorizationHeader } from './account.ts';
import type { OAuthSettings } from './auth-settings.ts';
import { withResolvedSecrets } from './client-secret.ts';
import { CredentialStore } from './credential-store.ts';
import { HeadersHelper } from './headers-helper.ts';
import { type AuthOptions, ServerAuth } from './open-auth.ts';

/** A remote server, as an entry of the configuration. */
export interface RemoteServer {
	readonly url: string;
	/** What the user calls it, for `mctl auth <name>`. Default: the URL. */
	readonly name?: string | undefined;
	readonly kind?: 'http' | 'sse' | 'ws' | undefined;
	/** An `Authorization` header is sent as it is and replaces OAuth. */
	readonly headers?: Readonly<Record<string, string>> | undefined;
	/** Headers with secret references. */
	readonly secrets?: SecretStrings | undefined;
	readonly oauth?: OAuthSettings | undefined;
	/** A command that prints headers, and the folder that it runs in. */
	readonly headersHelper?: string | undefined;
	readonly cwd?: string | undefined;
	/** The file with the entry; undefined for a URL without one. */
	readonly file?: string | undefined;
}

export interface RemoteTransportOptions {
	/** Where the state of the user is. */
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly limitBytes?: number | undefined;
	readonly log?: Log | undefined;
	/** Ends a dial that takes long, and a helper. */
	readonly signal?: AbortSignal | undefined;
	/** Default: the stored sign-in, which cannot be renewed here; `false` sends no token. */
	readonly auth?: HttpAuth | false | undefined;
	/** The same as in `AuthOptions`. */
	readonly otherEntries?: AuthOptions['otherEntries'];
}

/** A transport to the server. The caller closes it. A token that `mctl auth` stores later is used from then on. */
export async function openRemoteTransport(
	server: RemoteServer,
	options: RemoteTransportOptions,
): Promise<Transport> {
	const { url, name, kind, secrets } = server;
	if (kind !== 'ws') parseServerUrl(url); // before authorization looks for what is stored for it
	const { environment, limitBytes, log } = options;
	const headers = await resolveSecrets(server.headers ?? {}, secrets, { environment });
	const helper = helperOf(server, options);
	if (kind === 'ws')
		return openSocket(
			new URL(url),
			{ headers, limitBytes, serverName: name, signal: options.signal },
			helper,
		);
	const auth =
		options.auth === false
			? undefined
			: (options.auth ?? helper ?? (await storedAuth({ ...server, headers }, options)));
	return openHttpTransport(url, { kind, headers, auth, serverName: name, environment, limitBytes, log });
}

function helperOf(
	{ headersHelper: command, cwd: folder, name, url }: RemoteServer,
	{ environment, signal }: RemoteTransportOptions,
): HeadersHelper | undefined {
	if (command === undefined || folder === undefined) return undefined;
	return new HeadersHelper({ command, folder, server: { name: name ?? url, url }, environment, signal });
}

/** A refused connection is opened once more when the helper prints other headers. */
async function openSocket(
	url: URL,
	options: WsOptions,
	helper: HeadersHelper | undefined,
): Promise<Transport> {
	const { openWsTransport, RefusedConnection } = await import('../transport/ws-transport.ts');
	const open = async (): Promise<Transport> =>
		openWsTransport(url, { ...options, headers: { ...options.headers, ...(await helper?.headers()) } });
	try {
		return await open();
	} catch (error) {
		if (!(error instanceof RefusedConnection)) throw error;
		const isRefused = error.status === 401 || error.status === 403;
		if (helper && isRefused && (await helper.onUnauthorized()) === 'retry') return open();
		const name = options.serverName ?? url.host;
		throw new OrchestraError('io', `${name} refused the connection with status ${error.status}`, {
			hint: isRefused ? 'Check `headers` or `headersHelper` of the server.' : 'Check the URL of the server.',
			data: { server: name, status: error.status, outcome: 'not_run' },
		});
	}
}

async function storedAuth(
	server: RemoteServer,
	{ environment, otherEntries, log = Log.silent }: RemoteTransportOptions,
): Promise<HttpAuth | undefined> {
	const { name, headers = {}, oauth } = server;
	if (hasAuthorizationHeader(headers)) return undefined;
	const settings = oauth && (await withResolvedSecrets(oauth, environment));
	const store = CredentialStore.ofUser(environment, log);
	return new ServerAuth({
		account: accountOf(server),
		name,
		settings,
		store,
		otherEntries,
		environment,
		log,
	});
}
