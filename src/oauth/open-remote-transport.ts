/* Open the transport to a remote MCP server, with the authorization that is stored for it. */
import { Log } from '../log.ts';
import { resolveSecrets } from '../secrets/resolve-secret.ts';
import type { SecretTexts } from '../secrets/secret-text.ts';
import type { HttpAuth } from '../transport/http/http-auth.ts';
import { openHttpTransport, parseServerUrl } from '../transport/http/open-http-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { OAuthSettings } from './auth-settings.ts';
import { withClientSecret } from './client-secret.ts';
import { CredentialStore } from './credential-store.ts';
import { openAuth } from './open-auth.ts';
import { hasOwnAuthorization } from './own-authorization.ts';

/** A remote server, as an entry of the configuration. */
export interface RemoteServer {
	readonly url: string;
	/** What the user calls it, for `mctl auth <name>`. Default: the URL. */
	readonly name?: string | undefined;
	readonly kind?: 'http' | 'sse' | undefined;
	/** An `Authorization` header is sent as it is and replaces OAuth. */
	readonly headers?: Readonly<Record<string, string>> | undefined;
	/** Headers with secret references. */
	readonly secrets?: SecretTexts | undefined;
	readonly oauth?: OAuthSettings | undefined;
}

export interface RemoteTransportOptions {
	/** Where the state of the user is. */
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly limitBytes?: number | undefined;
	readonly log?: Log | undefined;
	/** Default: the stored sign-in, which nobody can renew here; `false` sends no token. */
	readonly auth?: HttpAuth | false | undefined;
}

/** A transport to the server. The caller closes it. A token that `mctl auth` stores later is used from then on. */
export async function openRemoteTransport(
	server: RemoteServer,
	options: RemoteTransportOptions,
): Promise<Transport> {
	const { url, name, kind, secrets } = server;
	parseServerUrl(url); // before authorization looks for what is stored for it
	const { environment, limitBytes, log } = options;
	const headers = await resolveSecrets(server.headers ?? {}, secrets, { environment });
	const auth =
		options.auth === false
			? undefined
			: (options.auth ?? (await storedAuth({ ...server, headers }, options)));
	return openHttpTransport(url, { kind, headers, auth, serverName: name, environment, limitBytes, log });
}

async function storedAuth(
	server: RemoteServer,
	{ environment, log = Log.silent }: RemoteTransportOptions,
): Promise<HttpAuth | undefined> {
	const { url, name, headers = {}, oauth } = server;
	if (hasOwnAuthorization(headers)) return undefined;
	const settings = oauth && (await withClientSecret(oauth, environment));
	return openAuth({ url, name, settings, store: CredentialStore.ofUser(environment, log), environment, log });
}
