/*
 * Requests to the token, registration and revocation endpoints, with oauth4webapi.
 *
 * Errors are rewritten here: those of the library hold the response, and with it the
 * tokens. What an authorization server says is shown only after every secret of the
 * request is cut out of it.
 */

import { randomBytes } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { OrchestraError } from '../errors.ts';
import { printableLine } from '../printable.ts';
import { isLoopbackUrl } from '../transport/http/network-class.ts';
import { jsonObject } from '../wire/json.ts';
import { SHOWN_CHARACTERS } from './auth-limits.ts';
import type { Credentials, OAuthClient, Tokens } from './credentials.ts';
import { type GuardedHttp, type GuardedRequest } from './guarded-http.ts';
import { splitScopes } from './scopes.ts';
import type { ServerMetadata } from './server-metadata.ts';

/** The client of a request, with its secret, wherever that comes from. */
export interface RequestingClient {
	readonly http: GuardedHttp;
	readonly client: OAuthClient;
	readonly secret: string | undefined;
}

export interface TokenGrant {
	readonly tokens: Tokens;
	/** Name of the account, where the response has an ID token. */
	readonly account: string | undefined;
}

export interface CodeExchange {
	readonly metadata: ServerMetadata;
	/** Checked by `validateAuthResponse`. */
	readonly response: URLSearchParams;
	readonly redirectUri: string;
	readonly verifier: string;
	/** `resource` parameter; undefined leaves it out. */
	readonly resource: string | undefined;
	/** Scopes that were requested; the granted ones when the response names none. */
	readonly scopes: readonly string[];
}

/** Exchange an authorization code for tokens. Throws `rpc` when the authorization server refuses. */
export async function exchangeCode(sender: RequestingClient, exchange: CodeExchange): Promise<TokenGrant> {
	const { metadata, response, redirectUri, verifier, resource } = exchange;
	const secrets = [sender.secret, verifier, response.get('code')];
	return translated(metadata.issuer, secrets, async () => {
		const seen: SeenAccount = {};
		const options = requestOptions(sender.http, metadata.token_endpoint, resource, seen);
		const client = { client_id: sender.client.id };
		const authentication = authenticationOf(sender);
		const answer = await oauth.authorizationCodeGrantRequest(
			metadata,
			client,
			authentication,
			response,
			redirectUri,
			verifier,
			options,
		);
		const granted = await oauth.processAuthorizationCodeResponse(metadata, client, answer);
		return { tokens: tokensOf(granted, exchange.scopes, undefined), account: seen.account };
	});
}

/** New tokens for a refresh token. Throws `rpc` with `data.error` when the authorization server refuses, for example `invalid_grant`. */
export async function refreshTokens(
	sender: RequestingClient,
	credentials: Credentials,
	refreshToken: string,
	resource: string | undefined,
): Promise<Tokens> {
	const { issuer, tokenEndpoint, tokens } = credentials;
	return translated(issuer, [sender.secret, refreshToken, tokens?.accessToken], async () => {
		const server = { issuer, token_endpoint: tokenEndpoint };
		const client = { client_id: sender.client.id };
		const options = requestOptions(sender.http, tokenEndpoint, resource, {});
		const answer = await oauth.refreshTokenGrantRequest(
			server,
			client,
			authenticationOf(sender),
			refreshToken,
			options,
		);
		const granted = await oauth.processRefreshTokenResponse(server, client, answer);
		return tokensOf(granted, tokens?.scopes ?? [], refreshToken);
	});
}

/** A request for a token without a sign-in. */
export interface TokenRequest extends RequestingClient {
	readonly server: oauth.AuthorizationServer & { readonly token_endpoint: string };
	readonly grant: string;
	readonly parameters: Readonly<Record<string, string>>;
	/** Scopes that are requested; the granted ones when the response names none. */
	readonly scopes: readonly string[];
	/** How the client proves who it is, where it has no secret. */
	readonly authentication?: oauth.ClientAuth | undefined;
}

