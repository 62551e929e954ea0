/*
 * From a challenge to everything that a sign-in needs to know: the resource, its
 * authorization server, and the scopes.
 */
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { printableName } from '../printable.ts';
import type { Challenge } from '../transport/http/challenges.ts';
import type { OAuthSettings } from './auth-settings.ts';
import type { Credentials } from './credentials.ts';
import type { GuardedHttp } from './guarded-http.ts';
import { findProtectedResource, type ProtectedResource } from './resource-metadata.ts';
import { assumedMetadata, findServerMetadata, type ServerMetadata } from './server-metadata.ts';

/** Where and how to sign in for one server. */
export interface Discovered {
	readonly metadata: ServerMetadata;
	/** Value of the `resource` parameter. */
	readonly resource: string;
	/** Scopes that the resource lists. */
	readonly resourceScopes: readonly string[] | undefined;
}

export interface DiscoveryOptions {
	readonly url: string;
	readonly settings: OAuthSettings;
	readonly challenges: readonly Challenge[];
	readonly http: GuardedHttp;
	readonly log: Log;
}

export interface GrantOptions extends DiscoveryOptions {
	/** Scopes of the token that is to be widened; empty for a first one. */
	readonly granted: readonly string[];
}

/** The Bearer challenge, beside any other schemes of the server. */
export function bearerOf(challenges: readonly Challenge[]): ReadonlyMap<string, string> {
	const all = challenges.filter(({ scheme }) => scheme === 'bearer');
	const best = all.find(({ parameters }) => parameters.has('resource_metadata')) ?? all[0];
	return best?.parameters ?? new Map();
}

/** Find the authorization server of a resource. Throws `bad_input` when what it publishes is contradictory or unsafe. */
export async function discoverServer(options: DiscoveryOptions): Promise<Discovered> {
	const { url, http, log } = options;
	const named = bearerOf(options.challenges).get('resource_metadata');
	const found = await findProtectedResource(http, url, { named, log });
	const metadata = await metadataOf(options, found);
	return { metadata, resource: found?.resource ?? canonicalUrl(url), resourceScopes: found?.scopes };
}

async function metadataOf(
	{ url, settings, http }: DiscoveryOptions,
	resource: ProtectedResource | undefined,
): Promise<ServerMetadata> {
	const allowsSlash = settings.allowIssuerSlash ?? false;
	const issuer = settings.issuer ?? resource?.issuers[0];
	if (issuer !== undefined) {
		const metadata = await findServerMetadata(http, issuer, allowsSlash);
		if (metadata !== undefined) return metadata;
		throw new OrchestraError(
			'bad_input',
			`the authorization server ${printableName(issuer)} publishes no metadata`,
			{ hint: 'Check `oauth.issuer` of the server, or inform its operator.' },
		);
	}
	// Revision 2025-03-26: the server is its own authorization server. We made up the issuer, so a slash proves nothing.
	const { origin } = new URL(url);
	return (await findServerMetadata(http, origin, true)) ?? assumedMetadata(origin);
}

/** The URL of a server as the `resource` parameter has it: without fragment. */
function canonicalUrl(url: string): string {
	const canonical = new URL(url);
	canonical.hash = '';
	return canonical.pathname === '/' && canonical.search === '' ? canonical.origin : canonical.href;
}

/** The credentials of a sign-in. The store adds the account and its entry. */
export function grantedCredentials(
	url: string,
	{ metadata, resource }: Discovered,
	granted: Pick<Credentials, 'client' | 'account' | 'tokens'>,
): Credentials {
	return {
		url,
		key: undefined,
		entry: undefined,
		issuer: metadata.issuer,
		resource,
		tokenEndpoint: metadata.token_endpoint,
		revocationEndpoint: metadata.revocation_endpoint,
		...granted,
	};
}
