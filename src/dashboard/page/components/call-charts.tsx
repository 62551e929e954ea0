/* Charts of calls over time and of their latency. */
import type { ComponentChildren, JSX } from 'preact';
import type { Health } from '../../../hub/source-status.ts';
import type { DurationSummary, HistogramBar, LatencyBucket } from '../../api/api-calls.ts';
import {
	formatBound,
	formatCount,
	formatCounted,
	formatMoment,
	formatMs,
	formatPercent,
	formatTick,
} from '../text/quantities.ts';
import { visibleLine } from '../text/visible-text.tsx';
import { type ChartArea, ChartFrame } from './chart-frame.tsx';

/** Room above the highest mark, in pixels. */
const TOP = 6;
/** Room for a duration below a bar, in pixels. */
const LABEL_WIDTH = 50;

/** The calls of one time step. */
export type VolumeBucket = Pick<LatencyBucket, 'at' | 'count' | 'errors'>;

interface AxisProps {
	readonly area: ChartArea;
	readonly buckets: readonly VolumeBucket[];
}

/** Something that happened at a time, drawn as a line. */
export interface ChartMark {
	readonly at: number;
	/** The kind of event, in a word. */
	readonly state: string;
	readonly health: Health;
}

interface VolumeProps {
	readonly buckets: readonly VolumeBucket[];
	readonly bucketMs: number;
	readonly marks?: readonly ChartMark[];
	/** One of what is counted. Default: a call, of which some failed. */
	readonly what?: string;
}

/** Calls in each step, and below in the same bar those of them that failed. */
export function VolumeChart({ buckets, bucketMs, marks = [], what }: VolumeProps): JSX.Element {
	const most = Math.max(1, ...buckets.map(({ count }) => count));
	const calls = buckets.reduce((sum, { count }) => sum + count, 0);
	const errors = buckets.reduce((sum, bucket) => sum + bucket.errors, 0);
	const numbers = (index: number | undefined): ComponentChildren => {
		const bucket = index === undefined ? undefined : buckets[index];
		const shown = bucket ?? { count: calls, errors };
		const rate = shown.count === 0 ? 0 : shown.errors / shown.count;
		return (
			<>
				{bucket && <span>{formatMoment(bucket.at)}</span>}
				<span>{formatCounted(shown.count, what ?? 'call')}</span>
				{what === undefined && (
					<span class="legend failed">
						{formatCount(shown.errors)} failed ({formatPercent(rate)})
					</span>
				)}
				{!bucket && <span class="dim">a bar is {stepText(bucketMs)}</span>}
				<MarkLegend
					marks={marks.filter(({ at }) =>
						bucket ? at >= bucket.at && at < bucket.at + bucketMs : at >= (buckets[0]?.at ?? 0),
					)}
				/>
			</>
		);
	};
	const label =
		what === undefined
			? `Calls over time: ${formatCount(calls)}, ${formatCount(errors)} failed`
			: `${formatCounted(calls, what)} over time`;
	return (
		<ChartFrame label={label} count={buckets.length} numbers={numbers}>
			{(area) => (
				<>
					<Bars area={area} bars={buckets} ticks={most > 1 ? [most, Math.round(most / 2)] : [most]} gap={1} />
					<TimeAxis area={area} buckets={buckets} />
					<Marks area={area} buckets={buckets} bucketMs={bucketMs} marks={marks} />
				</>
			)}
		</ChartFrame>
	);
}

/** The words of the lines, each once, with how often it is there. */
function MarkLegend({ marks }: { marks: readonly ChartMark[] }): JSX.Element {
	const counts = new Map<string, number>();
	for (const { state } of marks) counts.set(state, (counts.get(state) ?? 0) + 1);
	return (
		<>
			{[...counts].map(([state, count]) => (
				<span class={`legend line ${marks.find((mark) => mark.state === state)?.health}`}>
					{visibleLine(state)}
					{count > 1 && ` ${formatCount(count)} times`}
				</span>
			))}
		</>
	);
}

