/* The fabric for the page: members, groups, links and the last failures. */
import { fabricFacts } from '../../hub/fabric-facts.ts';
import type { FabricReply } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

export async function fabricReply({
	hub,
	worker,
	environment,
}: Pick<DashboardDeps, 'hub' | 'worker' | 'environment'>): Promise<FabricReply> {
	const facts = fabricFacts(hub, worker?.());
	const isUsed = facts.use !== null || facts.offer !== null;
	return { ...facts, members: isUsed ? await members(environment) : [] };
}

async function members(environment: Readonly<NodeJS.ProcessEnv>): Promise<FabricReply['members']> {
	const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
	return MemberKeys.ofUser(environment).facts();
}
