/*
 * How many calls a worker runs at once: in all, for one hub, and of one tool. A call above a
 * limit is refused at once and not queued: its hub answers `not run`, and may call again.
 */
import type { FabricLimits } from '../../config/configuration.ts';
import { matchesWildcard } from '../../trust/wildcard.ts';
import { WORKER_CALLS_LIMIT } from '../fabric-limits.ts';

/** A call of another hub. */
export interface LimitedCall {
	readonly caller: string;
	readonly tool: string;
}

/** Why a call is refused: a word for metrics, and a sentence. */
export interface CallRefusal {
	readonly kind:
		| 'draining'
		| 'full'
		| 'hub_limit'
		| 'tool_limit'
		| 'unsent'
		| 'expired'
		| 'not_offered'
		| 'invalid';
	readonly reason: string;
}

export class WorkerLimits {
	#limits: FabricLimits = {};
	readonly #byHub = new Map<string, number>();
	readonly #byTool = new Map<string, number>();
	#all = 0;

	/** Use these from now on. Calls that run go on. */
	set(limits: FabricLimits): void {
		this.#limits = limits;
	}

	/** Calls that run, by the calling hub. */
	get byHub(): ReadonlyMap<string, number> {
		return this.#byHub;
	}

	/** Why one more call may not run; undefined when it may. */
	refusal({ caller, tool }: LimitedCall): CallRefusal | undefined {
		const { calls = WORKER_CALLS_LIMIT, perHub, perTool = {} } = this.#limits;
		if (this.#all >= calls) return { kind: 'full', reason: `the worker runs ${calls} calls already` };
		if (perHub !== undefined && (this.#byHub.get(caller) ?? 0) >= perHub)
			return { kind: 'hub_limit', reason: `the worker runs ${perHub} calls of ${caller} already` };
		for (const [pattern, most] of Object.entries(perTool))
			if (matchesWildcard(pattern, tool) && (this.#byTool.get(tool) ?? 0) >= most)
				return { kind: 'tool_limit', reason: `the worker runs ${tool} ${most} times already` };
		return undefined;
	}

	begin({ caller, tool }: LimitedCall): void {
		this.#all++;
		change(this.#byHub, caller, 1);
		change(this.#byTool, tool, 1);
	}

	end({ caller, tool }: LimitedCall): void {
		this.#all--;
		change(this.#byHub, caller, -1);
		change(this.#byTool, tool, -1);
	}
}

function change(counts: Map<string, number>, key: string, by: number): void {
	const next = (counts.get(key) ?? 0) + by;
	if (next > 0) counts.set(key, next);
	else counts.delete(key);
}
