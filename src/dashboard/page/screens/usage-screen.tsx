/* Usage: what calls and tool lists cost in tokens, over time and by server, tool or client, and what is not used. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { SavedTokens, UsageReport, UsageRow, UsageTimeline } from '../../../hub/usage/usage-report.ts';
import { type VolumeBucket, VolumeChart } from '../components/call-charts.tsx';
import { Bar, FailureShare } from '../components/charts.tsx';
import { CommandText } from '../components/command-text.tsx';
import { EmptyState, Fact, NotFetched, Panel, plainOptions, Toggles } from '../components/panel.tsx';
import { useFetched } from '../components/use-fetched.ts';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { USAGE_ROWS_LIMIT } from '../page-limits.ts';
import { formatAge, formatCount, formatCounted, formatMoment, formatMs } from '../text/quantities.ts';
import { visibleLine } from '../text/visible-text.tsx';

const DAY_MS = 86_400_000;
const DAYS = plainOptions<string>('1', '7', '30');
const GROUPS = plainOptions('servers', 'tools', 'clients');

export function UsageScreen(): JSX.Element {
	const { router } = useDashboard();
	const { days = '30' } = router.route.value.query;
	// Of this moment once: a path that changes with the time would be fetched again and again.
	const now = useSignal(Date.now());
	const since = now.value - (Number(days) || 30) * DAY_MS;
	const fetched = useFetched<UsageReport>(`/api/usage?since=${since}`, true);
	const report = fetched.value.value;
	if (!report) return <NotFetched fetched={fetched} title="Reading the journal…" />;
	const { timeline } = report;
	return (
		<>
			<div class="actions">
				<span class="dim">Days</span>
				<Toggles
					label="Days"
					options={DAYS}
					value={days}
					onPick={(picked) => router.replace(routeHref('usage', '', { days: picked }))}
				/>
				<CommandText command={`mctl usage --since ${days}d`} />
			</div>
			<Totals report={report} />
			<div class="plots">
				<Panel title="Tokens of arguments and results">
					<VolumeChart
						buckets={bucketsOf(timeline, timeline.tokens)}
						bucketMs={timeline.stepMs}
						what="token"
					/>
				</Panel>
				<Panel title="Calls and failures">
					<VolumeChart
						buckets={bucketsOf(timeline, timeline.calls, timeline.failed)}
						bucketMs={timeline.stepMs}
					/>
				</Panel>
			</div>
			<UsageTable report={report} />
			<UnusedPanel report={report} />
		</>
	);
}

function Totals({ report: { totals, journalFrom, isCut } }: { report: UsageReport }): JSX.Element {
	return (
		<Panel title="In all">
			<dl class="strip">
				<Fact name="calls">{formatCount(totals.calls)}</Fact>
				<Fact name="failed">{formatCount(totals.failed)}</Fact>
				<Fact name="p50">{formatMs(totals.p50Ms)}</Fact>
				<Fact name="p95">{formatMs(totals.p95Ms)}</Fact>
				<Fact name="tokens of arguments">{formatCount(totals.argumentTokens)}</Fact>
				<Fact name="tokens of results">{formatCount(totals.resultTokens)}</Fact>
				<Fact name="tokens of tool lists">{formatCount(totals.definitionTokens ?? 0)}</Fact>
				<Fact name="tokens spared">{savedText(totals.saved)}</Fact>
			</dl>
			<p class="dim">
				{journalFrom === null
					? 'The journal has no call yet.'
					: `The journal begins ${formatMoment(journalFrom)}.`}
				{isCut && ' Older calls were left out for their number.'} Tokens are estimates of four characters
				each.
			</p>
		</Panel>
	);
}

function savedText({ search, views, budget }: SavedTokens): string {
	const parts = [
		search > 0 ? `${formatCount(search)} by search` : '',
		views > 0 ? `${formatCount(views)} by views` : '',
		budget > 0 ? `${formatCount(budget)} by budgets` : '',
	].filter(Boolean);
	return parts.join(', ') || '0';
}

/** The steps of the timeline as those of a chart. */
function bucketsOf(
	{ from, stepMs }: UsageTimeline,
	values: readonly number[],
	failed: readonly number[] = [],
): VolumeBucket[] {
	return values.map((count, at) => ({ at: from + at * stepMs, count, errors: failed[at] ?? 0 }));
}

function UsageTable({ report }: { report: UsageReport }): JSX.Element {
	const group = useSignal<'servers' | 'tools' | 'clients'>('servers');
	const rows = report[group.value];
	const tokensOf = ({ argumentTokens, resultTokens }: UsageRow): number => argumentTokens + resultTokens;
	const most = Math.max(1, ...rows.map(tokensOf));
	const aside = (
		<Toggles label="By" options={GROUPS} value={group.value} onPick={(picked) => (group.value = picked)} />
	);
	return (
		<Panel title={`By ${group.value.slice(0, -1)}`} aside={aside}>
			{rows.length === 0 && <EmptyState title="No call in this time." />}
			<div class="rows usage-rows">
				{rows.slice(0, USAGE_ROWS_LIMIT).map((row) => (
					<div class="row" key={`${row.server} ${row.name}`}>
						<strong>{visibleLine(row.name)}</strong>
						<span class="number">{formatCounted(row.calls, 'call')}</span>
						<FailureShare
							share={row.failed / Math.max(1, row.calls)}
							label={`${formatCount(row.failed)} calls failed`}
						/>
						<span class="number">p95 {formatMs(row.p95Ms)}</span>
						<Bar share={tokensOf(row) / most} />
						<span class="number">{formatCount(tokensOf(row))} tokens</span>
						<span class="number dim">
							{row.definitionTokens !== null && `definitions ${formatCount(row.definitionTokens)}`}
						</span>
						<span class="number dim">
							{row.lastCallAt !== null && `${formatAge(row.lastCallAt, report.until)} ago`}
						</span>
					</div>
				))}
			</div>
		</Panel>
	);
}

/** A journal that is younger than the days says nothing about the time before it. */
function UnusedPanel({ report }: { report: UsageReport }): JSX.Element {
	const { unused: rows, unusedDays: days, journalFrom, until } = report;
	const isYoung = journalFrom !== null && journalFrom > until - days * DAY_MS;
	return (
		<Panel title={isYoung ? `Not used since ${formatMoment(journalFrom)}` : `Not used in ${days} days`}>
			{rows.length === 0 && <EmptyState title="Every server and tool was used, or is not known yet." />}
			<ul class="unused">
				{rows.slice(0, USAGE_ROWS_LIMIT).map(({ kind, name, definitionTokens, command }) => (
					<li class="actions">
						<span class="tag">{kind}</span>
						<strong>{visibleLine(name)}</strong>
						{definitionTokens > 0 && (
							<span class="dim number">{formatCount(definitionTokens)} tokens in each list</span>
						)}
						<CommandText command={command} />
					</li>
				))}
			</ul>
		</Panel>
	);
}
