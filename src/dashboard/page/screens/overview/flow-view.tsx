/*
 * The picture: clients → hub → servers. Nodes are buttons that filter the overview; the links between
 * them are drawn below. A row has a fixed height, so the place of a link needs no measuring.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { CallFlow } from '../../../api/api-calls.ts';
import type { DashboardState, ReachReply } from '../../../api/api-types.ts';
import { policyTestCommand } from '../../../commands/mctl-commands.ts';
import { CommandText } from '../../components/command-text.tsx';
import { type Options, Panel, Toggles } from '../../components/panel.tsx';
import { useFetched } from '../../components/use-fetched.ts';
import { routeHref } from '../../live/route.ts';
import { formatCount, formatCounted, formatPercent } from '../../text/quantities.ts';
import { attributeText, visibleLine } from '../../text/visible-text.tsx';
import { type FlowChoice, type FlowNode, type FlowPicture, flowPicture } from './flow-model.ts';

const LENSES: Options<'calls' | 'access'> = [
	['calls', 'Calls'],
	['access', 'Access'],
];
const ROW = 40;
const WIDEST = 16;
/** A thin link with a few failures must not look red. */
const FAINTEST = 0.4;

interface FlowViewProps {
	readonly state: DashboardState;
	readonly flows: readonly CallFlow[];
	readonly choice: FlowChoice;
	readonly choose: (choice: FlowChoice) => void;
}

export function FlowView({ state, flows, choice, choose }: FlowViewProps): JSX.Element {
	const shown = useSignal<'calls' | 'access'>('calls');
	const isAccess = shown.value === 'access';
	const reach = useFetched<ReachReply>(isAccess ? '/api/reach' : undefined, true);
	const clients = reach.value.value?.clients ?? [];
	const looked =
		clients.find(({ client }) => client === choice.client) ??
		clients.find(({ client }) => client !== 'dashboard') ??
		clients[0];
	const lens = isAccess ? looked : undefined;
	const picture = flowPicture(state, flows, { choice, reach: lens });
	const aside = (
		<Toggles label="Lens" options={LENSES} value={shown.value} onPick={(picked) => (shown.value = picked)} />
	);
	return (
		<Panel title="Who talks to what" aside={aside}>
			<FlowDrawing picture={picture} choice={choice} choose={choose} lens={lens} />
			<FlowCaption picture={picture} choice={choice} choose={choose} lens={lens} isAccess={isAccess} />
		</Panel>
	);
}

interface DrawingProps extends Pick<FlowViewProps, 'choice' | 'choose'> {
	readonly picture: FlowPicture;
	/** The tools that one client may call, in place of the calls. */
	readonly lens: ReachReply['clients'][number] | undefined;
}

function FlowDrawing({ picture, choice, choose, lens }: DrawingProps): JSX.Element {
	const { clients, servers, builtIns, moreClients } = picture;
	const client = lens?.client ?? choice.client;
	const right = [...servers, ...builtIns];
	const leftRows = Math.max(1, clients.length + (moreClients > 0 ? 1 : 0));
	const rightRows = right.length + 1;
	const height = Math.max(leftRows, rightRows, 2) * ROW;
	const pick = (key: keyof FlowChoice, id: string): void =>
		choose({ ...choice, [key]: choice[key] === id ? '' : id });
	return (
		<div class="flow">
			<ClientNodes picture={picture} chosen={client} pick={(id) => pick('client', id)} />
			<Links
				nodes={clients}
				top={(height - leftRows * ROW) / 2}
				chosen={client}
				height={height}
				isLeft
				isAccess={false}
			/>
			<div class="flow-hub">
				<span>hub</span>
			</div>
			<Links
				nodes={right}
				gapAt={servers.length}
				top={(height - rightRows * ROW) / 2}
				chosen={choice.backend}
				height={height}
				isAccess={lens !== undefined}
			/>
			<ServerNodes picture={picture} chosen={choice.backend} pick={(id) => pick('backend', id)} />
		</div>
	);
}

interface NodeListProps {
	readonly picture: FlowPicture;
	readonly chosen: string;
	readonly pick: (id: string) => void;
}

