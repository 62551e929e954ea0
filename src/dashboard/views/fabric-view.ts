/* The fabric for the page: members, groups, links and the last failures. */
import { able } from '../../hub/source.ts';
import type { FabricReply } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

export function fabricReply({ hub, offer }: Pick<DashboardDeps, 'hub' | 'offer'>): FabricReply {
	const member = hub.sources.map((source) => able(source, 'overview')).find((found) => found !== undefined);
	const offered = offer?.();
	return {
		use: member?.overview() ?? null,
		offer: offered
			? {
					...offered,
					running: Object.fromEntries(offered.running),
					accepted: Object.fromEntries(offered.accepted),
					refused: Object.fromEntries(offered.refused),
				}
			: null,
	};
}
