/* The credentials stored for one server after a sign-in. Values of this type are secret: never log one. */
import { attempt } from '../errors.ts';
import { addSecret } from '../redact.ts';
import { isObject, stringsOf } from '../wire/json.ts';
import type { EntryPlace } from './account.ts';

const FORMAT = 2;
/** Written when there was one account for each URL: without `key` and `entry`. */
const EARLIER_FORMAT = 1;

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
	/** A random id of this token set, to distinguish it from its replacement. */
	readonly generation: string;
}

/** Valid for this server URL and this issuer only. */
export interface Credentials {
	readonly url: string;
	/** The key of the account; undefined in the record of an earlier version. */
	readonly key: string | undefined;
	/** The entry that signed in. */
	readonly entry: EntryPlace | undefined;
	readonly issuer: string;
	readonly resource: string;
	readonly tokenEndpoint: string;
	readonly revocationEndpoint: string | undefined;
	readonly client: OAuthClient;
	/** Name of the user, where the authorization server says it. */
	readonly account: string | undefined;
	/** Undefined after the authorization server withdrew them. */
	readonly tokens: Tokens | undefined;
}

/** Whether the access token is over by now. */
export function isExpired({ expiresAt }: Tokens): boolean {
	return expiresAt !== undefined && Date.now() >= expiresAt;
}

/** The record as the text of a file. */
export function encodeCredentials(credentials: Credentials): string {
	const { tokens, client } = credentials;
	for (const secret of [tokens?.accessToken, tokens?.refreshToken, client.secret]) addSecret(secret ?? '');
	return `${JSON.stringify({ format: FORMAT, ...credentials }, null, '\t')}\n`;
}

/** The record in a text; undefined for anything that is not one. */
export function decodeCredentials(text: string): Credentials | undefined {
	// A file that was cut by a crash is the same as an absent one.
	const value: unknown = attempt(() => JSON.parse(text));
	if (!isObject(value) || (value['format'] !== FORMAT && value['format'] !== EARLIER_FORMAT))
		return undefined;
	const { url, issuer, resource, tokenEndpoint } = value;
	const client = readClient(value['client']);
	if (!isText(url) || !isText(issuer) || !isText(resource) || !isText(tokenEndpoint) || !client)
		return undefined;
	return {
		url,
		key: textOf(value['key']),
		entry: readEntry(value['entry']),
		issuer,
		resource,
		tokenEndpoint,
		revocationEndpoint: textOf(value['revocationEndpoint']),
		client,
		account: textOf(value['account']),
		tokens: readTokens(value['tokens']),
	};
}

function readEntry(value: unknown): EntryPlace | undefined {
	if (!isObject(value)) return undefined;
	const { file, name } = value;
	return isText(file) && isText(name) ? { file, name } : undefined;
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

function isText(value: unknown): value is string {
	return typeof value === 'string' && value !== '';
}

function textOf(value: unknown): string | undefined {
	return isText(value) ? value : undefined;
}
