/* The `oauth` object of a remote server. */
import { LARGEST_PORT } from '../../link/address.ts';
import { ACCOUNT_KEY_FORM, isAccountKey } from '../../oauth/account.ts';
import {
	callbackHosts,
	grants,
	type IdentityProvider,
	type OAuthSettings,
} from '../../oauth/auth-settings.ts';
import type { SecretStrings, SecretText } from '../../secrets/secret-text.ts';
import {
	checked,
	count,
	flag,
	key,
	mapped,
	object,
	oneOrMore,
	type Shape,
	secret,
	text,
	word,
} from '../key.ts';

/** Without TLS on this machine only. */
const SAFE_URL = /^https:\/\/.|^http:\/\/(?:localhost|127\.|\[::1\])/;

/** It appears in commands, so it has no spaces and no quotes. */
const account = checked(text, isAccountKey, ACCOUNT_KEY_FORM);

/** An array of scopes, or one string with spaces, as OAuth writes them. */
const scopes = oneOrMore((given) => given.split(/\s+/).filter((scope) => scope !== ''));

const port: Shape<number> = {
	...checked(count, (number) => number <= LARGEST_PORT, `a port from 1 to ${LARGEST_PORT}`),
	schema: { type: 'integer', minimum: 1, maximum: LARGEST_PORT },
};

function url(form: RegExp): Shape<string> {
	return checked(text, (address) => form.test(address) && URL.canParse(address), 'an https:// URL');
}

const oauthKeys = {
	account: key(account, 'the key of an account that several entries share'),
	clientId: key(text, 'a client that is registered by hand; dynamic registration is skipped'),
	clientSecret: key(secret, 'its secret, best as a reference', { isSecret: true }),
	grant: key(
		word(grants),
		'`"client_credentials"` for programs, `"enterprise"` for users of an `identityProvider` ([machines](machine-sign-in.md))',
		{ byDefault: 'browser' },
	),
	privateKey: key(
		secret,
		'a private key as PEM, which signs in place of the secret; best `"${file:key.pem}"`',
		{ isSecret: true },
	),
	scopes: key(scopes, 'scopes to request, in place of those that the server names'),
	callbackPort: key(port, 'port of the redirect URI on this machine; default: any free port'),
	callbackHost: key(word(callbackHosts), 'host of the redirect URI', { byDefault: '127.0.0.1' }),
	resource: key(flag, '`false` leaves out the `resource` parameter, for servers that reject it', {
		byDefault: true,
	}),
	issuer: key(url(SAFE_URL), "the issuer to use, in place of the server's own"),
	allowMissingPkce: key(flag, 'continue although the authorization server does not announce PKCE with S256', {
		byDefault: false,
	}),
	allowIssuerSlash: key(flag, 'accept an issuer that differs from the expected one by a final slash only', {
		byDefault: false,
	}),
	clientMetadataUrl: key(
		url(/^https:\/\/[^/]+\/./),
		'HTTPS URL of a client metadata document, used as client id where it is supported',
	),
};

/** Undefined when there are none. */
export const oauth: Shape<OAuthSettings> = mapped(
	object(oauthKeys),
	({ clientSecret, privateKey, resource, ...rest }) => ({
		...rest,
		...divided({ clientSecret, privateKey }),
		sendsResource: resource,
	}),
);

const providerKeys = {
	issuer: key(url(SAFE_URL), 'its address', { required: 'the URL of the identity provider' }),
	tokenEndpoint: key(url(SAFE_URL), 'default: that of its metadata'),
	clientId: key(text, 'the client that is registered there', { required: 'a client id' }),
	clientSecret: key(secret, 'its secret, best as a reference', { isSecret: true }),
	idToken: key(
		secret,
		'the ID token of the user, as a reference such as `"${cmd:company-login --id-token}"`; read again for each token',
		{ isSecret: true },
	),
};

/** The identity provider of an organisation. */
export const identityProvider: Shape<IdentityProvider> = mapped(
	object(providerKeys),
	({ clientSecret, idToken, ...rest }) => ({ ...rest, ...divided({ clientSecret, idToken }) }),
);

/** Plain values, and those with references. */
function divided(values: Readonly<Record<string, string | SecretText | undefined>>): {
	readonly secrets?: SecretStrings;
} {
	const present = Object.entries(values);
	const references = present.filter((each): each is [string, SecretText] => typeof each[1] === 'object');
	return {
		...Object.fromEntries(present.filter(([, value]) => typeof value === 'string')),
		...(references.length > 0 && { secrets: Object.fromEntries(references) }),
	};
}
