/*
 * Which backend has a resource: the owner of its scheme, the one that lists it, the one
 * with a template for it, or one whose resources have the same scheme.
 */
import { after } from '../mcp/server/methods.ts';
import type { Awaitable } from '../protocol/mcp-types.ts';
import { matchTemplate } from '../protocol/uri-template.ts';
import type { Backend } from './backends/backend.ts';
import type { Catalogue } from './catalogue.ts';

/** The backend that has a resource; undefined when there is none. */
export function resourceOwner(
	uri: string,
	backends: readonly Backend[],
	catalogue: Pick<Catalogue, 'resources' | 'templates'>,
): Awaitable<Backend | undefined> {
	const owner = uriOwner(uri, backends);
	if (owner) return owner;
	return after(catalogue.resources(), ({ routes }) => {
		const route = routes.get(uri);
		if (route) return route.backend;
		return after(catalogue.templates(), (templates) => {
			const found = templates.items.find(({ uriTemplate }) => matchTemplate(uriTemplate, uri));
			if (found) return templates.routes.get(found.uriTemplate)?.backend;
			return backends.find((backend) => backend.claimsUri?.(uri));
		});
	});
}

/** The backend that owns all URIs of this form. */
export function uriOwner(uri: string, backends: readonly Backend[]): Backend | undefined {
	return backends.find((backend) => backend.ownsUri?.(uri));
}
