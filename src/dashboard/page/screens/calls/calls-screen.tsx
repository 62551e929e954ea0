/* Calls: the journal, live, with filters, a chart of latency and the phases of each call. */
import { useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { CallRow, LatencyReply } from '../../../api/api-calls.ts';
import { LatencyChart } from '../../components/call-charts.tsx';
import { CommandText } from '../../components/command-text.tsx';
import { EmptyState, ErrorText, StateWord } from '../../components/panel.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { useCallFigures } from '../../components/use-fetched.ts';
import { VirtualList } from '../../components/virtual-list.tsx';
import { CallList } from '../../live/call-list.ts';
import { type Dashboard, useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { CALLS_RENEW_MS } from '../../page-limits.ts';
import { formatCount, formatCounted, formatMs, formatTime } from '../../text/quantities.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { CallDetail } from './call-detail.tsx';
import { CallFilters } from './call-filters.tsx';

const ROW_HEIGHT = 30;
/** Rows that are loaded below the visible ones. */
const AHEAD = 300;

export function CallsScreen(): JSX.Element {
	const dashboard = useDashboard();
	const { id, query } = dashboard.router.route.value;
	const { tool = '', client = '', backend = '', outcome = '', minutes = '' } = query;
	const list = useMemo(
		() => new CallList(dashboard.api, { tool, client, backend, outcome, minutes: Number(minutes) || 0 }),
		[tool, client, backend, outcome, minutes],
	);
	useLiveCalls(dashboard, list);
	const detail =
		id === '' ? (
			<EmptyState title="Open a call to see its phases, progress, logs and arguments.">
				In a terminal: <CommandText command="mctl log" />
			</EmptyState>
		) : (
			<CallDetail key={id} number={Number(id)} />
		);
	return (
		<SplitView
			list={
				<>
					<CallFilters />
					<LatencyPanel list={list} />
					<CallRowList list={list} />
				</>
			}
			detail={detail}
			isOpen={id !== ''}
			backHref={routeHref('calls', '', query)}
		/>
	);
}

function useLiveCalls(dashboard: Dashboard, list: CallList): void {
	useEffect(() => {
		void list.want(1);
		const stop = dashboard.onCalls(({ rows, dropped }) => list.take(rows, dropped));
		// Calls leave the last minutes without an event.
		const timer = list.filter.minutes > 0 ? setInterval(() => void list.reload(), CALLS_RENEW_MS) : undefined;
		return () => {
			stop();
			clearInterval(timer);
			list.close();
		};
	}, [list]);
	useSignalEffect(() => {
		if (dashboard.feed.opened.value > 1) void list.reload();
	});
}

function CallRowList({ list }: { list: CallList }): JSX.Element {
	const { router } = useDashboard();
	const { id, query } = router.route.value;
	// Reading it makes this component follow the rows.
	const version = list.version.value;
	const selected = useMemo(() => (id === '' ? -1 : list.indexOf(Number(id))), [list, version, id]);
	const count = list.matched.value;
	if (list.error.value && !list.isLoaded.value) return <ErrorText error={list.error.value} />;
	if (!list.isLoaded.value) return <EmptyState title="Reading the calls…" />;
	if (count === 0) return <NoCalls isFiltered={Object.values(query).some(Boolean)} />;
	return (
		<>
			<p class="dim list-count">
				{formatCounted(count, 'call')}
				{count > 1 && ', newest first'}
				<NewCalls list={list} />
			</p>
			<VirtualList
				label="Calls"
				count={count}
				rowHeight={ROW_HEIGHT}
				selected={selected}
				added={list.added.value}
				onTop={(isAtTop) => list.follow(isAtTop)}
				row={(index) => <CallLine row={list.at(index)} />}
				onRange={(_, end) => void list.want(Math.min(count, end + AHEAD))}
				onOpen={(index) => {
					const row = list.at(index);
					if (row) router.open(routeHref('calls', String(row.number), query));
				}}
			/>
		</>
	);
}

/** Below the top the rows stay where they are; this leads back to the newest. */
function NewCalls({ list }: { list: CallList }): JSX.Element | null {
	const { count, isExact } = list.waiting.value;
	if (count === 0 && isExact) return null;
	const more = `${formatCount(count)}${isExact ? '' : '+'} new ${count === 1 && isExact ? 'call' : 'calls'}`;
	return (
		<button type="button" class="quiet" onClick={scrollToTop}>
			↑ {count === 0 ? 'New calls' : more}
		</button>
	);
}

function scrollToTop(): void {
	document.querySelector('.virtual-list')?.scrollTo({ top: 0 });
}

function CallLine({ row }: { row: CallRow | undefined }): JSX.Element {
	if (!row) return <div class="call-line dim">…</div>;
	return (
		<div class="call-line">
			<span class="number time">{formatTime(row.at)}</span>
			<StateWord state={row.outcome} />
			<span class="call-name">{visibleLine(row.name)}</span>
			<span class="dim client">{visibleLine(row.client)}</span>
			<span class="number ms">{row.ms === null ? '' : formatMs(row.ms)}</span>
		</div>
	);
}

function NoCalls({ isFiltered }: { isFiltered: boolean }): JSX.Element {
	if (isFiltered)
		return (
			<EmptyState title="No call matches the filter.">
				<a href={routeHref('calls')}>Show all calls</a>
			</EmptyState>
		);
	return (
		<EmptyState title="No calls yet.">
			<a href={routeHref('tools')}>Try a tool</a>, or connect an agent with{' '}
			<CommandText command="mctl init" />
		</EmptyState>
	);
}

/** The chart of latency above the calls; renewed some seconds after new calls. */
function LatencyPanel({ list }: { list: CallList }): JSX.Element | null {
	const reply = useCallFigures<LatencyReply>('/api/calls/chart', () => list.query, [list]);
	const buckets = reply.value?.buckets ?? [];
	if (!buckets.some(({ p50 }) => p50 !== null)) return null;
	return (
		<div class="latency-panel">
			<LatencyChart buckets={buckets} />
		</div>
	);
}
