/*
 * The settings of a client's entry that an import cannot take over, each with the reason.
 *
 * An unknown key is reported too: the client may have meant something by it. Keys that
 * change nothing about the server (a description, an icon) are not.
 */
import { isObject } from '../../wire/json.ts';
import { oauth } from '../sections/oauth-settings.ts';
import { serverKeys } from '../sections/server-entry.ts';
import type { ClientId } from './client-table.ts';
import { aliases } from './normal-entry.ts';

const APPROVALS = 'the names of tools have a prefix now; approve them once more in the client';
const TLS = 'the hub has one setting for all servers: NODE_EXTRA_CA_CERTS, HTTPS_PROXY';

/** Why a key is not imported. */
const reasons: Readonly<Record<string, string>> = {
	trust: APPROVALS,
	autoApprove: APPROVALS,
	alwaysAllow: APPROVALS,
	default_tools_approval_mode: APPROVALS,
	tools: APPROVALS,
	required: 'the hub starts a server when it is used',
	timeout: 'what it limits there is not known here; write timeoutMs, in milliseconds',
	dev: 'the hub does not restart a server when its files change',
	oauth_resource: 'the resource is the one that the server names',
	experimental_environment: 'the hub runs servers on this machine',
	'requestOptions.verifySsl': TLS,
	'requestOptions.caBundlePath': TLS,
	'requestOptions.clientCertificate': TLS,
	'requestOptions.proxy': TLS,
	'oauth.authServerMetadataUrl': 'write the issuer of its document as oauth.issuer',
	'oauth.authorizationUrl':
		'the addresses come from the metadata of the server; oauth.issuer selects another',
	'oauth.tokenUrl': 'the addresses come from the metadata of the server; oauth.issuer selects another',
	'oauth.redirectUri': 'the hub listens on oauth.callbackHost and oauth.callbackPort',
};

/** Keys that are read, or that have no meaning for a hub. */
const read = new Set<string>([
	...Object.keys(serverKeys),
	...Object.values(aliases).flat(),
	...['environment', 'env_vars', 'http_headers', 'env_http_headers', 'bearer_token_env_var'],
	...['startup_timeout_sec', 'startup_timeout_ms', 'tool_timeout_sec', 'connectionTimeout'],
	...['apiKey', 'scopes', 'auth', 'sandboxEnabled', 'source', 'requestOptions', 'requestOptions.headers'],
	...['name', 'title', 'description', 'icon', 'icons', 'faviconUrl', 'sourceFile', 'gallery', 'version'],
	...['supports_parallel_tool_calls', 'settings', 'oauth.enabled', 'oauth.scope', 'oauth.client_id'],
	...['auth.CLIENT_ID', 'auth.CLIENT_SECRET', 'auth.scopes'],
	...Object.keys(oauth.members ?? {}).flatMap((key) => [`oauth.${key}`, `auth.${key}`]),
]);

/** The clients whose `timeout` is read. */
const timed: readonly ClientId[] = ['claude-code', 'gemini', 'cline', 'opencode'];

/** Objects of which single members are read. */
const divided = ['oauth', 'auth', 'requestOptions'];

/** Sentences such as `trust (approve the tools once more)`. */
export function lostSettings(raw: unknown, client: ClientId): string[] {
	if (!isObject(raw)) return [];
	const isRemote = aliases.url.some((key) => key in raw);
	const paths = Object.entries(raw).flatMap(([key, value]) =>
		divided.includes(key) && isObject(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key],
	);
	return paths
		.filter((path) => !read.has(path) || (path === 'envFile' && isRemote))
		.filter((path) => path !== 'timeout' || !timed.includes(client))
		.filter((path) => !isOff(raw, path))
		.map((path) => `${path} (${reasons[path] ?? unknown(path, client)})`);
}

/** A switch that is off says nothing. */
function isOff(raw: Readonly<Record<string, unknown>>, path: string): boolean {
	const value = raw[path];
	const isEmpty = Array.isArray(value)
		? value.length === 0
		: isObject(value) && Object.keys(value).length === 0;
	return value === false || value === null || isEmpty;
}

function unknown(path: string, client: ClientId): string {
	return path === 'envFile'
		? 'it is for servers that are started'
		: `a setting of ${client} that the hub does not have`;
}
