/* Where a call spends its time before its run. Most calls have no phase, and so no such object. */
import type { CallPhase, CallTracer } from './call-observers.ts';

export class CallPhases {
	/** Milliseconds by phase, of those that ended. */
	readonly spent: Partial<Record<CallPhase, number>> = {};
	#current: { readonly name: CallPhase; readonly since: number } | undefined;

	/** The phase that the call is in, and for how long; undefined while it runs. */
	get current(): { readonly name: CallPhase; readonly ms: number } | undefined {
		return this.#current && { name: this.#current.name, ms: performance.now() - this.#current.since };
	}

	/** Begin a phase. Call the returned function when it ends. */
	enter(name: CallPhase, tracer: CallTracer | undefined): () => void {
		const phase = { name, since: performance.now() };
		this.#current = phase;
		return () => {
			if (this.#current === phase) this.#current = undefined;
			const ms = performance.now() - phase.since;
			this.spent[name] = (this.spent[name] ?? 0) + ms;
			tracer?.spent(name, ms);
		};
	}
}
