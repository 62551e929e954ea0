/*
 * Sends spans to a collector over OTLP/HTTP, as JSON.
 *
 * Small and our own: the official exporter needs a later Node than we support. Spans wait
 * in a bounded queue and are sent in batches, one request at a time. A batch that the
 * collector does not take is dropped and counted: a call never waits for telemetry, and
 * an exit waits for at most `EXPORT_EXIT_MS`.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ExportSettings } from './export-settings.ts';
import { otlpBody } from './otlp-json.ts';
import { EXPORT_BATCH_MS, EXPORT_BATCH_SPANS, EXPORT_EXIT_MS, QUEUE_SPANS } from './telemetry-limits.ts';
import type { ExportCounts, Span, SpanExporter } from './tracer.ts';

export class OtlpExporter implements SpanExporter {
	readonly #settings: ExportSettings;
	readonly #version: string;
	readonly #log: Pick<Log, 'warn' | 'info'>;
	readonly #closing = new AbortController();
	#queue: Span[] = [];
	#timer: ReturnType<typeof setTimeout> | undefined;
	/** Whether the timer waits for more spans. */
	#isPatient = false;
	#sending: Promise<void> | undefined;
	#closed: Promise<void> | undefined;
	#exported = 0;
	#dropped = 0;
	#isFailing = false;

	/** @param version of this program */
	constructor(settings: ExportSettings, version: string, log: Pick<Log, 'warn' | 'info'>) {
		this.#settings = settings;
		this.#version = version;
		this.#log = log;
	}

	get counts(): ExportCounts {
		return { exported: this.#exported, dropped: this.#dropped };
	}

	export(span: Span): void {
		if (this.#queue.length >= QUEUE_SPANS || this.#closed) {
			this.#dropped++;
			return;
		}
		this.#queue.push(span);
		this.#schedule();
	}

	close(): Promise<void> {
		this.#closed ??= this.#close();
		return this.#closed;
	}

	async #close(): Promise<void> {
		clearTimeout(this.#timer);
		if (this.#queue.length === 0 && this.#sending === undefined) return;
		const late = setTimeout(() => this.#closing.abort(), EXPORT_EXIT_MS);
		await this.#sending;
		await this.#sendAll();
		clearTimeout(late);
	}

	/** A whole batch is sent in the next turn of the event loop, and not in the path of the call. */
	#schedule(): void {
		const isWhole = this.#queue.length >= EXPORT_BATCH_SPANS;
		if (this.#sending || (this.#timer !== undefined && !(isWhole && this.#isPatient))) return;
		clearTimeout(this.#timer);
		this.#isPatient = !isWhole;
		this.#timer = setTimeout(() => this.#onTimer(), isWhole ? 0 : EXPORT_BATCH_MS);
		this.#timer.unref?.();
	}

	#onTimer(): void {
		this.#timer = undefined;
		this.#sending = this.#send(this.#queue.splice(0, EXPORT_BATCH_SPANS)).then(() => {
			this.#sending = undefined;
			if (this.#queue.length > 0 && !this.#closed) this.#schedule();
		});
	}

	async #sendAll(): Promise<void> {
		while (this.#queue.length > 0) await this.#send(this.#queue.splice(0, EXPORT_BATCH_SPANS));
	}

	/** Never rejects. */
	async #send(batch: readonly Span[]): Promise<void> {
		const { url, headers, resource, timeoutMs } = this.#settings;
		try {
			const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
			const response = await fetch(url, {
				method: 'POST',
				headers: { ...headers, 'Content-Type': 'application/json' },
				body: otlpBody(batch, resource, this.#version),
				redirect: 'error',
				signal,
			});
			await response.body?.cancel();
			if (!response.ok) throw new Error(`it answered with status ${response.status}`);
			this.#exported += batch.length;
			if (this.#isFailing) this.#log.info(`spans are exported again; ${this.#dropped} were dropped`);
			this.#isFailing = false;
		} catch (thrown) {
			this.#dropped += batch.length;
			if (!this.#isFailing && !this.#closing.signal.aborted)
				this.#log.warn(`spans cannot be exported and are dropped: ${reasonOf(thrown)}`);
			this.#isFailing = true;
		}
	}
}

/** `fetch failed` alone says nothing; its cause does. */
function reasonOf(thrown: unknown): string {
	const cause = thrown instanceof Error ? thrown.cause : undefined;
	return messageOf(cause ?? thrown);
}
