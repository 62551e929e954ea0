/* Whether a sign-in to a remote server is stored, without a request and without its secrets. */
import { Log } from '../log.ts';
import { accountOf, hasAuthorizationHeader } from './account.ts';
import { isMachine } from './auth-settings.ts';
import { CredentialStore } from './credential-store.ts';
import { isExpired, type Tokens } from './credentials.ts';
import { ServerAuth } from './open-auth.ts';
import type { RemoteServer, RemoteTransportOptions } from './open-remote-transport.ts';

/**
 * `refreshable`: expired, and renewed at the next request. `unassigned`: an earlier version stored a sign-in for the
 * URL, and several entries have it. `header`: the entry has its own `Authorization`.
 */
export type SignInState = 'signed_in' | 'refreshable' | 'expired' | 'none' | 'unassigned' | 'header';

/** The state of the sign-in to a server. */
export function signInStateOf(
	server: RemoteServer,
	{ environment, otherEntries }: Pick<RemoteTransportOptions, 'environment' | 'otherEntries'>,
): SignInState {
	const { name, headers, secrets, oauth: settings } = server;
	if (hasAuthorizationHeader({ ...headers, ...secrets })) return 'header';
	const store = CredentialStore.ofUser(environment, Log.silent);
	const account = accountOf(server);
	const { credentials } = new ServerAuth({ account, name, settings, store });
	const earlier = store.versionOf(account) === undefined ? store.readEarlier(account.url) : undefined;
	const state = tokenState(credentials?.tokens);
	// A program gets its token by itself.
	if (settings && isMachine(settings)) return state === 'signed_in' ? state : 'refreshable';
	if (earlier === undefined) return state;
	return otherEntries && otherEntries().length === 0 ? tokenState(earlier.tokens) : 'unassigned';
}

/** The state of these tokens now. */
export function tokenState(tokens: Tokens | undefined): 'signed_in' | 'refreshable' | 'expired' | 'none' {
	if (tokens === undefined) return 'none';
	if (!isExpired(tokens)) return 'signed_in';
	return tokens.refreshToken === undefined ? 'expired' : 'refreshable';
}