/** Get a token. Throws as `refreshTokens` does. */
export async function requestTokens(request: TokenRequest): Promise<Tokens> {
	const { http, server, grant, parameters, scopes, authentication, secret } = request;
	const { assertion, subject_token: subject } = parameters;
	return translated(server.issuer, [secret, assertion, subject], async () => {
		const client = { client_id: request.client.id };
		const answer = await oauth.genericTokenEndpointRequest(
			server,
			client,
			authentication ?? authenticationOf(request),
			grant,
			{ ...parameters },
			requestOptions(http, server.token_endpoint, undefined, {}),
		);
		const granted = await oauth.processGenericTokenEndpointResponse(server, client, answer, {
			// The type of an assertion, which is not sent to a resource.
			recognizedTokenTypes: { n_a: () => {} },
		});
		return tokensOf(granted, scopes, undefined);
	});
}

/** Register this program. Throws `rpc` when the authorization server refuses. */
export function registerClient(
	http: GuardedHttp,
	metadata: ServerMetadata,
	document: Readonly<Record<string, oauth.JsonValue>>,
): Promise<Readonly<Record<string, unknown>>> {
	return translated(metadata.issuer, [], async () => {
		const options = requestOptions(http, metadata.registration_endpoint ?? '', undefined, {});
		const answer = await oauth.dynamicClientRegistrationRequest(metadata, document, options);
		return oauth.processDynamicClientRegistrationResponse(asCreated(answer, await answer.clone().text()));
	});
}

/** Withdraw the tokens, the refresh token first. Throws as `refreshTokens` does. */
export async function revokeTokens(sender: RequestingClient, credentials: Credentials): Promise<void> {
	const { issuer, revocationEndpoint, tokens } = credentials;
	if (revocationEndpoint === undefined || tokens === undefined) return;
	for (const token of [tokens.refreshToken, tokens.accessToken]) {
		if (token === undefined) continue;
		await translated(issuer, [sender.secret, token], async () => {
			const server = { issuer, revocation_endpoint: revocationEndpoint };
			const options = requestOptions(sender.http, revocationEndpoint, undefined, {});
			const client = { client_id: sender.client.id };
			const answer = await oauth.revocationRequest(server, client, authenticationOf(sender), token, options);
			await oauth.processRevocationResponse(answer);
		});
	}
}

interface SeenAccount {
	account?: string | undefined;
}

function requestOptions(
	http: GuardedHttp,
	endpoint: string,
	resource: string | undefined,
	seen: SeenAccount,
) {
	return {
		[oauth.customFetch]: async (url: string, init: GuardedRequest): Promise<Response> =>
			tolerated(await http.fetch(url, init), seen),
		[oauth.allowInsecureRequests]: URL.canParse(endpoint) && isLoopbackUrl(new URL(endpoint)),
		...(resource !== undefined && { additionalParameters: { resource } }),
	};
}

/** GitHub reports errors with status 200; the ID token is not needed, and its issuer is often not that of the metadata. */
async function tolerated(response: Response, seen: SeenAccount): Promise<Response> {
	const body = jsonObject(await response.clone().text());
	if (response.status !== 200 || body === undefined) return response;
	const { id_token: idToken, ...rest } = body;
	seen.account = accountIn(idToken);
	const isError = typeof body['error'] === 'string' && body['access_token'] === undefined;
	// Slack and others put `null` where there is no value.
	const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
	return Response.json(present, { status: isError ? 400 : 200 });
}

/** Some servers answer a registration with 200, or a secret without the time of its expiry. */
function asCreated(response: Response, text: string): Response {
	const body = jsonObject(text);
	if (body === undefined || (response.status !== 200 && response.status !== 201)) return response;
	const present = Object.entries(body).filter(([, value]) => value !== null);
	return Response.json({ client_secret_expires_at: 0, ...Object.fromEntries(present) }, { status: 201 });
}

