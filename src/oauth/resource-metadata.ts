/*
 * The metadata of a protected resource (RFC 9728): which authorization servers issue
 * tokens for an MCP server, and which scopes there are.
 *
 * The URL comes from the challenge; without one, the two well-known places are tried.
 * A document about another resource is refused: a token for it would be sent here.
 */
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { printableName } from '../printable.ts';
import { publicUrl } from '../transport/http/http-errors.ts';
import { isLoopbackUrl } from '../transport/http/network-class.ts';
import type { GuardedHttp } from './guarded-http.ts';

export interface ProtectedResource {
	/** The identifier, verbatim: the value of the `resource` parameter. */
	readonly resource: string;
	/** At least one. */
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
	for (const place of places(new URL(serverUrl), options)) {
		const document = await http.json(place);
		const found = document && readResource(document);
		if (found === undefined) continue;
		if (covers(found.resource, serverUrl)) return found;
		throw new OrchestraError(
			'bad_input',
			`the metadata of ${publicUrl(new URL(serverUrl))} is about another resource, ${printableName(found.resource)}`,
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

function places(server: URL, { named, log }: { named: string | undefined; log: Log }): string[] {
	const path = server.pathname.replace(/\/$/, '');
	const wellKnown = [`${server.origin}${WELL_KNOWN}${path}${server.search}`, `${server.origin}${WELL_KNOWN}`];
	const url =
		named !== undefined && URL.canParse(named, server.href) ? new URL(named, server.href) : undefined;
	if (url === undefined) return [...new Set(wellKnown)];
	const isSameOrigin = url.origin === server.origin;
	if (isSameOrigin || (isLoopbackUrl(url) && isLoopbackUrl(server)))
		return [...new Set([url.href, ...wellKnown])];
	log.warn(`${server.origin} names metadata of another origin, ${url.origin}; it is ignored`);
	return [...new Set(wellKnown)];
}

function readResource(document: Readonly<Record<string, unknown>>): ProtectedResource | undefined {
	const { resource } = document;
	const issuers = stringsOf(document['authorization_servers']) ?? [];
	if (typeof resource !== 'string' || issuers.length === 0) return undefined;
	return { resource, issuers, scopes: stringsOf(document['scopes_supported']) };
}

/** The strings of a JSON array; undefined for anything else. */
export function stringsOf(value: unknown): string[] | undefined {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
