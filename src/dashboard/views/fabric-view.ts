/* The fabric for the page: members, groups, links and the last failures. */
import { able } from '../../hub/source.ts';
import type { FabricReply } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

export async function fabricReply({
	hub,
	offer,
	environment,
}: Pick<DashboardDeps, 'hub' | 'offer' | 'environment'>): Promise<FabricReply> {
	const member = hub.sources.map((source) => able(source, 'overview')).find((found) => found !== undefined);
	const offered = offer?.();
	const isUsed = member !== undefined || offered !== undefined;
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
		members: isUsed ? await members(environment) : [],
	};
}

async function members(environment: Readonly<NodeJS.ProcessEnv>): Promise<FabricReply['members']> {
	const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
	return MemberKeys.ofUser(environment).facts();
}