/** The account in an id token, for display only, so the signature is not checked; the token came from the token endpoint itself. */
function accountIn(idToken: unknown): string | undefined {
	if (typeof idToken !== 'string') return undefined;
	const claims = jsonObject(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8'));
	const name = claims?.['email'] ?? claims?.['preferred_username'] ?? claims?.['name'];
	return typeof name === 'string' ? name.slice(0, SHOWN_CHARACTERS) : undefined;
}

function authenticationOf({ client, secret }: RequestingClient): oauth.ClientAuth {
	if (secret === undefined || client.authMethod === 'none') return oauth.None();
	return client.authMethod === 'client_secret_post'
		? oauth.ClientSecretPost(secret)
		: clientSecretBasic(secret);
}

/** Form-encoded as RFC 6749 says, and no more: many servers do not decode, so `-` in an id must stay as it is. */
function clientSecretBasic(secret: string): oauth.ClientAuth {
	return (_server, client, _body, headers) => {
		const pair = `${formEncoded(client.client_id)}:${formEncoded(secret)}`;
		headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
	};
}

function formEncoded(text: string): string {
	return new URLSearchParams([['', text]]).toString().slice(1);
}

function tokensOf(
	granted: oauth.TokenEndpointResponse,
	requested: readonly string[],
	refreshToken: string | undefined,
): Tokens {
	const obtainedAt = Date.now();
	const { expires_in: seconds } = granted;
	return {
		accessToken: granted.access_token,
		refreshToken: granted.refresh_token ?? refreshToken,
		obtainedAt,
		expiresAt: seconds === undefined ? undefined : obtainedAt + seconds * 1000,
		scopes: granted.scope === undefined ? [...requested] : splitScopes(granted.scope),
		generation: randomBytes(8).toString('hex'),
	};
}

async function translated<T>(
	issuer: string,
	secrets: readonly (string | null | undefined)[],
	work: () => Promise<T>,
): Promise<T> {
	try {
		return await work();
	} catch (thrown) {
		if (OrchestraError.is(thrown)) throw thrown;
		const { error, reason } = explanation(thrown);
		throw new OrchestraError('rpc', `the authorization server ${issuer} refused: ${shown(reason, secrets)}`, {
			hint:
				hints[error ?? ''] ?? 'The text is that of the authorization server; its operator can explain it.',
			data: { issuer, error },
		});
	}
}

const hints: Readonly<Record<string, string>> = {
	invalid_client: 'Check `oauth.clientId` and `oauth.clientSecret` of the server.',
	invalid_target:
		'If the server rejects the `resource` parameter, set `oauth.resource` of the server to false.',
	invalid_scope: 'Set `oauth.scopes` of the server to scopes that exist.',
	invalid_redirect_uri:
		'Set `oauth.callbackPort` and `oauth.callbackHost` of the server to the registered redirect URI.',
};

function explanation(thrown: unknown): { error: string | undefined; reason: string } {
	if (thrown instanceof oauth.ResponseBodyError) {
		const { error, error_description: text } = thrown;
		return { error, reason: text === undefined ? error : `${error} (${text})` };
	}
	if (thrown instanceof oauth.WWWAuthenticateChallengeError) {
		const parameters = thrown.cause[0]?.parameters;
		const error = parameters?.error ?? 'invalid_client';
		return { error, reason: `${error} (status ${thrown.status})` };
	}
	if (thrown instanceof oauth.OperationProcessingError && thrown.cause instanceof Response)
		return { error: undefined, reason: `status ${thrown.cause.status}` };
	return { error: undefined, reason: thrown instanceof Error ? thrown.message : 'the response is not valid' };
}

function shown(text: string, secrets: readonly (string | null | undefined)[]): string {
	let safe = text;
	for (const secret of secrets) if (secret) safe = safe.replaceAll(secret, '***');
	return printableLine(safe.slice(0, SHOWN_CHARACTERS));
}
