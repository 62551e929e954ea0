/* A histogram with fixed upper bounds, as Prometheus and OpenTelemetry count them. */

/** Upper bounds in seconds that the OpenTelemetry conventions for MCP recommend for durations. */
export const durationBounds: readonly number[] = [
	0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
];

export class Histogram {
	readonly bounds: readonly number[];
	readonly #counts: number[];
	#sum = 0;
	#count = 0;

	/** @param bounds rising */
	constructor(bounds: readonly number[]) {
		this.bounds = bounds;
		this.#counts = bounds.map(() => 0);
	}

	get sum(): number {
		return this.#sum;
	}

	get count(): number {
		return this.#count;
	}

	/** The number of values up to each bound. */
	get cumulative(): number[] {
		let total = 0;
		return this.#counts.map((count) => (total += count));
	}

	/** Anything that is no finite number is ignored. */
	observe(value: number): void {
		if (!Number.isFinite(value)) return;
		this.#sum += value;
		this.#count++;
		const at = this.bounds.findIndex((bound) => value <= bound);
		if (at !== -1) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
	}
}
