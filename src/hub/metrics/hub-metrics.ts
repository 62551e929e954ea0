/*
 * The metrics of a hub: its calls as they happen, and the state of its backends when the
 * text is requested.
 *
 * Names and labels follow the OpenTelemetry conventions for MCP and for Node where they
 * have one, in the form that Prometheus gives them: dots become underscores, and the unit
 * is a part of the name. Everything else begins with `orchestra_`.
 */
import type { IntervalHistogram } from 'node:perf_hooks';
import { durationBounds, type Histogram } from '../../telemetry/histogram.ts';
import { type Counter, type Distribution, MetricRegistry } from '../../telemetry/metric-registry.ts';
import type { Labels } from '../../telemetry/prometheus-text.ts';
import { SERIES_LIMIT } from '../../telemetry/telemetry-limits.ts';
import type { ExportCounts } from '../../telemetry/tracer.ts';
import { type CallEnd, type CallListener, errorTypeOf, type StartedCall } from '../call-feed.ts';
import { usedFabric } from '../fabric-facts.ts';
import type { WorkerOverview } from '../fabric-overview.ts';
import type { Hub } from '../hub.ts';
import { LOOP_RESOLUTION_MS } from '../hub-limits.ts';
import { memoryOf } from '../shared/hub-details.ts';
import type { HubTasks } from '../tasks/hub-tasks.ts';
import { addFabricMetrics } from './fabric-metrics.ts';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

export interface HubMetricsOptions {
	/** The counts of exported and dropped spans, when they are exported. */
	readonly spans?: (() => ExportCounts) | undefined;
	/** The worker of this hub, when it serves others. */
	readonly worker?: (() => WorkerOverview | undefined) | undefined;
}

export class HubMetrics {
	readonly #hub: Hub;
	readonly #registry = new MetricRegistry();
	readonly #limited: Counter = this.#registry.counter({
		name: 'orchestra_calls_limited_total',
		help: 'Calls above a limit of their client, by the limit and by what the policy made of them.',
	});
	readonly #stopListening: () => void;
	#loopDelay: IntervalHistogram | undefined;

	/** Counts from now on; `close` it. */
	constructor(hub: Hub, { spans, worker }: HubMetricsOptions = {}) {
		this.#hub = hub;
		this.#stopListening = hub.calls.listen(this.#callMetrics());
		this.#addSourceMetrics();
		this.#addProcessMetrics();
		addFabricMetrics(this.#registry, { use: () => usedFabric(hub), worker: () => worker?.() });
		if (hub.tasks) this.#addTaskMetrics(hub.tasks);
		if (spans) this.#addSpanMetrics(spans);
	}

	/** All metrics in the Prometheus text format. */
	text(): string {
		// Measured from the first request for it.
		if (this.#loopDelay === undefined) {
			// Loaded on demand: it is a part of the start time.
			const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
			this.#loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
			this.#loopDelay.enable();
		}
		const text = this.#registry.text();
		this.#loopDelay.reset();
		return text;
	}

	close(): void {
		this.#stopListening();
		this.#loopDelay?.disable();
	}

	#callMetrics(): CallListener {
		const registry = this.#registry;
		const calls = registry.counter({
			name: 'orchestra_calls_total',
			help: 'Calls that ended, by outcome and route.',
		});
		const byWorker = registry.counter({
			name: 'orchestra_worker_calls_total',
			help: 'Calls that a worker of the fabric accepted and that ended, by outcome.',
		});
		const durations = (of: string, help: string): Distribution =>
			registry.histogram({ name: `${of}_duration_seconds`, help }, durationBounds);
		const served = durations('mcp_server_operation', 'Duration of a request, as its client sees it.');
		const made = durations(
			'mcp_client_operation',
			'Duration of a request to an MCP server, without the time in the queue and of the start.',
		);
		const waited = durations('orchestra_call_phase', 'Time of a call in a phase before its run.');
		const known = new KnownSeries(this.#hub, { calls, served, made });
		return {
			takesText: true,
			ended: (call, end) => {
				const ms = performance.now() - call.beganAt;
				const { ended: count, served: all, made: run } = known.of(call, end);
				count.value++;
				all.observe(ms / 1000);
				if (call.isPlain) return run?.observe(ms / 1000);
				this.#countLimited(call, end);
				const { worker } = call.context ?? {};
				if (worker !== undefined) byWorker.add({ orchestra_worker: worker, orchestra_outcome: end.outcome });
				let runMs = ms;
				const { spent } = call.context?.phases ?? {};
				for (const [phase, phaseMs] of Object.entries(spent ?? {})) {
					waited.observe({ orchestra_backend: call.backend, orchestra_phase: phase }, phaseMs / 1000);
					runMs -= phaseMs;
				}
				run?.observe(Math.max(0, runMs) / 1000);
			},
		};
	}

	#countLimited({ backend }: StartedCall, { rule, policy }: CallEnd): void {
		if (!rule?.startsWith('limits.')) return;
		this.#limited.add({ orchestra_limit: rule, orchestra_backend: backend, orchestra_policy: policy });
	}

	#addSourceMetrics(): void {
		const hub = this.#hub;
		this.#registry.observed('orchestra_calls_in_flight', 'Calls that have not ended.', () =>
			[...hub.calls.open].map(({ backend }) => [{ orchestra_backend: backend }, 1]),
		);
		for (const [name, help, count] of statusCounts)
			this.#registry.observed(name, help, () =>
				hub.sources.map(({ id, status }) => [{ orchestra_backend: id }, status[count] ?? Number.NaN]),
			);
		const processes = (read: (pid: number) => number | null): [Labels, number][] =>
			hub.processes().map(({ backend, pid }) => [{ orchestra_backend: backend }, read(pid) ?? Number.NaN]);
		const [owned, memory] = [
			'Processes that the hub owns.',
			'Resident memory of the processes that the hub owns.',
		];
		this.#registry.observed('orchestra_child_processes', owned, () => processes(() => 1));
		this.#registry.observed('orchestra_child_memory_bytes', memory, () => processes(memoryOf));
	}

	#addTaskMetrics({ counts }: HubTasks): void {
		this.#observe('orchestra_tasks_running', 'Calls that run as tasks.', () => counts.running);
		this.#registry.observed('orchestra_tasks_total', 'Tasks that ended, by status.', () =>
			Object.entries(counts.ended).map(([status, count]) => [{ orchestra_status: status }, count]),
		);
	}

	#addProcessMetrics(): void {
		const { version } = this.#hub.info;
		this.#registry.observed('orchestra_info', 'The version of the hub, as a label.', () => [
			[{ version }, 1],
		]);
		this.#observe('process_resident_memory_bytes', 'Resident memory of the hub.', () =>
			process.memoryUsage.rss(),
		);
		const started = 'When the hub started, in seconds since 1970.';
		this.#observe('process_start_time_seconds', started, () => performance.timeOrigin / 1000);
		this.#observe('process_cpu_seconds_total', 'CPU time of the hub, in seconds.', () => {
			const { user, system } = process.cpuUsage();
			return (user + system) / MICROSECONDS;
		});
		const loop = (part: string, read: (delay: IntervalHistogram) => number): void =>
			this.#observe(
				`nodejs_eventloop_delay_${part}_seconds`,
				`Event-loop delay since the last scrape: ${part}.`,
				() => (this.#loopDelay === undefined ? Number.NaN : read(this.#loopDelay) / NANOSECONDS),
			);
		loop('mean', ({ mean }) => mean);
		loop('p50', (delay) => delay.percentile(50));
		loop('p99', (delay) => delay.percentile(99));
		loop('max', (delay) => (delay.count === 0 ? Number.NaN : delay.max));
	}

	#addSpanMetrics(spans: () => ExportCounts): void {
		this.#observe('orchestra_spans_exported_total', 'Spans that the collector took.', () => spans().exported);
		this.#observe('orchestra_spans_dropped_total', 'Spans that were dropped.', () => spans().dropped);
	}

	/** A metric without labels. */
	#observe(name: string, help: string, read: () => number): void {
		this.#registry.observed(name, help, () => [[{}, read()]]);
	}
}