function ClientNodes({ picture: { clients, moreClients }, chosen, pick }: NodeListProps): JSX.Element {
	return (
		<ul class="flow-nodes" aria-label="Clients">
			{clients.map((node) => (
				<NodeButton node={node} chosen={chosen} onPick={() => pick(node.id)} />
			))}
			{clients.length === 0 && (
				<li class="flow-none dim">
					<a href={routeHref('add', 'connect')}>no client yet: connect one</a>
				</li>
			)}
			{moreClients > 0 && <li class="flow-none dim">and {formatCount(moreClients)} more</li>}
		</ul>
	);
}

function ServerNodes({ picture, chosen, pick }: NodeListProps): JSX.Element {
	const { servers, builtIns, moreServers } = picture;
	const nodeButton = (node: FlowNode): JSX.Element => (
		<NodeButton node={node} chosen={chosen} onPick={() => pick(node.id)} />
	);
	return (
		<ul class="flow-nodes" aria-label="Servers">
			{servers.map(nodeButton)}
			<li class="flow-none dim">
				{moreServers > 0 ? (
					<a href={routeHref('servers')}>and {formatCount(moreServers)} more</a>
				) : servers.length === 0 ? (
					<a href={routeHref('add')}>no server yet: add one</a>
				) : (
					'built in'
				)}
			</li>
			{builtIns.map(nodeButton)}
		</ul>
	);
}

interface NodeButtonProps {
	readonly node: FlowNode;
	readonly chosen: string;
	readonly onPick: () => void;
}

function NodeButton({ node, chosen, onPick }: NodeButtonProps): JSX.Element {
	const { id, caption, health, figure, count, errors, reach } = node;
	const failed = errors > 0 ? `, ${formatCount(errors)} failed` : '';
	// With the lens for access the caption has the numbers.
	const about = reach === undefined ? `${count === 1 ? ' call' : ' calls'}${failed}` : ' tools';
	return (
		<li>
			<button
				type="button"
				class={`flow-node${chosen !== '' && chosen !== id ? ' faded' : ''}`}
				aria-pressed={chosen === id}
				data-tip={attributeText(`${id}: ${caption}, ${figure}${about}`)}
				onClick={onPick}
			>
				<span class={`state ${health}`}>
					<strong>{visibleLine(id)}</strong>
				</span>{' '}
				<span class="dim">{visibleLine(caption)}</span>{' '}
				<span class="number">
					{figure}
					<span class="spoken">{about}</span>
				</span>
			</button>
		</li>
	);
}

interface LinksProps {
	readonly nodes: readonly FlowNode[];
	/** Nodes from here on are one row lower. */
	readonly gapAt?: number;
	/** Where the first node begins, in pixels. */
	readonly top: number;
	readonly chosen: string;
	readonly height: number;
	readonly isLeft?: boolean;
	readonly isAccess: boolean;
}

/** A link leaves the middle of its node and reaches the hub beside those of the other nodes. */
function Links({
	nodes,
	gapAt = nodes.length,
	top,
	chosen,
	height,
	isLeft = false,
	isAccess,
}: LinksProps): JSX.Element {
	const most = Math.max(1, ...nodes.map(({ count }) => count));
	const widthOf = (node: FlowNode): number => {
		if (isAccess) return 2 + ((node.reach?.allow ?? 0) + (node.reach?.ask ?? 0)) * (WIDEST / 2);
		return node.count === 0 ? 1 : 2 + Math.sqrt(node.count / most) * (WIDEST - 2);
	};
	const widths = nodes.map(widthOf);
	const total = widths.reduce((sum, width) => sum + width + 1, 0);
	let next = (height - total) / 2;
	return (
		<svg
			class="flow-links"
			viewBox={`0 0 100 ${height}`}
			height={height}
			preserveAspectRatio="none"
			aria-hidden="true"
		>
			{nodes.map((node, at) => {
				const width = widths[at] ?? 1;
				const hubY = next + width / 2;
				next += width + 1;
				const y = top + (at < gapAt ? at : at + 1) * ROW + ROW / 2;
				const d = isLeft
					? `M0 ${y}C50 ${y} 50 ${hubY} 100 ${hubY}`
					: `M0 ${hubY}C50 ${hubY} 50 ${y} 100 ${y}`;
				const isFaded = chosen !== '' && chosen !== node.id;
				return <LinkPath node={node} d={d} width={width} isFaded={isFaded} isAccess={isAccess} />;
			})}
		</svg>
	);
}

