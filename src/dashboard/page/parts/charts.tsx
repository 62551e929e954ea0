/* Small charts as SVG: attributes only, because the page's policy forbids inline styles. */
import type { JSX } from 'preact';
import type { CallPhaseRow, LatencyBucket } from '../../api-calls.ts';
import { formatCount, formatMs, formatTime } from '../text/quantities.ts';
import { attributeText, VisibleText } from '../text/visible-text.tsx';

/** A row of bars, one per minute. */
export function SparkBars({ values, label }: { values: readonly number[]; label: string }): JSX.Element {
	const most = Math.max(1, ...values);
	return (
		<svg
			class="spark"
			viewBox={`0 0 ${values.length * 4} 20`}
			preserveAspectRatio="none"
			role="img"
			aria-label={label}
		>
			<title>{label}</title>
			{values.map((value, at) => {
				const height = value === 0 ? 1 : 2 + (value / most) * 18;
				return (
					<rect class={value === 0 ? 'none' : 'some'} x={at * 4} y={20 - height} width={3} height={height} />
				);
			})}
		</svg>
	);
}

const WIDTH = 600;
const HEIGHT = 120;
const LEFT = 46;
const BOTTOM = 16;

/** p50 and p95 over time on a logarithmic scale, and the failed calls at the bottom. */
export function LatencyChart({ buckets }: { buckets: readonly LatencyBucket[] }): JSX.Element {
	const slowest = Math.max(1, ...buckets.map(({ p95 }) => p95 ?? 0));
	const scale = scaleTo(slowest);
	const step = (WIDTH - LEFT) / Math.max(1, buckets.length);
	const x = (at: number): number => LEFT + (at + 0.5) * step;
	const first = buckets[0];
	const last = buckets.at(-1);
	return (
		<svg class="latency" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={latencyLabel(buckets)}>
			{scale.ticks.map((tick) => (
				<g class="tick">
					<line x1={LEFT} x2={WIDTH} y1={scale.y(tick)} y2={scale.y(tick)} />
					<text x={LEFT - 5} y={scale.y(tick) + 3} text-anchor="end">
						{formatMs(tick)}
					</text>
				</g>
			))}
			{buckets.map((bucket, at) => (
				<Bucket bucket={bucket} x={x(at)} width={Math.max(1, step - 1)} y={scale.y} />
			))}
			<text class="axis" x={LEFT} y={HEIGHT - 4}>
				{first ? formatTime(first.at).slice(0, -4) : ''}
			</text>
			<text class="axis" x={WIDTH} y={HEIGHT - 4} text-anchor="end">
				{last ? formatTime(last.at).slice(0, -4) : ''}
			</text>
		</svg>
	);
}

interface BucketProps {
	readonly bucket: LatencyBucket;
	readonly x: number;
	readonly width: number;
	readonly y: (ms: number) => number;
}

/** A bar from p50 to p95, a line at p50. */
function Bucket({ bucket, x, width, y }: BucketProps): JSX.Element | null {
	const { p50, p95, count, errors, at } = bucket;
	if (p50 === null || p95 === null) return null;
	const top = y(p95);
	return (
		<g class="bucket">
			<title>{`${formatTime(at)}: ${formatCount(count)} calls, ${formatCount(errors)} failed, half below ${formatMs(p50)}, 95 % below ${formatMs(p95)}`}</title>
			<rect class="range" x={x - width / 2} y={top} width={width} height={Math.max(2, y(p50) - top)} />
			<rect class="half" x={x - width / 2} y={y(p50) - 1} width={width} height={2} />
			{errors > 0 && (
				<rect class="errors" x={x - width / 2} y={HEIGHT - BOTTOM - 3} width={width} height={3} />
			)}
		</g>
	);
}

function scaleTo(slowest: number): { ticks: number[]; y: (ms: number) => number } {
	const top = Math.log10(slowest * 1.3);
	const bottom = Math.log10(0.1);
	const y = (ms: number): number =>
		6 + (1 - (Math.log10(Math.max(0.1, ms)) - bottom) / (top - bottom)) * (HEIGHT - BOTTOM - 8);
	const ticks = [1, 10, 100, 1_000, 10_000, 100_000].filter((tick) => tick <= slowest * 1.3);
	return { ticks, y };
}

function latencyLabel(buckets: readonly LatencyBucket[]): string {
	const calls = buckets.reduce((sum, { count }) => sum + count, 0);
	const slowest = Math.max(0, ...buckets.map(({ p95 }) => p95 ?? 0));
	return `Latency of ${formatCount(calls)} calls; the highest p95 is ${formatMs(slowest)}`;
}

/** The phases of a call, each where it was in time. */
export function PhaseWaterfall({ phases }: { phases: readonly CallPhaseRow[] }): JSX.Element {
	const total = Math.max(0.001, ...phases.map(({ startMs, ms }) => startMs + ms));
	return (
		<ol class="waterfall" aria-label="Phases">
			{phases.map(({ name, startMs, ms }) => (
				<li title={attributeText(`${name}: from ${formatMs(startMs)}, for ${formatMs(ms)}`)}>
					<span>
						<VisibleText text={name} isLine />
					</span>
					<svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
						<rect class="track" x={0} y={0} width={1000} height={10} />
						<rect
							class={`phase ${/^\w+$/.test(name) ? name : ''}`}
							x={(startMs / total) * 1000}
							y={0}
							width={Math.max(4, (ms / total) * 1000)}
							height={10}
						/>
					</svg>
					<span class="number">{formatMs(ms)}</span>
				</li>
			))}
		</ol>
	);
}
