/* One metric in the Prometheus text format, version 0.0.4. */
import type { Histogram } from './histogram.ts';
import { LABEL_CHARACTERS } from './telemetry-limits.ts';

/** The content type of the text. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type MetricKind = 'counter' | 'gauge' | 'histogram';

/** Label values by name. An undefined label is left out. */
export type Labels = Readonly<Record<string, string | undefined>>;

/** One series: a value or a histogram. */
export type Sample = { readonly labels: Labels } & (
	| { readonly value: number }
	| { readonly histogram: Histogram }
);

/** The name, and a sentence about what is counted. */
export interface MetricAbout {
	readonly name: string;
	readonly help: string;
}

export interface Metric extends MetricAbout {
	readonly kind: MetricKind;
	samples(): readonly Sample[];
}

/** The lines of a metric; empty when it has no series. */
export function metricText({ name, help, kind, ...metric }: Metric): string {
	const samples = metric.samples();
	if (samples.length === 0) return '';
	const about = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${kind}\n`;
	return about + samples.map((sample) => sampleText(name, sample)).join('');
}

function sampleText(name: string, sample: Sample): string {
	const { labels } = sample;
	if ('value' in sample) return `${name}${labelText(labels)} ${sample.value}\n`;
	const { bounds, cumulative, count, sum } = sample.histogram;
	const buckets = bounds.map(
		(bound, at) => `${name}_bucket${labelText(labels, String(bound))} ${cumulative[at]}\n`,
	);
	const total = `${name}_bucket${labelText(labels, '+Inf')} ${count}\n`;
	return `${buckets.join('')}${total}${name}_sum${labelText(labels)} ${sum}\n${name}_count${labelText(labels)} ${count}\n`;
}

/** @param bound the upper bound of a bucket */
function labelText(labels: Labels, bound?: string): string {
	const pairs = Object.entries(labels).flatMap(([name, value]) =>
		value === undefined ? [] : [`${name}="${escapeLabel(value)}"`],
	);
	if (bound !== undefined) pairs.push(`le="${bound}"`);
	return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
	const remaining = value.length > LABEL_CHARACTERS ? `${value.slice(0, LABEL_CHARACTERS)}…` : value;
	return remaining.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapeHelp(text: string): string {
	return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
