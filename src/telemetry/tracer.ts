/*
 * Makes spans, and hands the ended ones to an exporter.
 *
 * The sampled flag of the parent decides: without it there is no span, and the
 * `traceparent` of the client is passed on as it is. A trace that begins here is sampled.
 */
import { TRACER_DRIFT_MS } from './telemetry-limits.ts';
import { formatTraceparent, parseTraceparent, randomHex, type TraceParent } from './traceparent.ts';

/** The numbers of OTLP. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;

export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

/** A span that has ended. Times are milliseconds since 1970, with fractions. */
export interface Span {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId: string | undefined;
	readonly name: string;
	readonly kind: (typeof spanKinds)[keyof typeof spanKinds];
	readonly startMs: number;
	readonly endMs: number;
	readonly attributes: SpanAttributes;
	/** The error; undefined when there is none. */
	readonly error?: string | undefined;
}

/** The counts of exported and dropped spans. */
export interface ExportCounts {
	readonly exported: number;
	/** The queue was full, or the collector did not take them. */
	readonly dropped: number;
}

/** Takes ended spans. Another implementation may use the official packages. */
export interface SpanExporter {
	readonly counts: ExportCounts;
	/** Never throws and never waits. */
	export(span: Span): void;
	/** Send what is left, within a bound. Idempotent; never rejects. */
	close(): Promise<void>;
}

/** How a span begins. */
export type SpanBeginning = Pick<Span, 'name' | 'kind'> & {
	readonly attributes?: SpanAttributes;
	/** Default: now. */
	readonly startMs?: number;
};

/** How a span ends. */
export interface SpanEnding {
	readonly attributes?: SpanAttributes;
	readonly error?: string | undefined;
	/** Default: now. */
	readonly endMs?: number;
}

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export class Tracer {
	readonly #exporter: SpanExporter;
	#originMs = performance.timeOrigin;

	constructor(exporter: SpanExporter) {
		this.#exporter = exporter;
	}

	get counts(): ExportCounts {
		return this.#exporter.counts;
	}

	/** Milliseconds since 1970 with fractions, rising within a trace. */
	now(): number {
		const elapsed = performance.now();
		if (Math.abs(Date.now() - this.#originMs - elapsed) > TRACER_DRIFT_MS)
			this.#originMs = Date.now() - elapsed;
		return this.#originMs + elapsed;
	}

	/** Continue the trace of a message, or begin one. Undefined when the sender does not record the trace. */
	receive(traceparent: unknown, beginning: SpanBeginning): OpenSpan | undefined {
		const parent = parseTraceparent(traceparent);
		if (parent?.isSampled === false) return undefined;
		return new OpenSpan(this, parent, beginning);
	}

	/** A span ended: pass it to the exporter. */
	ended(span: Span): void {
		this.#exporter.export(span);
	}

	/** Send what is left. */
	close(): Promise<void> {
		return this.#exporter.close();
	}
}

/** A span that has not ended. */
export class OpenSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly #tracer: Tracer;
	readonly #beginning: SpanBeginning & { startMs: number };
	readonly #parentSpanId: string | undefined;
	#isEnded = false;

	constructor(
		tracer: Tracer,
		parent: Pick<TraceParent, 'traceId' | 'spanId'> | undefined,
		beginning: SpanBeginning,
	) {
		this.#tracer = tracer;
		this.traceId = parent?.traceId ?? randomHex(TRACE_ID_BYTES);
		this.spanId = randomHex(SPAN_ID_BYTES);
		this.#parentSpanId = parent?.spanId;
		this.#beginning = { ...beginning, startMs: beginning.startMs ?? tracer.now() };
	}

	/** The `traceparent` of messages that this span sends. */
	get traceparent(): string {
		return formatTraceparent(this);
	}

	child(beginning: SpanBeginning): OpenSpan {
		return new OpenSpan(this.#tracer, this, beginning);
	}

	/** Only the first end counts. */
	end({ attributes, error, endMs = this.#tracer.now() }: SpanEnding = {}): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		const { name, kind, startMs, attributes: known } = this.#beginning;
		const { traceId, spanId } = this;
		const ids = { traceId, spanId, parentSpanId: this.#parentSpanId };
		const times = { startMs, endMs: Math.max(startMs, endMs) };
		this.#tracer.ended({ ...ids, name, kind, ...times, attributes: { ...known, ...attributes }, error });
	}
}
