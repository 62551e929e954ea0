/* What observes a call while it runs. */

/** A part of the time of a call: waiting for a user, in the queue of its source, for the start of its process. */
export type CallPhase = 'approval' | 'queue' | 'start';

/** Sees the progress and log notifications of a call, whether or not its client wants them. */
export type NotificationListener = (method: string, params: Readonly<Record<string, unknown>>) => void;

/** A call that goes on when its client is gone: it may become a task, or is one. */
export interface Durability {
	/** Whether its client gets a task; false when the call is only stored for it. */
	readonly isTask: boolean;
	/** Longest time of the call, with or without progress, in milliseconds. */
	readonly maxMs: number;
	/** Whether its client, or the one that follows the task, can get client requests now. */
	readonly isOpen: boolean;
	/** The task of the server that an earlier process followed: the call was sent, and is not sent again. */
	readonly sentAs?: string | undefined;
	/** Whether this process ends and leaves the task to the next: where it runs, it must not be canceled. */
	readonly isLeft: boolean;
	/** The server made a task of its own, with this id. */
	begunUpstream(id: string): void;
	/** A process that goes on without this one runs the call; a later hub finds it there by this text. */
	runsElsewhere(at: string): void;
	/** Take the status message of the server. */
	says(message: string): void;
}

/** A program of the client, which makes calls in its name: of the call that runs it, and of its own calls. */
export interface PlanOfCall {
	readonly id: string;
	/** The approval of a user before it ran: all its calls of these tools, while the policy is the one of this version. */
	readonly approval?:
		| {
				readonly tools: readonly string[];
				/** Those of them that claimed to be destructive. */
				readonly destructive: readonly string[];
				readonly policyVersion: string;
		  }
		| undefined;
	/** The decision of the policy about the program, in the call that runs it. */
	readonly decision?: { readonly policy: string; readonly rule: string | undefined } | undefined;
}

/** Records where the time of a call is spent, when traces are exported. */
export interface CallTracer {
	readonly traceId: string;
	/** A phase has ended. */
	spent(phase: CallPhase, ms: number): void;
	/** The request to the source is sent now. Returns its `traceparent`. */
	sent(): string;
}

/** Where a call spends its time before its run. Most calls have no phase, and so no such object. */
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
