/*
 * The HTTP listener of the shared hub with the dashboard: MCP, the page and its API.
 *
 * The calls of the hub are followed while a page is open.
 */
import { bearerToken } from '../http/authenticate.ts';
import { ensureToken, tokenFile } from '../http/http-token.ts';
import { openHubHttp } from '../http/open-hub-http.ts';
import type { HubHttp, HubHttpDeps } from '../hub/shared/run-hub.ts';
import { CallFollower } from './calls/call-follower.ts';
import { CallLog } from './calls/call-log.ts';
import { DashboardAccess } from './dashboard-access.ts';
import { type DashboardLimits, defaultDashboardLimits } from './dashboard-limits.ts';
import { DashboardSite } from './dashboard-site.ts';

export interface DashboardOptions {
	readonly limits?: Partial<DashboardLimits> | undefined;
	/** The folder of the page. Default: that of the build. */
	readonly pageFolder?: string | undefined;
}

/** Open it. The caller closes it. Throws `bad_input` for an address or a token that cannot be used. */
export async function openDashboard(deps: HubHttpDeps, options: DashboardOptions = {}): Promise<HubHttp> {
	const limits = { ...defaultDashboardLimits, ...options.limits };
	const calls = new CallLog(limits);
	const followed = new CallFollower({ ...deps, calls, followMs: limits.followMs });
	const access = new DashboardAccess({ hasToken: bearerToken(ensureToken(tokenFile(deps.folder))), limits });
	const site = new DashboardSite({ ...deps, calls, followed, limits }, access, options.pageFolder);
	const stop = (): void => {
		followed.close();
		site.close();
	};
	try {
		const http = await openHubHttp(deps, { routes: site.routes });
		return {
			url: http.url,
			dashboardUrl: () => new URL(`/dashboard/enter?code=${access.makeCode()}`, http.url).href,
			async close() {
				stop();
				await http.close();
			},
		};
	} catch (thrown) {
		stop();
		throw thrown;
	}
}
