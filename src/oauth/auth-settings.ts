/* The `oauth` settings of a remote server. Everything has a default; most servers need none of it. */
import type { SecretStrings } from '../secrets/secret-text.ts';

/** How a token is obtained: a user signs in, a program has credentials, or an organisation vouches for its user. */
export const grants = ['browser', 'client_credentials', 'enterprise'] as const;

/** The identity provider of an organisation, which vouches for its users. */
export interface IdentityProvider {
	readonly issuer: string;
	/** Default: that of its metadata. */
	readonly tokenEndpoint?: string | undefined;
	readonly clientId: string;
	readonly clientSecret?: string | undefined;
	/** What it issued when the user signed in there. */
	readonly idToken?: string | undefined;
	/** Values with secret references, by their keys. */
	readonly secrets?: SecretStrings | undefined;
}

/** How to obtain authorization for one server. */
export interface OAuthSettings {
	/** The key of an account that several entries share. Default: an account of this entry. */
	readonly account?: string | undefined;
	/** A client that is registered by hand; dynamic registration is skipped. */
	readonly clientId?: string | undefined;
	readonly clientSecret?: string | undefined;
	/** Default `browser`. */
	readonly grant?: (typeof grants)[number] | undefined;
	/** PEM of a private key, which signs in place of a secret. */
	readonly privateKey?: string | undefined;
	/** The identity provider of the organisation, for the grant `enterprise`. */
	readonly identityProvider?: IdentityProvider | undefined;
	/** Values with secret references, by their keys; they are resolved before they are used. */
	readonly secrets?: SecretStrings | undefined;
	/** Scopes to request, in place of those that the server names. */
	readonly scopes?: readonly string[] | undefined;
	/** Port of the redirect URI on this machine. Default: any free port. */
	readonly callbackPort?: number | undefined;
	/** Host of the redirect URI. Default `127.0.0.1`. */
	readonly callbackHost?: CallbackHost | undefined;
	/** False leaves out the `resource` parameter, for servers that reject it. Default true. */
	readonly sendsResource?: boolean | undefined;
	/** The issuer to use, in place of the server's own. */
	readonly issuer?: string | undefined;
	/** Continue although the authorization server does not announce PKCE with S256. Default false. */
	readonly allowMissingPkce?: boolean | undefined;
	/** Accept an issuer that differs from the expected one by a final slash only. Default false. */
	readonly allowIssuerSlash?: boolean | undefined;
	/** HTTPS URL of a client metadata document, used as client id where the authorization server supports it. */
	readonly clientMetadataUrl?: string | undefined;
}

/** Names of this machine that a redirect URI may have. */
export const callbackHosts = ['127.0.0.1', 'localhost', '::1'] as const;

export type CallbackHost = (typeof callbackHosts)[number];

/** Whether no user signs in: a program has credentials, or an organisation vouches for its user. */
export function isMachine({ grant = 'browser' }: OAuthSettings): boolean {
	return grant !== 'browser';
}
