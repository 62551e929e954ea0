/*
 * The metrics of one process: counters, gauges and histograms by labels.
 *
 * Labels come from clients and servers (the names of tools), so the series of a metric
 * are bounded: above the limit all new label sets share one series, as the OpenTelemetry
 * specification demands. Nothing is computed until the text is requested.
 */
import { Histogram } from './histogram.ts';
import { type Labels, type Metric, type MetricAbout, metricText, type Sample } from './prometheus-text.ts';
import { SERIES_LIMIT } from './telemetry-limits.ts';

/** The label of the series for everything above the limit. */
const overflow: Labels = { otel_metric_overflow: 'true' };
const SEPARATOR = '\0';

/** A metric that is added to. */
export interface Counter {
	add(labels: Labels, amount?: number): void;
	/** The series of these labels, for adding to it often. */
	series(labels: Labels): { value: number };
}

/** A metric of durations or sizes. */
export interface Distribution {
	observe(labels: Labels, value: number): void;
	/** The series of these labels, for observing often. */
	series(labels: Labels): Pick<Histogram, 'observe'>;
}

export class MetricRegistry {
	readonly #metrics: Metric[] = [];
	readonly #seriesLimit: number;

	constructor(seriesLimit: number = SERIES_LIMIT) {
		this.#seriesLimit = seriesLimit;
	}

	/** @param about the name ends with `_total` */
	counter(about: MetricAbout): Counter {
		const series = new Series(this.#seriesLimit, () => ({ value: 0 }));
		const samples = (): Sample[] => series.all.map(([labels, { value }]) => ({ labels, value }));
		this.#metrics.push({ ...about, kind: 'counter', samples });
		return {
			add: (labels, amount = 1) => void (series.of(labels).value += amount),
			series: (labels) => series.of(labels),
		};
	}

	histogram(about: MetricAbout, bounds: readonly number[]): Distribution {
		const series = new Series(this.#seriesLimit, () => new Histogram(bounds));
		const samples = (): Sample[] => series.all.map(([labels, histogram]) => ({ labels, histogram }));
		this.#metrics.push({ ...about, kind: 'histogram', samples });
		return {
			observe: (labels, value) => series.of(labels).observe(value),
			series: (labels) => series.of(labels),
		};
	}

	/**
	 * A metric whose values are read when the text is requested: a counter when its name ends with `_total`, else a
	 * gauge. A value that is no number is left out.
	 */
	observed(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void {
		const samples = (): Sample[] => {
			const series = new Series(this.#seriesLimit, () => ({ value: 0 }));
			for (const [labels, value] of read()) if (Number.isFinite(value)) series.of(labels).value += value;
			return series.all.map(([labels, { value }]) => ({ labels, value }));
		};
		this.#metrics.push({ name, help, kind: name.endsWith('_total') ? 'counter' : 'gauge', samples });
	}

	/** All metrics in the Prometheus text format, version 0.0.4. */
	text(): string {
		return this.#metrics.map(metricText).join('');
	}
}

/** The values of a metric by their labels, bounded. */
class Series<T> {
	readonly #limit: number;
	readonly #make: () => T;
	readonly #values = new Map<string, [Labels, T]>();

	constructor(limit: number, make: () => T) {
		this.#limit = limit;
		this.#make = make;
	}

	get all(): readonly [Labels, T][] {
		return [...this.#values.values()];
	}

	of(labels: Labels): T {
		const known = this.#values.get(keyOf(labels));
		if (known) return known[1];
		const remaining = this.#values.size >= this.#limit - 1 ? overflow : labels;
		const shared = this.#values.get(keyOf(remaining));
		if (shared) return shared[1];
		const value = this.#make();
		this.#values.set(keyOf(remaining), [remaining, value]);
		return value;
	}
}

function keyOf(labels: Labels): string {
	let key = '';
	for (const name in labels)
		if (labels[name] !== undefined) key += name + SEPARATOR + labels[name] + SEPARATOR;
	return key;
}
