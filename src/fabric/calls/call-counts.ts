/* What became of the calls of this hub, by worker, and the last that failed. */
import type { FabricFailure } from '../../hub/fabric-overview.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { COUNTED_WORKERS, SHOWN_FAILURES_LIMIT } from '../fabric-limits.ts';

/** Calls of one worker. */
export interface WorkerCalls {
	/** Accepted. */
	calls: number;
	inFlight: number;
	unknown: number;
}

const none: Readonly<WorkerCalls> = { calls: 0, inFlight: 0, unknown: 0 };

export class CallCounts {
	/** Workers that are long gone are forgotten first. */
	readonly #workers = new BoundedMap<string, WorkerCalls>(COUNTED_WORKERS);
	readonly #failures: FabricFailure[] = [];
	/** Since the start, by outcome. */
	readonly failed: Record<FabricFailure['outcome'], number> = { not_run: 0, unknown: 0, ran: 0 };

	of(worker: string): Readonly<WorkerCalls> {
		return this.#workers.get(worker) ?? none;
	}

	/** The newest first. */
	get failures(): readonly FabricFailure[] {
		return this.#failures;
	}

	/** A worker has a call: it accepted it, or it is sent to it alone. */
	begin(worker: string): WorkerCalls {
		const counts = this.#workers.get(worker) ?? { ...none };
		this.#workers.set(worker, counts);
		counts.calls++;
		counts.inFlight++;
		return counts;
	}

	fail(failure: FabricFailure): void {
		this.failed[failure.outcome]++;
		this.#failures.unshift(failure);
		if (this.#failures.length > SHOWN_FAILURES_LIMIT) this.#failures.pop();
	}
}
