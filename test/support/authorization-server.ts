/*
 * A real authorization server and the MCP-like resource that it protects, on loopback.
 *
 * It follows the RFCs: PKCE is verified, codes and refresh tokens work once, redirect
 * URIs must be registered, clients must authenticate as they registered. `quirks`
 * switches single deviations on. It remembers every request, for the tests to count.
 */
import { createHash, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { atEndOfFile } from './at-end.ts';

export interface Quirks {
	/** Path of the issuer, for example `/tenant`. */
	issuerPath?: string;
	/** The issuer in the metadata, in place of the real one. */
	claimedIssuer?: string;
	/** Serve the metadata only at places whose path includes this text. */
	metadataOnlyAt?: string;
	noResourceMetadata?: boolean;
	noServerMetadata?: boolean;
	noPkce?: boolean;
	noRegistration?: boolean;
	/** `resource` of the resource metadata. */
	resource?: string;
	/** `WWW-Authenticate` of a 401. */
	challenge?: string;
	/** `iss` of the authorization response: a value, or `true` for the right one; it is announced then. */
	iss?: string | true;
	announcesIss?: boolean;
	/** `state` of the authorization response. */
	state?: string;
	/** Answer every authorization request with this error. */
	denies?: string;
	scopesSupported?: string[];
	serverScopes?: string[];
	authMethods?: string[];
	/** Registered by hand: id to secret. */
	clients?: Record<string, string>;
	supportsClientDocuments?: boolean;
	expiresIn?: number | undefined;
	/** A refresh gives no new refresh token, and the old one stays valid. */
	keepsRefreshToken?: boolean;
	noRefreshToken?: boolean;
	/** Error of each refresh, in place of tokens. */
	refreshError?: string;
	/** Scope that the resource demands with 403. */
	demandsScope?: string;
	/** Milliseconds before a token response. */
	tokenDelayMs?: number;
	/** Redirect metadata requests to this origin. */
	redirectsTo?: string;
	/** Added to tokens and codes, so that a search can find them. */
	canary?: string;
	rejectsResource?: boolean;
	/** Public keys of clients, as PEM. */
	publicKeys?: Record<string, string>;
	/** The ID token that is exchanged for assertions. */
	idToken?: string;
	/** The origin that clients know, in front of this server. */
	publicOrigin?: string;
	/** Requests with a valid token are passed on to this MCP server. */
	upstream?: string;
}

export interface SeenRequest {
	path: string;
	method: string;
	headers: IncomingMessage['headers'];
	query: URLSearchParams;
	form: URLSearchParams;
	body: string;
}

interface Grant {
	clientId: string;
	scope: string;
	resource: string | null;
	redirectUri: string;
	challenge: string | null;
}

/** Start a server; it ends after the tests of the file. */
export async function startAuthorizationServer(quirks: Quirks = {}): Promise<AuthorizationServer> {
	const server = new AuthorizationServer(quirks);
	await server.listen();
	atEndOfFile(() => server.close());
	return server;
}

export class AuthorizationServer {
	readonly quirks: Quirks;
	readonly requests: SeenRequest[] = [];
	readonly #server: Server;
	readonly #assertions = new Map<string, Grant>();
	readonly #codes = new Map<string, Grant>();
	readonly #refreshTokens = new Map<string, Grant>();
	readonly #accessTokens = new Map<string, Grant>();
	readonly #clients = new Map<string, { secret?: string; method: string; redirectUris?: string[] }>();

	constructor(quirks: Quirks) {
		this.quirks = quirks;
		for (const [id, secret] of Object.entries(quirks.clients ?? {}))
			this.#clients.set(id, { secret, method: 'client_secret_basic' });
		this.#server = createServer((request, response) => void this.#serve(request, response));
	}

	async listen(): Promise<void> {
		await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
	}

	async close(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	get origin(): string {
		return this.quirks.publicOrigin ?? this.ownOrigin;
	}

	/** Where it listens. */
	get ownOrigin(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	/** The protected resource. */
	get url(): string {
		return `${this.origin}/mcp`;
	}

	get issuer(): string {
		return `${this.origin}${this.quirks.issuerPath ?? ''}`;
	}

	/** How many requests reached a path. */
	count(path: string, grantType?: string): number {
		return this.to(path).filter(({ form }) => grantType === undefined || form.get('grant_type') === grantType)
			.length;
	}

	/** The requests that reached a path. */
	to(path: string): SeenRequest[] {
		return this.requests.filter((request) => request.path === path);
	}

	/** Make every access token invalid; refresh tokens stay valid. */
	expireAccessTokens(): void {
		this.#accessTokens.clear();
	}

	expireRefreshTokens(): void {
		this.#refreshTokens.clear();
	}

	/** Forget every client that registered itself. */
	forgetClients(): void {
		this.#clients.clear();
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '/', this.origin);
		const body = await text(request);
		const seen: SeenRequest = {
			path: url.pathname,
			method: request.method ?? '',
			headers: request.headers,
			query: url.searchParams,
			form: new URLSearchParams(body),
			body,
		};
		this.requests.push(seen);
		const answer = await this.#answer(seen);
		if (seen.path === '/mcp' && answer.status === 200 && this.quirks.upstream)
			return pass(this.quirks.upstream, seen, response);
		response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
		response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
	}

	async #answer(seen: SeenRequest): Promise<Answer> {
		const { quirks } = this;
		if (seen.path.startsWith('/.well-known/oauth-protected-resource'))
			return this.#resourceMetadata(seen.path);
		if (seen.path.includes('/.well-known/')) return this.#serverMetadata(seen.path);
		if (seen.path === '/authorize') return this.#authorize(seen.query);
		if (seen.path === '/register') return this.#register(seen.body);
		if (seen.path === '/revoke') return { status: 200 };
		if (seen.path === '/mcp') return this.#resource(seen);
		if (seen.path !== '/token') return { status: 404 };
		if (quirks.tokenDelayMs) await new Promise((resolve) => setTimeout(resolve, quirks.tokenDelayMs).unref());
		return this.#token(seen);
	}

	#resourceMetadata(path: string): Answer {
		const { quirks } = this;
		if (quirks.redirectsTo) return { status: 302, headers: { location: `${quirks.redirectsTo}${path}` } };
		if (
			quirks.noResourceMetadata ||
			(path !== '/.well-known/oauth-protected-resource/mcp' && !quirks.resource)
		)
			return { status: 404 };
		return {
			status: 200,
			body: {
				resource: quirks.resource ?? this.url,
				authorization_servers: [this.issuer],
				scopes_supported: quirks.scopesSupported,
			},
		};
	}

	#serverMetadata(path: string): Answer {
		const { quirks, origin } = this;
		const isHere = path.endsWith(quirks.issuerPath ?? '') || path.startsWith(quirks.issuerPath ?? '');
		if (quirks.noServerMetadata || !isHere || !path.includes(quirks.metadataOnlyAt ?? ''))
			return { status: 404 };
		return {
			status: 200,
			body: {
				issuer: quirks.claimedIssuer ?? this.issuer,
				authorization_endpoint: `${origin}/authorize`,
				token_endpoint: `${origin}/token`,
				revocation_endpoint: `${origin}/revoke`,
				registration_endpoint: quirks.noRegistration ? undefined : `${origin}/register`,
				code_challenge_methods_supported: quirks.noPkce ? undefined : ['S256'],
				scopes_supported: quirks.serverScopes,
				token_endpoint_auth_methods_supported: quirks.authMethods,
				client_id_metadata_document_supported: quirks.supportsClientDocuments,
				authorization_response_iss_parameter_supported: quirks.announcesIss,
			},
		};
	}

	#register(body: string): Answer {
		const document = JSON.parse(body);
		const method: string = document.token_endpoint_auth_method ?? 'client_secret_basic';
		const id = `client-${randomBytes(4).toString('hex')}`;
		const secret = method === 'none' ? undefined : this.#secret();
		this.#clients.set(id, { ...(secret && { secret }), method, redirectUris: document.redirect_uris });
		return {
			status: 201,
			body: {
				...document,
				client_id: id,
				client_secret: secret,
				client_secret_expires_at: secret ? 0 : undefined,
			},
		};
	}

	#authorize(query: URLSearchParams): Answer {
		const { quirks } = this;
		const clientId = query.get('client_id') ?? '';
		const client = this.#clients.get(clientId);
		const redirectUri = query.get('redirect_uri') ?? '';
		const isKnown =
			client !== undefined || (quirks.supportsClientDocuments && clientId.startsWith('https://'));
		if (!isKnown || client?.redirectUris?.includes(redirectUri) === false) return { status: 400 };
		const target = new URL(redirectUri);
		target.searchParams.set('state', quirks.state ?? query.get('state') ?? '');
		const iss = quirks.iss === true ? this.issuer : quirks.iss;
		if (iss !== undefined) target.searchParams.set('iss', iss);
		if (quirks.denies) {
			target.searchParams.set('error', quirks.denies);
			target.searchParams.set('error_description', 'said no');
		} else {
			const code = this.#secret();
			const [scope, resource, challenge] = [
				query.get('scope') ?? '',
				query.get('resource'),
				query.get('code_challenge'),
			];
			this.#codes.set(code, { clientId, scope, resource, redirectUri, challenge });
			target.searchParams.set('code', code);
		}
		return { status: 302, headers: { location: target.href } };
	}

	#token({ form, headers }: SeenRequest): Answer {
		const { quirks } = this;
		const clientId = this.#authenticated(form, headers.authorization);
		if (clientId === undefined) return refusal('invalid_client');
		if (quirks.rejectsResource && form.has('resource')) return refusal('invalid_target');
		if (form.get('grant_type') === 'refresh_token') {
			const token = form.get('refresh_token') ?? '';
			const grant = this.#refreshTokens.get(token);
			if (quirks.refreshError) return refusal(quirks.refreshError, `no: ${token}`);
			if (grant?.clientId !== clientId) return refusal('invalid_grant', `no: ${token}`);
			if (!quirks.keepsRefreshToken) this.#refreshTokens.delete(token);
			return this.#issue(grant, !quirks.keepsRefreshToken);
		}
		const given = this.#machineGrant(form, clientId);
		if (given) return given;
		const code = form.get('code') ?? '';
		const grant = this.#codes.get(code);
		this.#codes.delete(code);
		const hash = createHash('sha256')
			.update(form.get('code_verifier') ?? '')
			.digest('base64url');
		const isValid =
			grant?.clientId === clientId &&
			grant.challenge === hash &&
			grant.redirectUri === form.get('redirect_uri') &&
			grant.resource === form.get('resource');
		return isValid ? this.#issue(grant, !quirks.noRefreshToken) : refusal('invalid_grant', `no: ${code}`);
	}

	/** The client id, when the client authenticated as it must. */
	/** Grants without a person. It is its own identity provider. */
	#machineGrant(form: URLSearchParams, clientId: string): Answer | undefined {
		const grant: Grant = {
			clientId,
			scope: form.get('scope') ?? '',
			resource: form.get('resource'),
			redirectUri: '',
			challenge: null,
		};
		switch (form.get('grant_type')) {
			case 'client_credentials':
				return this.#issue(grant, false);
			case 'urn:ietf:params:oauth:grant-type:token-exchange': {
				if (form.get('subject_token') !== this.quirks.idToken || form.get('audience') !== this.issuer)
					return refusal('invalid_grant', `no: ${form.get('subject_token')}`);
				const assertion = `jag-${randomBytes(8).toString('hex')}`;
				this.#assertions.set(assertion, grant);
				const issued_token_type = 'urn:ietf:params:oauth:token-type:id-jag';
				return {
					status: 200,
					body: { access_token: assertion, token_type: 'N_A', issued_token_type, expires_in: 300 },
				};
			}
			case 'urn:ietf:params:oauth:grant-type:jwt-bearer': {
				const known = this.#assertions.get(form.get('assertion') ?? '');
				return known ? this.#issue({ ...known, clientId }, false) : refusal('invalid_grant');
			}
			default:
				return undefined;
		}
	}

	/** The client of a signed assertion (RFC 7523); undefined when it is not valid. */
	#asserted(form: URLSearchParams): string | undefined {
		const [head = '', body = '', signature = ''] = (form.get('client_assertion') ?? '').split('.');
		const { sub, aud } = JSON.parse(Buffer.from(body, 'base64url').toString() || '{}');
		const key = this.quirks.publicKeys?.[sub];
		const isSigned =
			key !== undefined &&
			verify(
				'sha256',
				Buffer.from(`${head}.${body}`),
				{ key, dsaEncoding: 'ieee-p1363' },
				Buffer.from(signature, 'base64url'),
			);
		return isSigned && aud === this.issuer ? sub : undefined;
	}

	#authenticated(form: URLSearchParams, authorization: string | undefined): string | undefined {
		if (form.has('client_assertion')) return this.#asserted(form);
		const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
		const [id, secret] = basic
			? Buffer.from(basic, 'base64')
					.toString()
					.split(':')
					.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
			: [form.get('client_id') ?? '', form.get('client_secret') ?? undefined];
		const client = this.#clients.get(id ?? '');
		if (client === undefined)
			return this.quirks.supportsClientDocuments && id?.startsWith('https://') ? id : undefined;
		const usedMethod = basic ? 'client_secret_basic' : secret ? 'client_secret_post' : 'none';
		return client.secret === secret && client.method === usedMethod ? id : undefined;
	}

	#issue(grant: Grant, withRefreshToken: boolean): Answer {
		const accessToken = this.#secret();
		this.#accessTokens.set(accessToken, grant);
		const refreshToken = withRefreshToken ? this.#secret() : undefined;
		if (refreshToken) this.#refreshTokens.set(refreshToken, grant);
		return {
			status: 200,
			body: {
				access_token: accessToken,
				token_type: 'Bearer',
				expires_in: 'expiresIn' in this.quirks ? this.quirks.expiresIn : 3600,
				refresh_token: refreshToken,
				scope: grant.scope || undefined,
			},
		};
	}

	#resource({ headers }: SeenRequest): Answer {
		const { quirks } = this;
		const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
		const grant = this.#accessTokens.get(token ?? '');
		if (grant === undefined) {
			const place = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
			const named = quirks.noResourceMetadata ? 'Bearer' : `Bearer resource_metadata="${place}"`;
			return { status: 401, headers: { 'www-authenticate': quirks.challenge ?? named } };
		}
		if (quirks.demandsScope && !grant.scope.split(' ').includes(quirks.demandsScope)) {
			const challenge = `Bearer error="insufficient_scope", scope="${quirks.demandsScope}"`;
			return { status: 403, headers: { 'www-authenticate': challenge } };
		}
		return { status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } };
	}

	#secret(): string {
		return `${this.quirks.canary ?? ''}${randomBytes(12).toString('hex')}`;
	}
}

async function pass(upstream: string, seen: SeenRequest, response: ServerResponse): Promise<void> {
	const { authorization: _token, host: _host, connection: _connection, ...headers } = seen.headers;
	const { 'content-length': _length, ...sent } = headers;
	const body = seen.method === 'GET' ? {} : { body: seen.body };
	const cut = new AbortController();
	response.on('close', () => cut.abort());
	const request = {
		method: seen.method,
		headers: sent as Record<string, string>,
		signal: cut.signal,
		...body,
	};
	const answer = await fetch(upstream, request).catch(() => undefined);
	if (answer === undefined) return void response.destroy(); // the client is gone
	response.writeHead(answer.status, Object.fromEntries(answer.headers));
	if (answer.body === null) return void response.end();
	pipeline(Readable.fromWeb(answer.body), response, () => {}); // ends with either side
}

interface Answer {
	status: number;
	headers?: Record<string, string>;
	body?: unknown;
}

function refusal(error: string, description?: string): Answer {
	return { status: 400, body: { error, error_description: description } };
}
