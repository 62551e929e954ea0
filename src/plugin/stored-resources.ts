/*
 * Files of the orchestrator's storage as resources: `features/login.md` is
 * `orchestra://features/login`, and so for notes and docs.
 */
import type { Resource, ResourceTemplate } from '../protocol/mcp-types.ts';

/** The folders of the storage that are offered. */
export const storedPrefixes = ['features', 'notes', 'docs'] as const;

export const STORED_MIME_TYPE = 'text/markdown';

const SUFFIX = '.md';

export const storedTemplates: readonly ResourceTemplate[] = [...storedPrefixes].sort().map((prefix) => ({
	uriTemplate: `orchestra://${prefix}/{id}`,
	name: prefix,
	mimeType: STORED_MIME_TYPE,
}));

/** The resource of a stored file; undefined when it is none. */
export function resourceOf(prefix: string, path: string): Resource | undefined {
	const inside = path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : path;
	if (!inside.endsWith(SUFFIX)) return undefined;
	const name = inside.slice(0, -SUFFIX.length);
	const id = name.split('/').map(encodeURIComponent).join('/');
	return { uri: `orchestra://${prefix}/${id}`, name, mimeType: STORED_MIME_TYPE };
}

/** The path of a resource in the storage; undefined for a URI that means no file there. */
export function pathOf(uri: string): string | undefined {
	const match = /^orchestra:\/\/(features|notes|docs)\/([^?#]+)$/.exec(uri);
	const parts = match?.[2]?.split('/').map(decoded);
	if (!parts?.every(isPlain)) return undefined;
	return `${match?.[1]}/${parts.join('/')}${SUFFIX}`;
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part; // a stray percent sign is a percent sign
	}
}

/** No part may lead out of its folder. */
function isPlain(part: string): boolean {
	return part !== '' && part !== '.' && part !== '..' && !/[/\\\0]/.test(part);
}
