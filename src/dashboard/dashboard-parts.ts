/* What the parts of the dashboard share. */
import type { OfferOverview } from '../hub/fabric-overview.ts';
import type { Hub } from '../hub/hub.ts';
import type { OpenedHub } from '../hub/open-hub.ts';
import type { Log } from '../log.ts';
import type { SharedState } from '../mcp/server/mcp-session.ts';
import type { CallLog } from './call-log.ts';
import type { DashboardLimits } from './dashboard-limits.ts';
import type { FollowedCalls } from './followed-calls.ts';

export interface DashboardParts {
	readonly hub: Hub;
	readonly opened: OpenedHub;
	readonly shared: SharedState;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** What this hub offers to other hubs. */
	readonly offer?: (() => OfferOverview | undefined) | undefined;
	/** The journal of the hub. */
	readonly journalFile: string;
	readonly calls: CallLog;
	readonly followed: Pick<FollowedCalls, 'use'>;
	readonly limits: DashboardLimits;
	readonly log: Log;
}
