/*
 * Which backend has a resource: the owner of its scheme, the one that lists it, the one
 * with a template for it, or one whose resources have the same scheme.
 */
import { after } from '../mcp/server/methods.ts';
import type { Awaitable } from '../protocol/mcp-types.ts';
import { matchTemplate } from '../protocol/uri-template.ts';
import type { Backend } from './backends/backend.ts';
import type { Catalogue } from './catalogue.ts';

type Lists = Pick<Catalogue, 'resources' | 'templates' | 'search'>;

/** The backend that has a resource; undefined when there is none. */
export function resourceOwner(
	uri: string,
	backends: readonly Backend[],
	catalogue: Lists,
): Awaitable<Backend | undefined> {
	const owner = uriOwner(uri, backends);
	if (owner) return owner;
	return catalogue.search(['resources', 'templates'], () => listedOwner(uri, backends, catalogue));
}

/** The backend that has a resource template; undefined when there is none. */
export function templateOwner(
	uri: string,
	backends: readonly Backend[],
	catalogue: Lists,
): Awaitable<Backend | undefined> {
	return catalogue.search(['templates'], () =>
		after(catalogue.templates(), ({ routes }) => routes.get(uri)?.backend ?? uriOwner(uri, backends)),
	);
}

function listedOwner(
	uri: string,
	backends: readonly Backend[],
	catalogue: Lists,
): Awaitable<Backend | undefined> {
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
function uriOwner(uri: string, backends: readonly Backend[]): Backend | undefined {
	return backends.find((backend) => backend.ownsUri?.(uri));
}
