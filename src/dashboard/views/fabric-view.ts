/* The fabric for the page: members, groups, links and the last failures. */
import { able } from '../../hub/source.ts';
import type { FabricReply } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

export async function fabricReply({
	hub,
	worker,
	environment,
}: Pick<DashboardDeps, 'hub' | 'worker' | 'environment'>): Promise<FabricReply> {
	const member = hub.sources.map((source) => able(source, 'overview')).find((found) => found !== undefined);
	const overview = worker?.();
	const isUsed = member !== undefined || overview !== undefined;
	return {
		use: member?.overview() ?? null,
		offer: overview
			? {
					...overview,
					running: Object.fromEntries(overview.running),
					accepted: Object.fromEntries(overview.accepted),
					refused: Object.fromEntries(overview.refused),
				}
			: null,
		members: isUsed ? await members(environment) : [],
	};
}

async function members(environment: Readonly<NodeJS.ProcessEnv>): Promise<FabricReply['members']> {
	const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
	return MemberKeys.ofUser(environment).facts();
}
