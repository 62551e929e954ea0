/*
 * The `_meta` of our requests.
 *
 * A modern request carries version, capabilities and client in `_meta`. A legacy
 * request must not: a server of both eras reads them as a modern request. A progress
 * token is valid on one connection only, so one from elsewhere is removed; the peer
 * adds its own.
 */
import type { Implementation } from '../../protocol/mcp-types.ts';
import {
	CLIENT_CAPABILITIES,
	CLIENT_INFO,
	LOG_LEVEL,
	metaOf,
	PROTOCOL_VERSION,
} from '../../protocol/meta.ts';
import { isObject } from '../../wire/json.ts';

/** The client of a connection, as its requests describe it. */
export interface ClientIdentity {
	readonly clientInfo: Implementation;
	readonly capabilities: Readonly<Record<string, unknown>>;
}

const envelopeKeys = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, 'progressToken'];

/** `params` with the envelope of `version`. Capabilities, client and log level of the params win. */
export function modernParams(
	params: unknown,
	version: string,
	{ capabilities, clientInfo }: ClientIdentity,
): Record<string, unknown> {
	if (isEnveloped(metaOf(params), version)) return params as Record<string, unknown>; // it has a `_meta`, so it is an object
	const { progressToken: _foreign, ...others } = metaOf(params);
	const meta = {
		[CLIENT_CAPABILITIES]: capabilities,
		[CLIENT_INFO]: clientInfo,
		...others,
		[PROTOCOL_VERSION]: version,
	};
	return isObject(params) ? { ...params, _meta: meta } : { _meta: meta };
}

/** True for a `_meta` that needs nothing more, so that params need not be copied. */
function isEnveloped(meta: Readonly<Record<string, unknown>>, version: string): boolean {
	return (
		meta[PROTOCOL_VERSION] === version &&
		meta[CLIENT_CAPABILITIES] !== undefined &&
		meta[CLIENT_INFO] !== undefined &&
		meta['progressToken'] === undefined
	);
}

/** `params` without an envelope. */
export function legacyParams(params: unknown): unknown {
	const meta = metaOf(params);
	if (!isObject(params) || !envelopeKeys.some((key) => meta[key] !== undefined)) return params;
	const remaining = Object.entries(meta).filter(([key]) => !envelopeKeys.includes(key));
	const { _meta, ...rest } = params;
	return remaining.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(remaining) };
}
