/* URIs that clients see. */
import { hashed } from '../trust/tool-name.ts';

/** The scheme of pages, which hosts show beside the result of a tool. */
export const PAGE_SCHEME = 'ui://';

/**
 * The URI of a resource that is one of this server: `ui://server/…` for the page `ui://…`, and
 * `orchestra+server:uri` for one whose own URI belongs to another server.
 */
export function qualifiedUri(source: string, uri: string): string {
	const isPage = uri.startsWith(PAGE_SCHEME);
	return isPage ? pagePrefix(source) + uri.slice(PAGE_SCHEME.length) : `orchestra+${source}:${uri}`;
}

/** The server's own URI: without its prefix. */
export function ownUri(source: string, uri: string): string {
	const page = pagePrefix(source);
	if (uri.startsWith(page)) return PAGE_SCHEME + uri.slice(page.length);
	const prefix = `orchestra+${source}:`;
	return uri.startsWith(prefix) ? uri.slice(prefix.length) : uri;
}

/** `ui://server/`; the server is a valid authority, and no two servers have the same. */
function pagePrefix(server: string): string {
	const isPlain = /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/.test(server);
	const lower = server.toLowerCase().replaceAll(/[^a-z\d.-]/g, '-');
	return `${PAGE_SCHEME}${isPlain ? server : hashed(lower, server).replaceAll('_', '-')}/`;
}
