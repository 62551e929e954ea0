/*
 * The metadata of a protected resource (RFC 9728): which authorization servers issue
 * tokens for an MCP server, and which scopes there are.
 *
 * The URL comes from the challenge; without one, the two well-known places are tried.
 * A document about another resource is refused: a token for it would be sent here.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { printableName } from '../printable.ts';
import { publicUrl } from '../transport/http/http-errors.ts';
import { stringsOf } from '../wire/json.ts';
import type { GuardedHttp } from './guarded-http.ts';

export interface ProtectedResource {
	/** The identifier, verbatim: the value of the `resource` parameter. */
	readonly resource: string;
	/** The issuers, at least one. */
	readonly issuers: readonly string[];
	readonly scopes: readonly string[] | undefined;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** The metadata of the server at `serverUrl`; undefined when it has none (revision 2025-03-26). Throws `bad_input` when it is about another resource. */
export async function findProtectedResource(
	http: GuardedHttp,
	serverUrl: string,
	options: { readonly named: string | undefined; readonly log: Log },
): Promise<ProtectedResource | undefined> {
	const server = new URL(serverUrl);
	const named = namedPlace(server, options.named);
	for (const place of new Set([...(named ? [named.href] : []), ...wellKnownPlaces(server)])) {
		const isForeign = place === named?.href && named.origin !== server.origin;
		const document = isForeign ? await foreignJson(http, named, options.log) : await http.json(place);
		const found = document && readResource(document);
		if (found === undefined) continue;
		if (covers(found.resource, serverUrl)) return found;
		throw new OrchestraError(
			'bad_input',
			`the metadata of ${publicUrl(server)} is about another resource, ${printableName(found.resource)}`,
			{ hint: 'Use the URL that the metadata names, if that is the server that you mean.' },
		);
	}
	return undefined;
}

/** True when `resource` is the URL or a part of its path from the start, in the same origin. */
export function covers(resource: string, serverUrl: string): boolean {
	if (!URL.canParse(resource)) return false;
	const owner = new URL(resource);
	const server = new URL(serverUrl);
	if (owner.origin !== server.origin || owner.hash !== '') return false;
	if (owner.search !== '' && owner.search !== server.search) return false;
	const prefix = owner.pathname.replace(/\/$/, '');
	return server.pathname === prefix || server.pathname.startsWith(`${prefix}/`);
}

/** The URL in the challenge. It may be of another origin: `covers` binds its document to the server. */
function namedPlace(server: URL, named: string | undefined): URL | undefined {
	return named !== undefined && URL.canParse(named, server.href) ? new URL(named, server.href) : undefined;
}

function wellKnownPlaces({ origin, pathname, search }: URL): string[] {
	return [`${origin}${WELL_KNOWN}${pathname.replace(/\/$/, '')}${search}`, `${origin}${WELL_KNOWN}`];
}

/** One that cannot be fetched, or must not be, is left out: the server may have metadata of its own. */
async function foreignJson(
	http: GuardedHttp,
	url: URL,
	log: Log,
): Promise<Record<string, unknown> | undefined> {
	try {
		return await http.json(url.href);
	} catch (error) {
		log.warn(`the metadata at another origin is ignored: ${messageOf(error)}`);
		return undefined;
	}
}

function readResource(document: Readonly<Record<string, unknown>>): ProtectedResource | undefined {
	const { resource } = document;
	const issuers = stringsOf(document['authorization_servers']) ?? [];
	if (typeof resource !== 'string' || issuers.length === 0) return undefined;
	return { resource, issuers, scopes: stringsOf(document['scopes_supported']) };
}
