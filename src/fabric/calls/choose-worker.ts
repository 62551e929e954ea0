/*
 * Which worker gets a call. Pure.
 *
 * The NATS server chooses one of the equal workers, and does not know how busy they are. So
 * the hub chooses, and sends the call to one worker alone, when a rule names labels or when
 * a worker of the group has announced a limit: of the workers with the required labels, one
 * that is not full before a full one, then one with the preferred labels, then the one with
 * the fewest calls. A worker that is gone, or whose presence is late, is chosen only when there
 * is no other.
 *
 * What is known of the load is a few hundred milliseconds old, so a worker may still refuse
 * a call. A refused call is not sent to another worker: the caller decides.
 */
import type { FabricRule } from '../../config/configuration.ts';
import type { WorkerFacts } from '../../hub/fabric-overview.ts';
import { PRESENCE_LATE_MS } from '../fabric-limits.ts';

/** A worker that may be chosen. */
export interface WorkerCandidate extends WorkerFacts {
	/** When its presence was last heard, on the same clock as `now`. */
	readonly heardAt: number;
	/** Calls of this hub that it has. */
	readonly inFlight: number;
	/** It was not connected, and has said nothing since. */
	readonly isAbsent: boolean;
	/** It refused a call of the same tool a moment ago. */
	readonly hasRefused: boolean;
}

/** A worker by name; `any` when the server may choose; otherwise why none can be used. */
export type WorkerChoice = { readonly worker: string } | 'any' | { readonly reason: string };

export function chooseWorker(
	candidates: readonly WorkerCandidate[],
	{ require, prefer }: Pick<FabricRule, 'require' | 'prefer'>,
	now: number,
): WorkerChoice {
	const present = candidates.filter(({ isDraining }) => !isDraining);
	const able = present.filter(({ labels }) => hasAll(labels, require));
	if (able.length === 0) return { reason: missing(present, require) };
	const isPreferred = ({ labels }: WorkerCandidate): boolean => prefer.length > 0 && hasAll(labels, prefer);
	const hasReason = able.some((worker) => isPreferred(worker) || hasLimit(worker));
	if (require.length === 0 && !hasReason) return 'any';
	const rankOf = (worker: WorkerCandidate): Rank => [
		worker.isAbsent || now - worker.heardAt >= PRESENCE_LATE_MS,
		isFull(worker),
		!isPreferred(worker),
		loadOf(worker),
	];
	let best: { readonly worker: string; readonly rank: Rank } | undefined;
	for (const worker of able) {
		// An earlier version receives only what the server gives it.
		if (worker.version === null) continue;
		const rank = rankOf(worker);
		if (best === undefined || isBefore(rank, best.rank)) best = { worker: worker.name, rank };
	}
	return best === undefined ? 'any' : { worker: best.worker };
}

/** What speaks against a worker, the most important first. */
type Rank = readonly (boolean | number)[];

function hasAll(labels: readonly string[], wanted: readonly string[]): boolean {
	return wanted.every((label) => labels.includes(label));
}

function hasLimit({ limit, hubLimit }: WorkerCandidate): boolean {
	return limit !== null || hubLimit !== null;
}

/** Calls of all hubs: those that it announced may be fewer than this hub alone has there by now. */
function loadOf({ running, inFlight }: WorkerCandidate): number {
	return Math.max(running, inFlight);
}

function isFull(worker: WorkerCandidate): boolean {
	const { limit, hubLimit, inFlight, hasRefused } = worker;
	return hasRefused || loadOf(worker) >= (limit ?? Infinity) || inFlight >= (hubLimit ?? Infinity);
}

function isBefore(one: Rank, other: Rank): boolean {
	const at = one.findIndex((value, index) => value !== other[index]);
	return Number(one[at]) < Number(other[at]);
}

function missing(present: readonly WorkerCandidate[], require: readonly string[]): string {
	const wanted = `the ${require.length === 1 ? 'label' : 'labels'} ${require.join(', ')}`;
	const count =
		present.length === 1 ? 'its one worker does not have' : `none of its ${present.length} workers has`;
	return present.length === 0 ? 'no worker offers it now' : `${count} ${wanted}`;
}
