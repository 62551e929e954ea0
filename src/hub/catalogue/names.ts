/*
 * URIs that clients see.
 *
 * In `ui://` and `skill://` the first segment is the server: hosts know both by their scheme, and two
 * servers often have equal URIs. The label of a server is a valid authority, and no two servers, nor
 * the library and the project, have the same.
 */
import { hashed } from '../../trust/tool-name.ts';

/** The label of the markdown library. */
export const LIBRARY_LABEL = 'library';
/** The label of the skills in the folders of a project. */
export const PROJECT_LABEL = 'project';
const reservedLabels: ReadonlySet<string> = new Set([LIBRARY_LABEL, PROJECT_LABEL]);

const LABELLED = /^(ui|skill):\/\//i;
const SKILL = /^skill:\/\//i;
const HIERARCHICAL = /^([a-z][a-z\d+.-]*):\/\/(.*)$/is;
/** A URI of another scheme within a `skill://` URI: `https:/host/path`. */
const WITHIN_SKILL = /^([a-z][a-z\d+.-]*):\/(.*)$/is;

/** Whether clients see a URI with the label of its server. */
export function isLabelled(uri: unknown): uri is string {
	return typeof uri === 'string' && LABELLED.test(uri);
}

/** Whether a URI is one of a page. */
export function isPage(uri: string): boolean {
	return /^ui:\/\//i.test(uri);
}

/** The server in `ui://` and `skill://` URIs: its name, or with a hash when that is no authority or taken. */
export function uriLabel(server: string): string {
	const isPlain = /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/.test(server) && !reservedLabels.has(server);
	if (isPlain) return server;
	return hashed(server.toLowerCase().replaceAll(/[^a-z\d.-]/g, '-'), server).replaceAll('_', '-');
}

/**
 * The URI of a resource that is one of this server: `ui://server/…` for the page `ui://…`, `skill://server/…` alike, and
 * `orchestra+server:uri` for one whose own URI belongs to another server.
 */
export function qualifiedUri(source: string, uri: string): string {
	const [prefix, scheme = ''] = LABELLED.exec(uri) ?? [];
	if (prefix === undefined) return `orchestra+${source}:${uri}`;
	return `${scheme.toLowerCase()}://${uriLabel(source)}/${uri.slice(prefix.length)}`;
}

/** The URI of a file of a skill, which may have any scheme; undefined when it is not hierarchical. */
export function skillUri(source: string, uri: string): string | undefined {
	if (SKILL.test(uri)) return qualifiedUri(source, uri);
	const [, scheme, rest] = HIERARCHICAL.exec(uri) ?? [];
	return scheme === undefined ? undefined : `skill://${uriLabel(source)}/${scheme}:/${rest}`;
}

/** The server's own URI: without its prefix. */
export function upstreamUri(source: string, uri: string): string {
	const prefix = `orchestra+${source}:`;
	if (uri.startsWith(prefix)) return uri.slice(prefix.length);
	const [start = '', scheme = ''] = LABELLED.exec(uri) ?? [];
	const label = `${uriLabel(source)}/`;
	if (start === '' || !uri.startsWith(label, start.length)) return uri;
	const rest = uri.slice(start.length + label.length);
	const [, inner, path] = (SKILL.test(uri) && WITHIN_SKILL.exec(rest)) || [];
	return inner === undefined ? `${scheme.toLowerCase()}://${rest}` : `${inner}://${path}`;
}

/** Whether a URI has the label of this server, or its prefix. */
export function isOfSource(source: string, uri: string): boolean {
	return uri === `skill://${uriLabel(source)}` || upstreamUri(source, uri) !== uri;
}
