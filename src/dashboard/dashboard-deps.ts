/* What every route and view of the dashboard needs. */
import type { WorkerOverview } from '../hub/fabric-overview.ts';
import type { Hub } from '../hub/hub.ts';
import type { OpenedHub } from '../hub/open-hub.ts';
import type { Log } from '../log.ts';
import type { SharedState } from '../mcp/server/mcp-session.ts';
import type { CallFollower } from './calls/call-follower.ts';
import type { CallLog } from './calls/call-log.ts';
import type { DashboardLimits } from './dashboard-limits.ts';

export interface DashboardDeps {
	readonly hub: Hub;
	readonly opened: OpenedHub;
	readonly shared: SharedState;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** The advertisement of this hub to other hubs. */
	readonly worker?: (() => WorkerOverview | undefined) | undefined;
	/** The journal of the hub. */
	readonly journalFile: string;
	readonly calls: CallLog;
	readonly followed: Pick<CallFollower, 'use'>;
	readonly limits: DashboardLimits;
	readonly log: Log;
}
