/*
 * Which worker gets a call that has a rule about labels. Pure.
 *
 * Without a rule the NATS server chooses one of the equal workers. With a rule the hub does,
 * and sends the call to that worker alone: of the workers that have the required labels,
 * those with the preferred ones, and of these the one with the fewest calls of this hub in
 * flight. A worker whose presence is late is chosen only when there is no other.
 */
import type { FabricRule } from '../../config/configuration.ts';
import { PRESENCE_LATE_MS } from '../fabric-limits.ts';

/** A worker that may be chosen. */
export interface WorkerCandidate {
	readonly name: string;
	readonly labels: readonly string[];
	readonly isDraining: boolean;
	/** When its presence was last heard, on the same clock as `now`. */
	readonly heardAt: number;
	/** Calls of this hub that it has. */
	readonly inFlight: number;
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
	const preferred = prefer.length === 0 ? [] : able.filter(({ labels }) => hasAll(labels, prefer));
	if (preferred.length === 0 && require.length === 0) return 'any';
	const chosen = preferred.length > 0 ? preferred : able;
	const fresh = chosen.filter(({ heardAt }) => now - heardAt < PRESENCE_LATE_MS);
	const [first, ...more] = fresh.length > 0 ? fresh : chosen;
	const least = more.reduce((best, each) => (each.inFlight < (best?.inFlight ?? 0) ? each : best), first);
	return least === undefined ? 'any' : { worker: least.name };
}

function hasAll(labels: readonly string[], wanted: readonly string[]): boolean {
	return wanted.every((label) => labels.includes(label));
}

function missing(present: readonly WorkerCandidate[], require: readonly string[]): string {
	const wanted = `the ${require.length === 1 ? 'label' : 'labels'} ${require.join(', ')}`;
	const count =
		present.length === 1 ? 'its one worker does not have' : `none of its ${present.length} workers has`;
	return present.length === 0 ? 'no worker offers it now' : `${count} ${wanted}`;
}
