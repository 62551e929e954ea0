/*
 * The metadata of an authorization server (RFC 8414, OpenID Connect Discovery).
 *
 * The document must name exactly the issuer that it was fetched for; otherwise one
 * server could pass off another's endpoints as its own (mix-up). PKCE must be
 * announced, since a server without it accepts a stolen code.
 */
import type { AuthorizationServer } from 'oauth4webapi';
import { OrchestraError } from '../errors.ts';
import { printableName } from '../printable.ts';
import { isLoopbackUrl } from '../transport/http/network-class.ts';
import { stringsOf } from '../wire/json.ts';
import type { OAuthSettings } from './auth-settings.ts';
import type { GuardedHttp } from './guarded-http.ts';

/** The fields of the metadata that are used. `issuer` is verbatim from the document. */
export interface ServerMetadata extends AuthorizationServer {
	readonly token_endpoint: string;
}

/** The metadata of `issuer`; undefined when none is published. Throws `bad_input` when the issuer differs or an endpoint is not usable. */
export async function findServerMetadata(
	http: GuardedHttp,
	issuer: string,
	allowsSlash: boolean,
): Promise<ServerMetadata | undefined> {
	let other: string | undefined;
	for (const place of metadataPlaces(issuer)) {
		const document = await http.json(place);
		const named = document?.['issuer'];
		if (document === undefined || typeof named !== 'string') continue;
		if (isSameIssuer(named, issuer, allowsSlash)) return readServer(document, named);
		other ??= named;
	}
	if (other === undefined) return undefined;
	const isSlash = isSameIssuer(other, issuer, true);
	throw new OrchestraError(
		'bad_input',
		`the authorization server ${printableName(issuer)} calls itself ${printableName(other)}`,
		{
			hint: isSlash
				? 'Only a slash differs: set `oauth.allowIssuerSlash` of the server to true to accept it.'
				: 'If that is the right one, set `oauth.issuer` of the server to it.',
		},
	);
}

/** The endpoints of a server of revision 2025-03-26 without metadata: fixed paths at its origin. */
export function assumedMetadata(origin: string): ServerMetadata {
	return {
		issuer: origin,
		authorization_endpoint: `${origin}/authorize`,
		token_endpoint: `${origin}/token`,
		registration_endpoint: `${origin}/register`,
		code_challenge_methods_supported: ['S256'],
	};
}

/** The page where a user signs in. Throws `bad_input` when there is none. */
export function authorizationEndpoint({ authorization_endpoint: page, issuer }: ServerMetadata): string {
	return page ?? missing('authorization_endpoint', issuer);
}

/** Throws `bad_input` when PKCE with S256 is not announced and the settings do not accept that. */
export function assertPkce(metadata: ServerMetadata, settings: OAuthSettings): void {
	const methods = metadata.code_challenge_methods_supported;
	if (methods?.includes('S256') || settings.allowMissingPkce) return;
	const found = methods === undefined ? 'does not announce PKCE' : 'does not announce PKCE with S256';
	throw new OrchestraError(
		'bad_input',
		`the authorization server ${printableName(metadata.issuer)} ${found}`,
		{
			hint: 'If you know that it supports PKCE (Entra and Cognito do), set `oauth.allowMissingPkce` of the server to true.',
		},
	);
}

function metadataPlaces(issuer: string): string[] {
	const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
	if (url === undefined || url.search !== '' || url.hash !== '') {
		throw new OrchestraError('bad_input', `${printableName(issuer)} is not the URL of an issuer`, {
			hint: 'Set `oauth.issuer` of the server to the right one.',
		});
	}
	const path = url.pathname.replace(/\/$/, '');
	const oauth = `${url.origin}/.well-known/oauth-authorization-server${path}`;
	const openid = `${url.origin}/.well-known/openid-configuration${path}`;
	return path === ''
		? [oauth, openid]
		: [oauth, openid, `${url.origin}${path}/.well-known/openid-configuration`];
}

/** Compared as strings; with `allowsSlash`, a final slash after the host does not count. */
function isSameIssuer(one: string, other: string, allowsSlash: boolean): boolean {
	const withoutSlash = (text: string) => text.replace(/^(https?:\/\/[^/]+)\/$/, '$1');
	return one === other || (allowsSlash && withoutSlash(one) === withoutSlash(other));
}

function readServer(document: Readonly<Record<string, unknown>>, issuer: string): ServerMetadata {
	const endpoint = (name: string) => readEndpoint(document[name], `${name} of ${printableName(issuer)}`);
	const optional = {
		authorization_endpoint: endpoint('authorization_endpoint'),
		registration_endpoint: endpoint('registration_endpoint'),
		revocation_endpoint: endpoint('revocation_endpoint'),
		scopes_supported: stringsOf(document['scopes_supported']),
		code_challenge_methods_supported: stringsOf(document['code_challenge_methods_supported']),
		token_endpoint_auth_methods_supported: stringsOf(document['token_endpoint_auth_methods_supported']),
	};
	return {
		issuer,
		token_endpoint: endpoint('token_endpoint') ?? missing('token_endpoint', issuer),
		...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
		authorization_response_iss_parameter_supported:
			document['authorization_response_iss_parameter_supported'] === true,
		client_id_metadata_document_supported: document['client_id_metadata_document_supported'] === true,
	};
}

function readEndpoint(value: unknown, name: string): string | undefined {
	if (value === undefined || value === null) return undefined;
	const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
	const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackUrl(url));
	if (url && isSafe && url.username === '') return url.href;
	throw new OrchestraError('bad_input', `the ${name} is not an https:// URL`, {
		hint: 'Tell the operator of the authorization server.',
	});
}

function missing(name: string, issuer: string): never {
	throw new OrchestraError('bad_input', `the metadata of ${printableName(issuer)} has no ${name}`, {
		hint: 'It cannot be used to sign in. If another issuer is right, set `oauth.issuer` of the server.',
	});
}
