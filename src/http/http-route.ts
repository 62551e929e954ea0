/* Paths of the HTTP listener besides `/mcp`: metrics, and the dashboard of a layer above. */
import type { Awaitable } from '../protocol/mcp-types.ts';
import type { HttpExchange } from './http-exchange.ts';

/** Serves one path, or every path below it. */
export interface HttpRoute {
	/** `/metrics` serves this path only; `/api/` every path that begins with it. A query is never part of it. */
	readonly path: string;
	/** True when a request needs no token; `Host` and `Origin` are checked, and the principal is empty. */
	readonly isPublic?: boolean;
	/** Reply, whatever the HTTP method is. An error that is thrown becomes status 500 and a line in the log. */
	serve(exchange: HttpExchange): Awaitable<void>;
}

/** The route of a request; the longest path wins. */
export function routeOf(routes: readonly HttpRoute[], url: string): HttpRoute | undefined {
	const [requested = ''] = url.split(/[?#]/, 1);
	const serves = ({ path }: HttpRoute): boolean =>
		path.endsWith('/') ? requested.startsWith(path) : requested === path;
	return routes.filter(serves).toSorted((one, other) => other.path.length - one.path.length)[0];
}
