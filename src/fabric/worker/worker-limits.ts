/*
 * How many calls a worker runs at once: in all, for one hub, and of one tool. A call above a
 * limit is refused at once and not queued: its hub answers `not run`, and may call again.
 */
import type { FabricLimits } from '../../config/configuration.ts';
import type { WorkerFacts } from '../../hub/fabric-overview.ts';
import { matchesWildcard } from '../../trust/wildcard.ts';
import { WORKER_CALLS_LIMIT } from '../fabric-limits.ts';

/** A call of another hub. */
export interface LimitedCall {
	readonly caller: string;
	readonly tool: string;
}

/** The reasons for which a call is refused, as metrics count them. */
export const refusalKinds = [
	'draining',
	'full',
	'hub_limit',
	'tool_limit',
	'unsent',
	'expired',
	'not_offered',
	'invalid',
] as const;

/** Why a call is refused. */
export interface CallRefusal {
	readonly kind: (typeof refusalKinds)[number];
	/** A sentence for the caller. */
	readonly reason: string;
}

export class WorkerLimits {
	readonly #onFull: (isFull: boolean) => void;
	#limits: FabricLimits = {};
	readonly #byHub = new Map<string, number>();
	readonly #byTool = new Map<string, number>();
	#all = 0;
	#wasFull = false;

	/** @param onFull is called when no more calls fit, and when one fits again */
	constructor(onFull: (isFull: boolean) => void) {
		this.#onFull = onFull;
	}

	/** Use these from now on. Calls that run go on. */
	set(limits: FabricLimits): void {
		this.#limits = limits;
	}

	/** Calls that run, by the calling hub. */
	get byHub(): ReadonlyMap<string, number> {
		return this.#byHub;
	}

	/** How many calls it runs at once, of all hubs and of one; null without a configured limit. */
	get announced(): Pick<WorkerFacts, 'limit' | 'hubLimit'> {
		const { calls = WORKER_CALLS_LIMIT, perHub = null } = this.#limits;
		return { limit: Object.keys(this.#limits).length > 0 ? calls : null, hubLimit: perHub };
	}

	get isFull(): boolean {
		return this.#all >= (this.#limits.calls ?? WORKER_CALLS_LIMIT);
	}

	/** Why one more call may not run; undefined when it may. */
	refusal({ caller, tool }: LimitedCall): CallRefusal | undefined {
		const { perHub, perTool = {} } = this.#limits;
		if (this.isFull) return { kind: 'full', reason: `the worker runs ${this.#all} calls already` };
		if (perHub !== undefined && (this.#byHub.get(caller) ?? 0) >= perHub)
			return { kind: 'hub_limit', reason: `the worker runs ${perHub} calls of ${caller} already` };
		for (const [pattern, most] of Object.entries(perTool))
			if (matchesWildcard(pattern, tool) && (this.#byTool.get(tool) ?? 0) >= most)
				return { kind: 'tool_limit', reason: `the worker runs ${tool} ${most} times already` };
		return undefined;
	}

	begin(call: LimitedCall): void {
		this.#change(call, 1);
	}

	end(call: LimitedCall): void {
		this.#change(call, -1);
	}

	#change({ caller, tool }: LimitedCall, by: number): void {
		this.#all += by;
		change(this.#byHub, caller, by);
		change(this.#byTool, tool, by);
		const { isFull } = this;
		if (isFull !== this.#wasFull) this.#onFull(isFull);
		this.#wasFull = isFull;
	}
}

function change(counts: Map<string, number>, key: string, by: number): void {
	const next = (counts.get(key) ?? 0) + by;
	if (next > 0) counts.set(key, next);
	else counts.delete(key);
}
