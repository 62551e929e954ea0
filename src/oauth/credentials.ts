/* What is kept for one server after a sign-in. Values of this type are secret: never log one. */
import { addSecret } from '../redact.ts';
import { isObject } from '../wire/json.ts';
import { stringsOf } from './resource-metadata.ts';

const FORMAT = 1;

/** How this program identifies itself to an authorization server. */
export interface OAuthClient {
	readonly id: string;
	/** Only of a dynamic registration; that of the configuration is never stored. */
	readonly secret: string | undefined;
	readonly authMethod: ClientAuthMethod;
	/** The redirect URI that it was registered with. */
	readonly redirectUri: string;
	readonly kind: 'configured' | 'document' | 'registered';
}

export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export type ClientAuthMethod = (typeof clientAuthMethods)[number];

export interface Tokens {
	readonly accessToken: string;
	readonly refreshToken: string | undefined;
	/** Milliseconds since the epoch. */
	readonly obtainedAt: number;
	/** Undefined: the server did not say. */
	readonly expiresAt: number | undefined;
	readonly scopes: readonly string[];
	/** A random id of this token set, to tell it from its replacement. */
	readonly generation: string;
}

/** Valid for this server URL and this issuer only. */
export interface Credentials {
	readonly url: string;
	readonly issuer: string;
	readonly resource: string;
	readonly tokenEndpoint: string;
	readonly revocationEndpoint: string | undefined;
	readonly client: OAuthClient;
	/** Name of the account, where the authorization server says it. */
	readonly account: string | undefined;
	/** Undefined after the authorization server withdrew them. */
	readonly tokens: Tokens | undefined;
}

/** The record as the text of a file. */
export function encodeCredentials(credentials: Credentials): string {
	const { tokens, client } = credentials;
	for (const secret of [tokens?.accessToken, tokens?.refreshToken, client.secret]) addSecret(secret ?? '');
	return `${JSON.stringify({ format: FORMAT, ...credentials }, null, '\t')}\n`;
}

/** The record in a text; undefined for anything that is not one. */
export function decodeCredentials(text: string): Credentials | undefined {
	const value = parsed(text);
	if (!isObject(value) || value['format'] !== FORMAT) return undefined;
	const { url, issuer, resource, tokenEndpoint } = value;
	const client = readClient(value['client']);
	if (!isText(url) || !isText(issuer) || !isText(resource) || !isText(tokenEndpoint) || !client)
		return undefined;
	return {
		url,
		issuer,
		resource,
		tokenEndpoint,
		revocationEndpoint: textOf(value['revocationEndpoint']),
		client,
		account: textOf(value['account']),
		tokens: readTokens(value['tokens']),
	};
}

function readClient(value: unknown): OAuthClient | undefined {
	if (!isObject(value)) return undefined;
	const { id, redirectUri } = value;
	const authMethod = clientAuthMethods.find((method) => method === value['authMethod']);
	const kind = (['configured', 'document', 'registered'] as const).find((each) => each === value['kind']);
	if (!isText(id) || !isText(redirectUri) || !authMethod || !kind) return undefined;
	addSecret(textOf(value['secret']) ?? '');
	return { id, secret: textOf(value['secret']), authMethod, redirectUri, kind };
}

function readTokens(value: unknown): Tokens | undefined {
	if (!isObject(value)) return undefined;
	const { accessToken, obtainedAt, expiresAt, generation } = value;
	if (!isText(accessToken) || !isText(generation) || typeof obtainedAt !== 'number') return undefined;
	addSecret(accessToken);
	addSecret(textOf(value['refreshToken']) ?? '');
	return {
		accessToken,
		refreshToken: textOf(value['refreshToken']),
		obtainedAt,
		expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
		scopes: stringsOf(value['scopes']) ?? [],
		generation,
	};
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // cut by a crash: the same as absent
	}
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

function textOf(value: unknown): string | undefined {
	return isText(value) ? value : undefined;
}
