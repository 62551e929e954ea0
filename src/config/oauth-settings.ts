/* The `oauth` object of a remote server. */
import { callbackHosts, type OAuthSettings } from '../oauth/auth-settings.ts';
import { type Field, onlyKeys } from './field.ts';

const names = [
	'clientId',
	'clientSecret',
	'scopes',
	'callbackPort',
	'callbackHost',
	'resource',
	'issuer',
	'allowMissingPkce',
	'allowIssuerSlash',
	'clientMetadataUrl',
];

const LARGEST_PORT = 65_535;

/** Read the settings; undefined when there are none. */
export function readOAuth(field: Field): OAuthSettings | undefined {
	if (!field.isPresent) return undefined;
	onlyKeys(field, names);
	const clientSecretText = field.at('clientSecret').secretText();
	return {
		clientId: field.at('clientId').text(),
		clientSecret: clientSecretText ? undefined : field.at('clientSecret').text(),
		...(clientSecretText && { clientSecretText }),
		scopes: readScopes(field.at('scopes')),
		callbackPort: readPort(field.at('callbackPort')),
		callbackHost: readHost(field.at('callbackHost')),
		sendsResource: field.at('resource').flag(),
		issuer: readUrl(field.at('issuer'), /^https:\/\/.|^http:\/\/(?:localhost|127\.|\[::1\])/),
		allowMissingPkce: field.at('allowMissingPkce').flag(),
		allowIssuerSlash: field.at('allowIssuerSlash').flag(),
		clientMetadataUrl: readUrl(field.at('clientMetadataUrl'), /^https:\/\/[^/]+\/./),
	};
}

/** An array of scopes, or one string with spaces, as OAuth writes them. */
function readScopes(field: Field): string[] | undefined {
	if (typeof field.value !== 'string') return field.texts();
	return field
		.text()
		?.split(/\s+/)
		.filter((scope) => scope !== '');
}

function readPort(field: Field): number | undefined {
	const port = field.count();
	return port === undefined || port <= LARGEST_PORT ? port : field.report(`a port from 1 to ${LARGEST_PORT}`);
}

function readHost(field: Field): OAuthSettings['callbackHost'] {
	const text = field.text();
	const host = callbackHosts.find((each) => each === text);
	return text === undefined || host !== undefined ? host : field.report(callbackHosts.join(', '));
}

function readUrl(field: Field, form: RegExp): string | undefined {
	const text = field.text();
	return text === undefined || (form.test(text) && URL.canParse(text))
		? text
		: field.report('an https:// URL');
}