function Marks({ area, buckets, bucketMs, marks = [] }: VolumeProps & AxisProps): JSX.Element {
	const begin = buckets[0]?.at ?? 0;
	return (
		<>
			{marks.map(({ at, health }) => {
				const x = area.x((at - begin) / bucketMs);
				if (x < area.left || x > area.width) return null;
				return <line class={`mark ${health}`} x1={x} x2={x} y1={0} y2={area.height - area.bottom} />;
			})}
		</>
	);
}

interface BarsProps {
	readonly area: ChartArea;
	readonly bars: readonly Pick<VolumeBucket, 'count' | 'errors'>[];
	readonly ticks: readonly number[];
	/** Room between two bars, in pixels. */
	readonly gap: number;
}

/** A bar for each step, in it the part that failed. */
function Bars({ area, bars, ticks, gap }: BarsProps): JSX.Element {
	const most = Math.max(1, ...bars.map(({ count }) => count));
	const room = area.height - area.bottom - TOP;
	return (
		<>
			<Ticks area={area} ticks={ticks} y={(value) => TOP + (1 - value / most) * room} text={formatCount} />
			{bars.map(({ count, errors }, at) => {
				if (count === 0) return null;
				const height = Math.max(2, (count / most) * room);
				const red = errors === 0 ? 0 : Math.max(1, (errors / count) * height);
				const place = { x: area.x(at) + gap / 2, width: Math.max(1, area.step - gap) };
				return (
					<>
						<rect class="calls" {...place} y={TOP + room - height} height={height - red} />
						{red > 0 && <rect class="failed" {...place} y={TOP + room - red} height={red} />}
					</>
				);
			})}
		</>
	);
}

/** p50 as a line, a band from it to p95 and a lighter one to p99, on a logarithmic scale. */
export function LatencyChart({ buckets }: { buckets: readonly LatencyBucket[] }): JSX.Element {
	const slowest = Math.max(1, ...buckets.map(({ p99 }) => p99 ?? 0));
	const numbers = (index: number | undefined): ComponentChildren => {
		const bucket = index === undefined ? undefined : buckets[index];
		if (bucket) return <DurationNumbers durations={bucket} at={bucket.at} />;
		return (
			<>
				<span class="legend half">p50</span>
				<span class="legend band">up to p95</span>
				<span class="legend tail">up to p99</span>
			</>
		);
	};
	const label = `Latency over time; the highest p99 is ${formatMs(slowest)}`;
	return (
		<ChartFrame label={label} count={buckets.length} numbers={numbers}>
			{(area) => {
				const y = logScale(slowest, area);
				const ticks = [1, 10, 100, 1_000, 10_000, 100_000].filter((tick) => tick <= slowest * 1.3);
				return (
					<>
						<Ticks area={area} ticks={ticks} y={y} text={formatTick} />
						{buckets.map((bucket, at) => (
							<LatencyMark bucket={bucket} x={area.x(at)} width={area.step} y={y} />
						))}
						<TimeAxis area={area} buckets={buckets} />
					</>
				);
			}}
		</ChartFrame>
	);
}

interface LatencyMarkProps {
	readonly bucket: LatencyBucket;
	readonly x: number;
	readonly width: number;
	readonly y: (ms: number) => number;
}

function LatencyMark({ bucket, x, width, y }: LatencyMarkProps): JSX.Element | null {
	const { p50, p95, p99 } = bucket;
	if (p50 === null || p95 === null || p99 === null) return null;
	return (
		<>
			<rect class="tail" x={x} y={y(p99)} width={width} height={Math.max(0, y(p95) - y(p99))} />
			<rect class="band" x={x} y={y(p95)} width={width} height={Math.max(1, y(p50) - y(p95))} />
			<rect class="half" x={x} y={y(p50) - 1} width={width} height={2} />
		</>
	);
}

interface HistogramProps {
	readonly bars: readonly HistogramBar[];
	readonly all: DurationSummary;
}

