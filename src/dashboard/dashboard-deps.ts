/* What every route and view of the dashboard needs. */
import type { HubHttpDeps } from '../hub/shared/run-hub.ts';
import type { CallFollower } from './calls/call-follower.ts';
import type { CallLog } from './calls/call-log.ts';
import type { DashboardLimits } from './dashboard-limits.ts';

export interface DashboardDeps extends HubHttpDeps {
	readonly calls: CallLog;
	readonly followed: Pick<CallFollower, 'use'>;
	readonly limits: DashboardLimits;
}