interface LinkPathProps extends Pick<LinksProps, 'isAccess'> {
	readonly node: FlowNode;
	readonly d: string;
	readonly width: number;
	readonly isFaded: boolean;
}

/** The link, and over it the part of it that failed or needs an approval. */
function LinkPath({ node, d, width, isFaded, isAccess }: LinkPathProps): JSX.Element {
	const { count, errors, reach } = node;
	const ask = reach?.ask ?? 0;
	return (
		<g class={`${linkClass(node, isAccess)}${isFaded ? ' faded' : ''}`}>
			<path d={d} stroke-width={width} />
			{!isAccess && errors > 0 && (
				<path class="failed" d={d} stroke-width={Math.max(FAINTEST, (errors / count) * width)} />
			)}
			{isAccess && ask > 0 && <path class="ask" d={d} stroke-width={Math.max(1, ask * width)} />}
		</g>
	);
}

function linkClass({ reach, health, count }: FlowNode, isAccess: boolean): string {
	if (isAccess) return (reach?.allow ?? 0) + (reach?.ask ?? 0) > 0 ? 'allowed' : 'unused';
	if (health === 'bad') return count > 0 ? 'down' : 'down unused';
	return count > 0 ? 'used' : 'unused';
}

interface CaptionProps extends Pick<FlowViewProps, 'choice' | 'choose'> {
	readonly picture: FlowPicture;
	readonly lens: ReachReply['clients'][number] | undefined;
	readonly isAccess: boolean;
}

function FlowCaption({ picture, choice, choose, lens, isAccess }: CaptionProps): JSX.Element {
	if (lens) return <LensCaption lens={lens} />;
	if (isAccess)
		return <p class="dim numbers">No client is connected or configured, so there is nothing to compare.</p>;
	if (choice.client !== '' || choice.backend !== '')
		return <ChoiceCaption picture={picture} choice={choice} choose={choose} />;
	return (
		<p class="numbers dim">
			A link is as wide as it has calls; its red part failed. Choose a client or a server to see only its
			calls.
		</p>
	);
}

function LensCaption({ lens }: { lens: ReachReply['clients'][number] }): JSX.Element {
	return (
		<p class="numbers" aria-live="polite">
			<span>
				What <strong>{visibleLine(lens.client)}</strong> may call
			</span>
			<span>{lens.view === null ? 'it sees all tools' : visibleLine(`view ${lens.view}`)}</span>
			<span class="legend allow">allowed</span>
			<span class="legend ask">asks you</span>
			<CommandText command={policyTestCommand(lens.client)} />
		</p>
	);
}

function ChoiceCaption({
	picture,
	choice,
	choose,
}: Pick<CaptionProps, 'picture' | 'choice' | 'choose'>): JSX.Element {
	const { client, backend } = choice;
	const shown =
		backend === ''
			? [...picture.servers, ...picture.builtIns]
			: picture.clients.filter(({ id }) => client === '' || id === client);
	const count = shown.reduce((sum, node) => sum + node.count, 0);
	const errors = shown.reduce((sum, node) => sum + node.errors, 0);
	return (
		<p class="numbers" aria-live="polite">
			<span>
				Only <strong>{visibleLine([client, backend].filter(Boolean).join(' → '))}</strong>
			</span>
			<span>{formatCounted(count, 'call')}</span>
			<span>{formatPercent(count === 0 ? 0 : errors / count)} failed</span>
			<a href={routeHref('calls', '', { client, backend })}>Its calls</a>
			{backend !== '' && <a href={routeHref('servers', backend)}>The server</a>}
			<button type="button" class="quiet" onClick={() => choose({ client: '', backend: '' })}>
				Show all
			</button>
		</p>
	);
}
