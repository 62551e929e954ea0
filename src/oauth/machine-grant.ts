/*
 * Authorization without a user at hand: the credentials of a program (client credentials, with a
 * secret or a signed assertion), or an assertion that the identity provider of an
 * organisation issues for its user (enterprise-managed authorization).
 *
 * Such tokens have no refresh token: a new one is requested in the same way.
 */
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { OrchestraError } from '../errors.ts';
import type { OAuthSettings } from './auth-settings.ts';
import { secretMethod } from './client-identity.ts';
import type { Credentials, OAuthClient, Tokens } from './credentials.ts';
import { type Discovered, discoverServer, type GrantOptions, grantedCredentials } from './discovery.ts';
import { scopesToRequest } from './scopes.ts';
import { findServerMetadata } from './server-metadata.ts';
import { requestTokens, type TokenRequest } from './token-requests.ts';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

/** Get credentials from the authorization server. Nothing is stored here. */
export async function machineGrant(options: GrantOptions): Promise<Credentials> {
	const { settings, url } = options;
	const discovered = await discoverServer(options);
	const client = clientOf(settings, secretMethod(discovered.metadata));
	const tokens = await tokensOf(options, discovered, client);
	return grantedCredentials(url, discovered, { client, account: undefined, tokens });
}

async function tokensOf(options: GrantOptions, discovered: Discovered, client: OAuthClient): Promise<Tokens> {
	const { settings, http } = options;
	const { metadata, resource } = discovered;
	const scopes = scopesToRequest(options, discovered);
	const named = {
		...(scopes && { scope: scopes.join(' ') }),
		...(settings.sendsResource !== false && { resource }),
	};
	const shared = { http, client, secret: settings.clientSecret, server: metadata, scopes: scopes ?? [] };
	if (settings.grant === 'enterprise') {
		const assertion = await identityAssertion(options, metadata.issuer, named);
		return requestTokens({ ...shared, grant: JWT_BEARER, parameters: { assertion } });
	}
	const authentication = await assertionOf(settings);
	return requestTokens({ ...shared, authentication, grant: 'client_credentials', parameters: named });
}

/** An assertion of the identity provider about its user, for one authorization server and one resource. */
async function identityAssertion(
	{ settings, http }: GrantOptions,
	audience: string,
	named: Readonly<Record<string, string>>,
): Promise<string> {
	const { identityProvider: provider } = settings;
	if (provider?.idToken === undefined) throw missing('oauth.identityProvider with an `idToken`');
	const { issuer, clientId, clientSecret: secret, idToken } = provider;
	const isNamed = provider.tokenEndpoint !== undefined;
	const metadata = isNamed ? undefined : await findServerMetadata(http, issuer, true);
	const endpoint = provider.tokenEndpoint ?? metadata?.token_endpoint;
	if (endpoint === undefined) throw missing('the `tokenEndpoint` of oauth.identityProvider');
	const request: TokenRequest = {
		http,
		client: configured(clientId, secret === undefined ? 'none' : secretMethod(metadata)),
		secret,
		server: { issuer, token_endpoint: endpoint },
		scopes: [],
		grant: TOKEN_EXCHANGE,
		parameters: {
			...named,
			requested_token_type: ID_JAG,
			audience,
			subject_token: idToken,
			subject_token_type: ID_TOKEN,
		},
	};
	return (await requestTokens(request)).accessToken;
}

/** The client of the configuration, with the method of authentication that the server knows. */
function clientOf(settings: OAuthSettings, method: OAuthClient['authMethod']): OAuthClient {
	const { clientId, clientSecret, privateKey } = settings;
	if (clientId === undefined) throw missing('oauth.clientId');
	if (clientSecret === undefined && (privateKey === undefined || settings.grant === 'enterprise'))
		throw missing('oauth.clientSecret' + (settings.grant === 'enterprise' ? '' : ' or oauth.privateKey'));
	return configured(clientId, method);
}

function configured(id: string, authMethod: OAuthClient['authMethod']): OAuthClient {
	return { id, secret: undefined, authMethod, redirectUri: 'none', kind: 'configured' };
}

/** A signed assertion in place of the secret; undefined without a key. */
async function assertionOf({ privateKey }: OAuthSettings): Promise<oauth.ClientAuth | undefined> {
	if (privateKey === undefined) return undefined;
	const key = readKey(privateKey);
	const der = key.export({ type: 'pkcs8', format: 'der' });
	const algorithm = algorithmOf(key);
	return oauth.PrivateKeyJwt(await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']));
}

function readKey(pem: string): KeyObject {
	try {
		return createPrivateKey(pem);
	} catch {
		throw new OrchestraError('bad_input', 'oauth.privateKey is not a private key as PEM', {
			hint: 'Use a reference to its file: "${file:/path/to/key.pem}".',
		});
	}
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): {
	name: string;
	namedCurve?: string;
	hash?: string;
} {
	const curves: Readonly<Record<string, string>> = {
		prime256v1: 'P-256',
		secp384r1: 'P-384',
		secp521r1: 'P-521',
	};
	const namedCurve = curves[asymmetricKeyDetails?.namedCurve ?? ''];
	if (type === 'ec' && namedCurve !== undefined) return { name: 'ECDSA', namedCurve };
	if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
	if (type === 'ed25519') return { name: 'Ed25519' };
	throw new OrchestraError('bad_input', `oauth.privateKey is a key of another kind (${type ?? 'unknown'})`, {
		hint: 'Use an EC key (P-256, P-384, P-521), an RSA key or an Ed25519 key.',
	});
}

function missing(what: string): OrchestraError {
	return new OrchestraError('bad_input', `${what} is missing in the entry of the server`, {
		hint: 'See docs/machine-sign-in.md.',
	});
}
