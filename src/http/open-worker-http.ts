/*
 * The HTTP listener of `mctl worker`: health, readiness and metrics, and no MCP. Metrics on
 * loopback need no token; elsewhere they need that of the folder, and the listener TLS.
 */
import type { HubSection } from '../config/configuration.ts';
import type { WorkerOverview } from '../hub/fabric-overview.ts';
import type { Hub } from '../hub/hub.ts';
import { HubMetrics, type HubMetricsOptions } from '../hub/metrics/hub-metrics.ts';
import type { HubHttp } from '../hub/shared/run-hub.ts';
import { isOnLoopback } from '../link/address.ts';
import type { Log } from '../log.ts';
import { bearerToken } from './authenticate.ts';
import { HttpListener } from './http-listener.ts';
import { listenerSettings } from './http-settings.ts';
import { ensureToken, tokenFile } from './http-token.ts';
import { healthRoute, metricsRoute, readyRoute } from './text-routes.ts';

export interface WorkerHttpOptions extends Pick<HubMetricsOptions, 'spans'> {
	readonly address: string;
	readonly settings: HubSection;
	/** The state folder, which has the token. */
	readonly folder: string;
	readonly hub: Hub;
	readonly worker: () => WorkerOverview | undefined;
	readonly log: Log;
}

/** Open it. The caller closes it. Throws `bad_input` for an address or a token that cannot be used. */
export async function openWorkerHttp(options: WorkerHttpOptions): Promise<HubHttp> {
	const { hub, worker, folder, log } = options;
	const settings = await listenerSettings(options.address, options.settings);
	const isLocal = await isOnLoopback(settings.address);
	const metrics = new HubMetrics(hub, options);
	const routes = [healthRoute, readyRoute(() => worker()?.isReady === true), metricsRoute(metrics, isLocal)];
	const listener = await HttpListener.open({
		...settings,
		authenticate: isLocal ? () => undefined : bearerToken(ensureToken(tokenFile(folder))),
		routes,
		provider: () => undefined,
		log,
	});
	return {
		url: new URL('/', listener.url).href,
		async close() {
			await listener.close();
			metrics.close();
		},
	};
}
