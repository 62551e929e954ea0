/* The HTTP listener of the shared hub: the whole hub at `/mcp`, one source at `/mcp/<id>`. */
import { STARTED_BY_HEADER } from '../config/self-entry.ts';
import { HubMetrics } from '../hub/metrics/hub-metrics.ts';
import { OneSource } from '../hub/one-source.ts';
import type { HubHttp, HubHttpDeps } from '../hub/shared/run-hub.ts';
import { sharedState } from '../mcp/server/mcp-session.ts';
import { type Authenticate, bearerToken } from './authenticate.ts';
import { HttpListener, type Served } from './http-listener.ts';
import type { HttpRoute } from './http-route.ts';
import { listenerSettings } from './http-settings.ts';
import { ensureToken, tokenFile } from './http-token.ts';
import { healthRoute, metricsRoute } from './text-routes.ts';

/** The additions of a layer above to the listener. */
export interface HubHttpAdditions {
	readonly routes?: readonly HttpRoute[];
	/** Another way in, asked when a request has no valid token. */
	readonly authenticate?: Authenticate;
}

/** Open it. The caller closes it. Throws `bad_input` for an address or a token that cannot be used. */
export async function openHubHttp(deps: HubHttpDeps, additions: HubHttpAdditions = {}): Promise<HubHttp> {
	const { hub, opened, shared, folder, worker, onRequest, log } = deps;
	const { spans } = opened;
	const settings = await listenerSettings(deps.address, opened.configuration().hub);
	const token = ensureToken(tokenFile(folder));
	const hasToken = bearerToken(token);
	const whole: Served = { provider: hub, shared };
	const views = new Map<string, Served & { provider: OneSource }>();
	const view = (id: string): Served | undefined => {
		const known = views.get(id);
		if (known) return known.provider.exists ? known : undefined;
		if (!hub.sources.some((source) => source.id === id)) return undefined;
		const served = { provider: new OneSource(hub, id), shared: sharedState() };
		views.set(id, served);
		return served;
	};
	const metrics = new HubMetrics(hub, { spans, worker });
	const listener = await HttpListener.open({
		...settings,
		authenticate: (request) => hasToken(request) ?? additions.authenticate?.(request),
		routes: [healthRoute, metricsRoute(metrics), ...(additions.routes ?? [])],
		provider: (name) => (name === undefined ? whole : view(name)),
		continuesTraces: spans !== undefined,
		onRequest,
		isSelfRequest: ({ headers }) => opened.chain.isSelfRequest(headers[STARTED_BY_HEADER]),
		log,
	});
	return {
		url: listener.url,
		async close() {
			for (const { shared: state } of views.values()) state.suspendedCalls.close();
			await listener.close();
			metrics.close();
		},
	};
}
