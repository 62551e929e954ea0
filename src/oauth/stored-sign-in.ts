/* Whether a sign-in to a remote server is stored, without a request and without its secrets. */
import { Log } from '../log.ts';
import { CredentialStore } from './credential-store.ts';
import type { Tokens } from './credentials.ts';
import { openAuth } from './open-auth.ts';
import type { RemoteServer } from './open-remote-transport.ts';
import { hasOwnAuthorization } from './own-authorization.ts';

/** `refreshable`: expired, and renewed at the next request. `header`: the entry has its own `Authorization`. */
export type SignInState = 'signed_in' | 'refreshable' | 'expired' | 'none' | 'header';

/** The state of the sign-in to a server. */
export function storedSignIn(server: RemoteServer, environment: Readonly<NodeJS.ProcessEnv>): SignInState {
	const { url, name, headers, secrets, oauth: settings } = server;
	if (hasOwnAuthorization({ ...headers, ...secrets })) return 'header';
	const store = CredentialStore.ofUser(environment, Log.silent);
	return tokenState(openAuth({ url, name, settings, store }).credentials?.tokens);
}

/** The state of these tokens now. */
export function tokenState(tokens: Tokens | undefined): Exclude<SignInState, 'header'> {
	if (tokens === undefined) return 'none';
	const isExpired = tokens.expiresAt !== undefined && tokens.expiresAt <= Date.now();
	if (!isExpired) return 'signed_in';
	return tokens.refreshToken === undefined ? 'expired' : 'refreshable';
}
