/*
 * Overview: what needs attention, who talks to what, calls, latency and cost, then each source and client.
 *
 * A click on a client or a server filters the plots; the filter is in the address.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { OverviewReply, ToolUse } from '../../../api/api-calls.ts';
import type { ClientRow, CostsReply, HubFacts } from '../../../api/api-types.ts';
import { defaultDashboardLimits } from '../../../dashboard-limits.ts';
import { LatencyChart, LatencyHistogram, VolumeChart } from '../../components/call-charts.tsx';
import { Bar, FailureShare } from '../../components/charts.tsx';
import { CommandText } from '../../components/command-text.tsx';
import { useNow } from '../../components/now.ts';
import {
	EmptyState,
	ErrorText,
	Fact,
	type Options,
	Panel,
	Toggle,
	Toggles,
} from '../../components/panel.tsx';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import {
	formatAge,
	formatBytes,
	formatCount,
	formatCounted,
	formatDuration,
	formatMs,
} from '../../text/quantities.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { BackendList } from '../servers/backend-list.tsx';
import { AttentionPanel } from './attention-panel.tsx';
import type { FlowChoice } from './flow-model.ts';
import { FlowView } from './flow-view.tsx';
import { useOverview, useToolCosts } from './overview-data.ts';

const TIMES: Options<string> = [
	['15', '15 min'],
	['60', '1 h'],
	['1440', '24 h'],
	['0', 'all'],
];
const DEFAULT_MINUTES = '1440';
const { calls: RETAINED_CALLS } = defaultDashboardLimits;

export function OverviewScreen(): JSX.Element {
	const { state, router } = useDashboard();
	const { query } = router.route.value;
	const { client = '', backend = '', minutes = DEFAULT_MINUTES } = query;
	const overview = useOverview({ client, backend }, Number(minutes) || 0);
	const choose = (choice: FlowChoice): void =>
		router.replace(routeHref('overview', '', { ...query, ...choice }));
	const current = state.value;
	if (!current) return <EmptyState title="Waiting for the state of the hub…" />;
	const reply = overview.value;
	return (
		<>
			<FirstSteps />
			<AttentionPanel rows={current.attention} backends={current.backends} />
			<FlowView state={current} flows={reply?.flows ?? []} choice={{ client, backend }} choose={choose} />
			<TimeRange minutes={minutes} hub={current.hub} />
			{reply && <Plots reply={reply} />}
			<div class="plots rankings">
				{reply && reply.all.count > 0 && <RankedTools reply={reply} />}
				<TokenPanel />
			</div>
			<div class="estate">
				<BackendList backends={current.backends} />
				<div class="estate">
					<ClientList clients={current.clients} />
					<HubStrip hub={current.hub} />
				</div>
			</div>
		</>
	);
}

/** The first steps of a new user. */
function FirstSteps(): JSX.Element {
	return (
		<nav class="steps" aria-label="First steps">
			<a href={routeHref('add', '', { way: 'command' })}>Add a server</a>
			<a href={routeHref('add', 'import')}>Import from your clients</a>
			<a href={routeHref('add', 'connect')}>Connect a client</a>
		</nav>
	);
}

function TimeRange({ minutes, hub }: { minutes: string; hub: HubFacts }): JSX.Element {
	const { router } = useDashboard();
	const { query } = router.route.value;
	return (
		<div class="actions">
			<span class="dim">Calls of the last</span>
			<Toggles
				label="Calls of the last"
				options={TIMES}
				value={minutes}
				onPick={(picked) => router.replace(routeHref('overview', '', { ...query, minutes: picked }))}
			/>
			{hub.calls > RETAINED_CALLS && (
				<span class="dim">The last {formatCount(RETAINED_CALLS)} are retained.</span>
			)}
		</div>
	);
}

function Plots({ reply }: { reply: OverviewReply }): JSX.Element {
	const isHistogram = useSignal(false);
	if (reply.all.count === 0)
		return (
			<Panel title="Calls">
				<EmptyState title="No call in this time.">
					<a href={routeHref('tools')}>Try a tool</a>, or let a connected agent call one.
				</EmptyState>
			</Panel>
		);
	const toggle = (
		<Toggle isOn={isHistogram.value} onClick={() => (isHistogram.value = !isHistogram.value)}>
			Histogram
		</Toggle>
	);
	return (
		<div class="plots">
			<Panel
				title="Calls and failures"
				aside={<a href={routeHref('calls', '', { outcome: 'failures' })}>Failures</a>}
			>
				<VolumeChart buckets={reply.buckets} bucketMs={reply.bucketMs} />
			</Panel>
			<Panel title="Latency" aside={toggle}>
				{isHistogram.value ? (
					<LatencyHistogram bars={reply.histogram} all={reply.all} />
				) : (
					<LatencyChart buckets={reply.buckets} />
				)}
			</Panel>
		</div>
	);
}