/** How many calls took how long. */
export function LatencyHistogram({ bars, all }: HistogramProps): JSX.Element {
	const counts = bars.map(({ count }) => ({ count, errors: 0 }));
	const numbers = (index: number | undefined): ComponentChildren => {
		const bar = index === undefined ? undefined : bars[index];
		if (!bar) return <DurationNumbers durations={all} />;
		return (
			<>
				<span>
					{formatMs(bar.fromMs)} to {formatMs(bar.toMs)}
				</span>
				<span>
					{formatCounted(bar.count, 'call')} ({formatPercent(bar.count / Math.max(1, all.count))})
				</span>
			</>
		);
	};
	return (
		<ChartFrame label="Histogram of the latency" count={bars.length} numbers={numbers}>
			{(area) => (
				<>
					<Bars
						area={area}
						bars={counts}
						ticks={[Math.max(1, ...counts.map(({ count }) => count))]}
						gap={2}
					/>
					<BoundLabels area={area} bars={bars} />
				</>
			)}
		</ChartFrame>
	);
}

/** The least duration of each bar for which there is room. */
function BoundLabels({ area, bars }: Pick<HistogramProps, 'bars'> & { area: ChartArea }): JSX.Element {
	const every = Math.ceil(LABEL_WIDTH / area.step);
	return (
		<>
			{bars.map(({ fromMs }, at) =>
				at % every === 0 && area.x(at) + LABEL_WIDTH <= area.width ? (
					<text x={area.x(at)} y={area.height - 4}>
						{formatBound(fromMs)}
					</text>
				) : null,
			)}
		</>
	);
}

function DurationNumbers({ durations, at }: { durations: DurationSummary; at?: number }): JSX.Element {
	const { count, errors, p50, p95, p99, max } = durations;
	return (
		<>
			{at !== undefined && <span>{formatMoment(at)}</span>}
			<span>
				{formatCounted(count, 'call')}
				{errors > 0 && `, ${formatCount(errors)} failed`}
			</span>
			<span>p50 {formatMs(p50)}</span>
			<span>p95 {formatMs(p95)}</span>
			<span>p99 {formatMs(p99)}</span>
			<span>longest {formatMs(max)}</span>
		</>
	);
}

interface TicksProps {
	readonly area: ChartArea;
	readonly ticks: readonly number[];
	readonly y: (value: number) => number;
	readonly text: (value: number) => string;
}

function Ticks({ area, ticks, y, text }: TicksProps): JSX.Element {
	return (
		<>
			{ticks.map((tick) => (
				<>
					<line x1={area.left} x2={area.width} y1={y(tick)} y2={y(tick)} />
					<text x={area.left - 6} y={y(tick) + 4} text-anchor="end">
						{text(tick)}
					</text>
				</>
			))}
		</>
	);
}

function TimeAxis({ area, buckets }: AxisProps): JSX.Element {
	const [first, second, last] = [buckets[0], buckets[1], buckets.at(-1)];
	// A step ends where the next one begins.
	const end = first && second && last ? Math.min(Date.now(), last.at + second.at - first.at) : undefined;
	return (
		<>
			<text x={area.left} y={area.height - 4}>
				{first ? formatMoment(first.at) : ''}
			</text>
			<text x={area.width} y={area.height - 4} text-anchor="end">
				{end === undefined ? '' : formatMoment(end)}
			</text>
		</>
	);
}

function logScale(slowest: number, { height, bottom: axis }: ChartArea): (ms: number) => number {
	const top = Math.log10(slowest * 1.3);
	const bottom = Math.log10(0.1);
	return (ms) => 6 + (1 - (Math.log10(Math.max(0.1, ms)) - bottom) / (top - bottom)) * (height - axis - 8);
}

function stepText(ms: number): string {
	const [unit, name] = ms < 60_000 ? [1000, 's'] : ms < 3_600_000 ? [60_000, 'min'] : [3_600_000, 'h'];
	// A span that is not a whole number of steps.
	return `${Number((ms / unit).toFixed(1))} ${name}`;
}