/** The numbers of each source that counts them. */
const statusCounts: readonly [
	name: string,
	help: string,
	count: 'queued' | 'starts' | 'restarts' | 'failedStarts',
][] = [
	['orchestra_queue_length', 'Calls that wait for a free place.', 'queued'],
	['orchestra_backend_starts_total', 'Starts of a process that succeeded.', 'starts'],
	[
		'orchestra_backend_restarts_total',
		'Starts that succeeded after the process had crashed or had not started.',
		'restarts',
	],
	['orchestra_backend_failed_starts_total', 'Starts that failed.', 'failedStarts'],
];

/** The series that a call adds to. */
interface CallSeries {
	readonly ended: { value: number };
	readonly served: Pick<Histogram, 'observe'>;
	/** The duration of a call to an MCP server. */
	readonly made: Pick<Histogram, 'observe'> | undefined;
}

/** The series of the calls that were seen, since making the labels costs more than counting. */
class KnownSeries {
	readonly #hub: Pick<Hub, 'sources'>;
	readonly #metrics: { readonly calls: Counter; readonly served: Distribution; readonly made: Distribution };
	readonly #known = new Map<string, CallSeries>();
	/** The kind of a source holds while these are the same. */
	#sources: Hub['sources'] = [];

	constructor(
		hub: Pick<Hub, 'sources'>,
		metrics: { calls: Counter; served: Distribution; made: Distribution },
	) {
		this.#hub = hub;
		this.#metrics = metrics;
	}

	of(call: StartedCall, end: CallEnd): CallSeries {
		const { sources } = this.#hub;
		if (sources !== this.#sources || this.#known.size >= SERIES_LIMIT) this.#known.clear();
		this.#sources = sources;
		const { method, name, backend } = call;
		const key = `${method}\0${name}\0${backend}\0${end.outcome}\0${errorTypeOf(end) ?? ''}\0${routeOf(call)}`;
		let series = this.#known.get(key);
		if (series === undefined) this.#known.set(key, (series = this.#seriesOf(call, end)));
		return series;
	}

	#seriesOf(call: StartedCall, end: CallEnd): CallSeries {
		const { calls, served, made } = this.#metrics;
		const { method, backend } = call;
		const labels = callLabels(call, end);
		const isServer = this.#sources.some(({ id, kind }) => id === backend && kind === 'mcp');
		const counted = {
			mcp_method_name: method,
			orchestra_backend: backend,
			orchestra_outcome: end.outcome,
			orchestra_route: routeOf(call),
		};
		return {
			ended: calls.series(counted),
			served: served.series(labels),
			made: isServer ? made.series(labels) : undefined,
		};
	}
}

/** How a call was answered: as text, or by its values. */
function routeOf({ isPlain }: StartedCall): 'plain' | 'general' {
	return isPlain ? 'plain' : 'general';
}

/** The labels of the conventions for MCP. A URI has too many values for a label. */
function callLabels({ method, name, backend }: StartedCall, end: CallEnd): Labels {
	return {
		mcp_method_name: method,
		gen_ai_operation_name: method === 'tools/call' ? 'execute_tool' : undefined,
		gen_ai_tool_name: method === 'tools/call' ? name : undefined,
		gen_ai_prompt_name: method === 'prompts/get' ? name : undefined,
		error_type: errorTypeOf(end),
		orchestra_backend: backend,
	};
}
