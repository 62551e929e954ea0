/* What observes a call while it runs. */

/** A part of the time of a call: waiting for a person, in the queue of its source, for the start of its process. */
export type CallPhase = 'approval' | 'queue' | 'start';

/** Sees the progress and log notifications of a call, whether or not its client wants them. */
export type NotificationListener = (method: string, params: Readonly<Record<string, unknown>>) => void;

/** Records where the time of a call is spent, when traces are exported. */
export interface CallTracer {
	readonly traceId: string;
	/** A phase has ended. */
	spent(phase: CallPhase, ms: number): void;
	/** The request to the source is sent now. Returns its `traceparent`. */
	sent(): string;
}