function RankedTools({ reply }: { reply: OverviewReply }): JSX.Element {
	return (
		<>
			<Panel title="Busiest tools">
				<ToolTable uses={reply.busiest} of="calls" />
			</Panel>
			<Panel title="Slowest tools">
				<ToolTable uses={reply.slowest} of="latency" />
			</Panel>
		</>
	);
}

/** A bar behind each name: its calls, or its p95, compared with the others. */
function ToolTable({ uses, of }: { uses: readonly ToolUse[]; of: 'calls' | 'latency' }): JSX.Element {
	const valueOf = ({ count, p95 }: ToolUse): number => (of === 'calls' ? count : (p95 ?? 0));
	const most = Math.max(1, ...uses.map(valueOf));
	return (
		<div class="ranks">
			{uses.map((use) => (
				<div class="rank" key={`${use.backend} ${use.name}`}>
					<a href={routeHref('calls', '', { tool: use.name })}>{visibleLine(use.name)}</a>
					<Bar share={valueOf(use) / most} />
					<span class="number">{of === 'calls' ? formatCount(use.count) : `p95 ${formatMs(use.p95)}`}</span>
					{of === 'calls' ? (
						<FailureShare
							share={use.errors / Math.max(1, use.count)}
							label={`${formatCount(use.errors)} of ${formatCount(use.count)} calls failed`}
						/>
					) : (
						<span class="number dim">p50 {formatMs(use.p50)}</span>
					)}
				</div>
			))}
		</div>
	);
}

const SHOWN_COSTS = 8;

/** The tokens of the tool definitions for an agent that lists all of them. */
function TokenPanel(): JSX.Element {
	const costs = useToolCosts();
	const sources = costs.value.value?.sources;
	const total = (sources ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
	const aside = total > 0 && (
		<span class="dim number">about {formatCount(total)} for an agent that lists all</span>
	);
	return (
		<Panel title="Tokens of the tool lists" aside={aside}>
			{sources ? (
				<CostTable sources={sources} />
			) : costs.error.value ? (
				<ErrorText error={costs.error.value} />
			) : (
				<EmptyState title="Reading the lists…" />
			)}
		</Panel>
	);
}

function CostTable({ sources }: CostsReply): JSX.Element {
	if (sources.length === 0) return <EmptyState title="There are no tools yet." />;
	const most = Math.max(1, ...sources.map(({ tokens }) => tokens));
	return (
		<div class="ranks">
			{sources.slice(0, SHOWN_COSTS).map(({ backend, tools, tokens }) => (
				<div class="rank" key={backend}>
					<a href={routeHref('servers', backend)}>{visibleLine(backend)}</a>
					<Bar share={tokens / most} />
					<span class="number">{formatCount(tokens)}</span>
					<span class="number dim">{formatCounted(tools, 'tool')}</span>
				</div>
			))}
		</div>
	);
}

function HubStrip({ hub }: { hub: HubFacts }): JSX.Element {
	const now = useNow();
	return (
		<Panel title="Hub" aside={<CommandText command="mctl hub status" />}>
			<dl class="strip">
				<Fact name="version">{visibleLine(hub.version)}</Fact>
				<Fact name="pid">{hub.pid}</Fact>
				<Fact name="up for">{formatDuration(now.value - hub.startedAt)}</Fact>
				<Fact name="memory">{formatBytes(hub.memoryBytes)}</Fact>
				<Fact name="event-loop delay">{formatMs(hub.loopDelayMs)}</Fact>
				<Fact name="in flight">{formatCount(hub.inFlight)}</Fact>
				<Fact name="calls">{formatCount(hub.calls)}</Fact>
			</dl>
		</Panel>
	);
}

function ClientList({ clients }: { clients: readonly ClientRow[] }): JSX.Element {
	const now = useNow(5_000);
	return (
		<Panel title="Clients">
			{clients.length === 0 ? (
				<EmptyState title="No client is connected.">
					Connect the agents on this machine with <CommandText command="mctl init" />
				</EmptyState>
			) : (
				<div class="rows clients">
					{clients.map((client) => (
						<div class="row" key={client.sessionId}>
							<strong>{visibleLine(client.name)}</strong>
							<span class="dim">{visibleLine(client.version ?? '')}</span>
							<span>{[client.era, client.revision].filter(Boolean).join(' · ') || '–'}</span>
							<span>{visibleLine(client.transport)}</span>
							<span class="number">{formatCounted(client.calls, 'call')}</span>
							<span class="number dim">for {formatAge(client.since, now.value)}</span>
							<a href={routeHref('calls', '', { client: client.name })}>Calls</a>
						</div>
					))}
				</div>
			)}
		</Panel>
	);
}
