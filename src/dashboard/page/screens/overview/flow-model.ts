/*
 * The picture of who talks to what, as data: clients on the left, sources on the right, and between
 * them the hub. A link has a width by its calls, and in it a part for those that failed.
 */
import { type Health, healthOf } from '../../../../hub/source-status.ts';
import type { CallFlow } from '../../../api/api-calls.ts';
import type { DashboardState, ReachReply, SourceRow } from '../../../api/api-types.ts';
import { FLOW_BUILT_INS_LIMIT, FLOW_CLIENTS_LIMIT, FLOW_SERVERS_LIMIT } from '../../page-limits.ts';
import { formatCount, formatCounted } from '../../text/quantities.ts';

/** The selection in the picture; empty for all. */
export interface FlowChoice {
	readonly client: string;
	readonly backend: string;
}

export interface FlowNode {
	readonly id: string;
	readonly health: Health;
	/** A word or two about it. */
	readonly caption: string;
	/** Its number: calls, or with the lens for access the tools that may be called. */
	readonly figure: string;
	/** Calls of the choice. */
	readonly count: number;
	readonly errors: number;
	/** The shares of its tools that may be called and that need an approval, from 0 to 1; in the lens for access. */
	readonly reach?: { readonly allow: number; readonly ask: number } | undefined;
}

export interface FlowPicture {
	readonly clients: readonly FlowNode[];
	readonly servers: readonly FlowNode[];
	/** The sources of the hub itself. */
	readonly builtIns: readonly FlowNode[];
	/** Nodes that are left out. */
	readonly moreClients: number;
	readonly moreServers: number;
}

/** The sources that the user added: servers, plugins and other machines. */
export function isOfUser({ kind }: Pick<SourceRow, 'kind'>): boolean {
	return kind === 'mcp' || kind === 'plugin' || kind === 'fabric';
}

/** @param reach for the lens for access */
export function flowPicture(
	{ clients, backends }: Pick<DashboardState, 'clients' | 'backends'>,
	flows: readonly CallFlow[],
	{ choice, reach }: { choice: FlowChoice; reach?: ReachReply['clients'][number] | undefined },
): FlowPicture {
	const ofClient = tally(flows, 'client', (flow) => choice.backend === '' || flow.backend === choice.backend);
	const ofBackend = tally(flows, 'backend', (flow) => choice.client === '' || flow.client === choice.client);
	const connected = new Set(clients.map(({ name }) => name).filter((name) => name !== ''));
	// The page itself is a client; it is of interest when it called something.
	const others = [...connected].filter((name) => name !== 'dashboard');
	const names = [...new Set([...others, ...flows.map(({ client }) => client)])].filter(Boolean);
	const clientNodes = names
		.map((id) => ({
			id,
			health: connected.has(id) ? ('good' as const) : ('calm' as const),
			caption: connected.has(id) ? 'connected' : 'gone',
			...callsOf(ofClient, id),
		}))
		.toSorted((one, other) => other.count - one.count || (one.id < other.id ? -1 : 1));
	const nodeOf = (row: SourceRow): FlowNode => ({
		id: row.id,
		health: healthOf(row),
		...callsOf(ofBackend, row.id),
		...captionOf(row, reach),
	});
	const servers = backends.filter(isOfUser).map(nodeOf);
	const builtIns = backends.filter(
		(row) => !isOfUser(row) && ((row.tools ?? 0) > 0 || ofBackend.has(row.id)),
	);
	return {
		clients: clientNodes.slice(0, FLOW_CLIENTS_LIMIT),
		servers: mostRelevant(servers, choice.backend),
		builtIns: builtIns.slice(0, FLOW_BUILT_INS_LIMIT).map(nodeOf),
		moreClients: Math.max(0, clientNodes.length - FLOW_CLIENTS_LIMIT),
		moreServers: Math.max(0, servers.length - FLOW_SERVERS_LIMIT),
	};
}

/** The chosen one, those that do not work and those with the most calls, in the order of the configuration. */
function mostRelevant(nodes: readonly FlowNode[], chosen: string): FlowNode[] {
	const rank = ({ id, health }: FlowNode): number => (id === chosen ? 2 : health === 'bad' ? 1 : 0);
	const shown = nodes
		.toSorted((one, other) => rank(other) - rank(one) || other.count - one.count)
		.slice(0, FLOW_SERVERS_LIMIT);
	return nodes.filter((node) => shown.includes(node));
}

type Calls = Pick<FlowNode, 'count' | 'errors'>;

function callsOf(sums: ReadonlyMap<string, Calls>, id: string): Calls & Pick<FlowNode, 'figure'> {
	const { count, errors } = sums.get(id) ?? { count: 0, errors: 0 };
	return { count, errors, figure: formatCount(count) };
}

function captionOf(
	{ id, state, tools, needsSignIn }: SourceRow,
	reach: ReachReply['clients'][number] | undefined,
): Pick<FlowNode, 'caption' | 'reach'> & Partial<Pick<FlowNode, 'figure'>> {
	if (reach === undefined)
		return {
			caption: needsSignIn ? 'needs a sign-in' : tools === null ? state : formatCounted(tools, 'tool'),
		};
	const found = reach.sources.find(({ backend }) => backend === id);
	if (found === undefined || found.tools === 0)
		return { caption: 'no tools', figure: '–', reach: { allow: 0, ask: 0 } };
	const { allow, ask, deny, hidden, tools: all } = found;
	const parts = [
		allow === all ? 'all allowed' : `${formatCount(allow)} allowed`,
		ask > 0 ? `${formatCount(ask)} ask` : '',
		deny > 0 ? `${formatCount(deny)} denied` : '',
		hidden > 0 ? `${formatCount(hidden)} not in view` : '',
	];
	const figure = `${formatCount(allow)} of ${formatCount(all)}`;
	return { caption: parts.filter(Boolean).join(', '), figure, reach: { allow: allow / all, ask: ask / all } };
}

function tally(
	flows: readonly CallFlow[],
	key: 'client' | 'backend',
	isChosen: (flow: CallFlow) => boolean,
): ReadonlyMap<string, Calls> {
	const sums = new Map<string, { count: number; errors: number }>();
	for (const flow of flows.filter(isChosen)) {
		const sum = sums.get(flow[key]) ?? { count: 0, errors: 0 };
		sum.count += flow.count;
		sum.errors += flow.errors;
		sums.set(flow[key], sum);
	}
	return sums;
}
