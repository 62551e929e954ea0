/* The record of a running hub, and its validation. */
import { attempt } from '../../errors.ts';
import { parseDialAddress } from '../../link/address.ts';
import { isUnixAddress, unixPath } from '../../link/tls/unix-address.ts';
import { isObject, stringsOf } from '../../wire/json.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** The address and identity of a running hub. */
export interface HubRecord extends ProcessIdentity {
	/** The address for bridges and commands: `unix:/path` or `host:port`. */
	readonly address: string;
	/** `host:port` for plugins and orchestrator clients; absent when the hub opens no port. */
	readonly networkAddress?: string | undefined;
	/** The URL of MCP over HTTP; absent when the hub has no HTTP listener. */
	readonly httpUrl?: string | undefined;
	readonly certsDir: string;
	/** The folder whose configuration it serves. */
	readonly root: string;
	readonly startedAt: string;
	/** The version of its program; absent in the record of a hub that is older than this field. */
	readonly version?: string | undefined;
	/** Its protocol features; absent when unknown. */
	readonly features?: readonly string[] | undefined;
	/** Variables in its configuration that have no value. */
	readonly unset?: readonly string[] | undefined;
}

export function isIdentity(value: unknown): value is ProcessIdentity {
	return isObject(value) && Number.isSafeInteger(value['pid']) && typeof value['startTime'] === 'string';
}

/** The record in `value`; undefined when it is invalid. A damaged list counts as absent, because the hub can be queried. */
export function readHubRecord(value: unknown): HubRecord | undefined {
	if (!isHubRecord(value)) return undefined;
	const { networkAddress, httpUrl, version } = value;
	return {
		...value,
		networkAddress: isAddress(networkAddress) ? networkAddress : undefined,
		httpUrl: typeof httpUrl === 'string' && URL.canParse(httpUrl) ? httpUrl : undefined,
		version: typeof version === 'string' ? version : undefined,
		features: stringsOf(value.features),
		unset: stringsOf(value.unset),
	};
}

function isHubRecord(value: unknown): value is HubRecord {
	if (!isObject(value) || !isIdentity(value)) return false;
	const strings = ['certsDir', 'root', 'startedAt'].map((name) => value[name]);
	return strings.every((text) => typeof text === 'string') && isAddress(value['address']);
}

function isAddress(value: unknown): boolean {
	// Only the validity matters here.
	return attempt(() => {
		if (typeof value !== 'string') return false;
		return isUnixAddress(value) ? unixPath(value) !== '' : parseDialAddress(value).port > 0;
	}, false);
}
