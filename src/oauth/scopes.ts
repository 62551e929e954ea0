/* Which scopes to request. As few as possible: those of the challenge, else those that the resource lists. */
import { isMachine } from './auth-settings.ts';
import { bearerOf, type Discovered, type GrantOptions } from './discovery.ts';

const OFFLINE = 'offline_access';

/** The scopes of an authorization request; undefined leaves the choice to the authorization server. */
export function scopesToRequest(
	{ settings, challenges, granted }: GrantOptions,
	{ metadata, resourceScopes = [] }: Discovered,
): string[] | undefined {
	const challenged = splitScopes(bearerOf(challenges).get('scope'));
	const wanted = settings.scopes ?? (challenged.length > 0 ? challenged : resourceScopes);
	const isWider = granted.length > 0;
	const scopes = new Set(isWider ? [...granted, ...wanted, ...challenged] : wanted);
	// Without it, many servers issue no refresh token; where it is not listed, it is an error. A machine uses none.
	if (!isMachine(settings) && scopes.size > 0 && metadata.scopes_supported?.includes(OFFLINE))
		scopes.add(OFFLINE);
	return scopes.size === 0 ? undefined : [...scopes];
}

/** The scopes in a space-separated text. */
export function splitScopes(text: string | undefined): string[] {
	return (text ?? '').split(/\s+/).filter((scope) => scope !== '');
}

/** True when every one of `scopes` is in `granted`. */
export function includesAll(granted: readonly string[], scopes: readonly string[]): boolean {
	return scopes.every((scope) => granted.includes(scope));
}

/** True when the request asks for a refresh token by scope; OpenID Connect then wants a consent screen. */
export function asksOffline(scopes: readonly string[] | undefined): boolean {
	return scopes?.includes(OFFLINE) ?? false;
}
