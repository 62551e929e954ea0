/* Which scopes to request. As few as possible: those of the challenge, else those that the resource lists. */
import type { OAuthSettings } from './auth-settings.ts';
import type { Discovered } from './discovery.ts';

const OFFLINE = 'offline_access';

export interface ScopeRequest {
	readonly settings: OAuthSettings;
	readonly discovered: Discovered;
	/** `scope` of the challenge. */
	readonly challenged: readonly string[];
	/** Scopes of the token that is to be widened. */
	readonly granted: readonly string[];
}

/** The scopes of an authorization request; undefined leaves the choice to the authorization server. */
export function scopesToRequest({
	settings,
	discovered,
	challenged,
	granted,
}: ScopeRequest): string[] | undefined {
	const { metadata, resourceScopes = [] } = discovered;
	const named = challenged.length > 0 ? challenged : resourceScopes;
	const wanted = settings.scopes ?? named;
	const isWider = granted.length > 0;
	const scopes = new Set(isWider ? [...granted, ...wanted, ...challenged] : wanted);
	// Without it, many servers issue no refresh token; where it is not listed, it is an error. A machine uses none.
	const isUser = settings.grant === undefined || settings.grant === 'browser';
	if (isUser && scopes.size > 0 && metadata.scopes_supported?.includes(OFFLINE)) scopes.add(OFFLINE);
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
