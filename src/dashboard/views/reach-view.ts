/*
 * Who may reach what: for each client, how many tools of each source are in its view, and what the
 * policy says about them.
 */
import type { Configuration } from '../../config/configuration.ts';
import { clientName } from '../../hub/calls/hub-call.ts';
import { viewFilter } from '../../hub/expose/tool-filter.ts';
import type { Hub } from '../../hub/hub.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import { type Policy, policyOf } from '../../trust/policy.ts';
import type { NamedTool } from '../../trust/tool-name.ts';
import type { ReachedSource, ReachReply } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { REACH_CLIENTS_LIMIT } from '../dashboard-limits.ts';

interface ReachedTool {
	readonly backend: string;
	readonly tool: NamedTool;
	readonly annotations: Readonly<Record<string, unknown>> | undefined;
}

/** The reach of the clients that are connected and of those that the configuration names. */
export async function reachOf({ hub, opened }: Pick<DashboardDeps, 'hub' | 'opened'>): Promise<ReachReply> {
	const configuration = opened.configuration();
	const policy = policyOf(configuration);
	const { items, routes } = await hub.catalogue.list('tools');
	const tools = items.flatMap(({ name, annotations }): ReachedTool[] => {
		const route = routes.get(name);
		if (route === undefined) return [];
		const tool = route.toolName ?? policy.servers.read(name);
		return [{ backend: route.source.id, tool, annotations }];
	});
	const slices = new WorkSlices();
	const reached: ReachReply['clients'][number][] = [];
	for (const [client, view] of viewsOf(hub, configuration.clients)) {
		const isKnown = view !== undefined && Object.hasOwn(configuration.views, view);
		const isVisible = isKnown ? viewFilter(configuration, view) : () => true;
		const sources = sourcesOf(tools, { policy, client, isVisible });
		reached.push({ client, view: view ?? null, sources });
		if (slices.isOver) await slices.next();
	}
	return { clients: reached };
}

/** The view of each client by its name; of two sessions with the same name, that of the first. */
function viewsOf(
	{ clients, exposure }: Pick<Hub, 'clients' | 'exposure'>,
	settings: Configuration['clients'],
): Map<string, string | undefined> {
	const views = new Map<string, string | undefined>();
	for (const { sessionId, client } of clients.list()) {
		const name = client === undefined ? '' : clientName(client);
		if (name === '' || views.has(name) || views.size >= REACH_CLIENTS_LIMIT) continue;
		views.set(name, exposure?.viewOf({ sessionId, clientInfo: client?.clientInfo }));
	}
	for (const [name, { view }] of Object.entries(settings).slice(0, REACH_CLIENTS_LIMIT))
		if (!views.has(name)) views.set(name, view);
	return views;
}

function sourcesOf(
	tools: readonly ReachedTool[],
	{ policy, client, isVisible }: { policy: Policy; client: string; isVisible: (tool: NamedTool) => boolean },
): ReachedSource[] {
	const counts = new Map<
		string,
		{ tools: number; hidden: number; allow: number; ask: number; deny: number }
	>();
	for (const { backend, tool, annotations } of tools) {
		const count = counts.get(backend) ?? { tools: 0, hidden: 0, allow: 0, ask: 0, deny: 0 };
		counts.set(backend, count);
		count.tools++;
		if (!isVisible(tool)) count.hidden++;
		else count[policy.decide({ tool, client, annotations }).action]++;
	}
	return [...counts].map(([backend, count]) => ({ backend, ...count }));
}
