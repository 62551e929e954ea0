/*
 * Durations in logarithmic bins: percentiles without sorting and without keeping the values.
 *
 * A percentile is exact to about 12 %.
 */
import type { DurationSummary, HistogramBar } from '../api/api-calls.ts';

/** Bins per doubling of the duration. */
const BINS_PER_OCTAVE = 6;
const OCTAVES = 24;
const BINS = OCTAVES * BINS_PER_OCTAVE;

export class LatencyBins {
	readonly #counts = new Uint32Array(BINS);
	#count = 0;
	#errors = 0;
	#max = 0;

	add(ms: number, isFailed: boolean): void {
		const bin = Math.min(BINS - 1, Math.floor(Math.log2(ms + 1) * BINS_PER_OCTAVE));
		this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
		this.#count++;
		if (isFailed) this.#errors++;
		if (ms > this.#max) this.#max = ms;
	}

	summary(): DurationSummary {
		const isEmpty = this.#count === 0;
		return {
			count: this.#count,
			errors: this.#errors,
			p50: isEmpty ? null : this.#percentile(0.5),
			p95: isEmpty ? null : this.#percentile(0.95),
			p99: isEmpty ? null : this.#percentile(0.99),
			max: isEmpty ? null : tenths(this.#max),
		};
	}

	/** One bar for each doubling, from the first to the last that has calls. */
	histogram(): HistogramBar[] {
		const bars = Array.from({ length: OCTAVES }, (_, octave) => ({
			fromMs: 2 ** octave - 1,
			toMs: 2 ** (octave + 1) - 1,
			count: sumOf(this.#counts.subarray(octave * BINS_PER_OCTAVE, (octave + 1) * BINS_PER_OCTAVE)),
		}));
		const first = bars.findIndex(({ count }) => count > 0);
		const last = bars.findLastIndex(({ count }) => count > 0);
		return first === -1 ? [] : bars.slice(first, last + 1);
	}

	/** The middle of the bin that holds it. */
	#percentile(part: number): number {
		let rest = Math.ceil(this.#count * part);
		const bin = this.#counts.findIndex((count) => (rest -= count) <= 0);
		return tenths(Math.min(this.#max, 2 ** ((bin + 0.5) / BINS_PER_OCTAVE) - 1));
	}
}

function sumOf(values: Uint32Array): number {
	return values.reduce((sum, value) => sum + value, 0);
}

function tenths(ms: number): number {
	return Math.round(ms * 10) / 10;
}
