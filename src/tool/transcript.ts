/*
 * The events and the exit of a run, reduced to a summary.
 *
 * Pure: it takes the events, the stray lines and the exit, and returns the
 * closing events that the runner adds and the summary. The exit code decides, and
 * where the events say something else, that is reported.
 */
import type { JsonObject } from '../wire/json.ts';
import { type StrayKind, syntheticError, type ToolEvent } from './event.ts';
import { SHOWN_WARNINGS_LIMIT, STRAY_LINE_CHARACTERS } from './run-limits.ts';
import {
	EXIT_FAILED,
	errorCode,
	exitCodeOf,
	type Outcome,
	type RunEnd,
	type RunSummary,
	type RunWarning,
	runError,
	type StopReason,
} from './summary.ts';

const stopCodes = {
	timeout: 'RUNNER_TIMEOUT',
	output: 'RUNNER_MAX_OUTPUT_BYTES',
	events: 'RUNNER_MAX_EVENTS',
	canceled: 'RUNNER_CANCELED',
} as const;
export class Transcript {
	readonly #toolId: string;
	readonly #warn: (warning: RunWarning) => void;
	readonly #startedAt = performance.now();
	readonly #warnings: RunWarning[] = [];
	readonly #artifacts: JsonObject[] = [];
	readonly #foreignToolIds = new Set<string>();
	readonly #counts: Record<StrayKind, number> = { malformed: 0, shape: 0 };
	#eventCount = 0;
	#firstEventMs: number | undefined;
	#result: JsonObject | undefined;
	#error: ToolEvent | undefined;
	#lastWord: 'result' | 'error' | undefined;

	constructor(toolId: string, warn: (warning: RunWarning) => void = () => {}) {
		this.#toolId = toolId;
		this.#warn = warn;
	}

	/** Events of the tool so far, those of the runner not counted. */
	get eventCount(): number {
		return this.#eventCount;
	}

	/** Add an event, of the tool or of the runner. */
	add(event: ToolEvent): void {
		if (!event.isSynthetic) {
			this.#eventCount++;
			this.#firstEventMs ??= performance.now() - this.#startedAt;
			if (event.toolId !== this.#toolId) this.#reportForeign(event.toolId);
		}
		if (event.type === 'result') this.#result = event.payload;
		else if (event.type === 'error') this.#error = event;
		else if (event.type === 'artifact') this.#artifacts.push(event.payload);
		if (event.type === 'result' || event.type === 'error') this.#lastWord = event.type;
	}

	/** Add a line that is no event. */
	addStray(kind: StrayKind, line: string): void {
		this.#counts[kind]++;
		if (this.#counts[kind] > SHOWN_WARNINGS_LIMIT) return;
		const what = kind === 'malformed' ? 'malformed NDJSON' : 'unexpected stdout shape';
		this.#report(kind, `${what}: ${line.trimEnd().slice(0, STRAY_LINE_CHARACTERS)}`);
	}

	/** The run is over: the events that the runner adds to say why it failed. */
	closingEvents(end: RunEnd): ToolEvent[] {
		const events = this.#closing(end);
		for (const event of events) this.add(event);
		return events;
	}

	/** The verdict; ask after `closingEvents`, whose events count. */
	summary(end: Pick<RunEnd, 'exit' | 'stopped'>): RunSummary {
		const outcome = this.#outcome(end);
		return {
			toolId: this.#toolId,
			outcome,
			exitCode: exitCodeOf(outcome, end.exit, errorCode(this.#error)),
			result: this.#result,
			error: outcome === 'ok' ? undefined : runError(this.#error),
			artifacts: this.#artifacts,
			exit: end.exit,
			eventCount: this.#eventCount,
			malformedCount: this.#counts.malformed,
			unexpectedCount: this.#counts.shape,
			warnings: this.#warnings,
			elapsedMs: performance.now() - this.#startedAt,
			firstEventMs: this.#firstEventMs,
		};
	}

	#closing(end: RunEnd): ToolEvent[] {
		const { exit, stopped, stderr } = end;
		if (stopped !== undefined) {
			const payload = { message: stopMessage(end, stopped), recoverable: stopped === 'canceled' };
			return [syntheticError(this.#toolId, stopCodes[stopped], payload)];
		}
		if (exit === null) return [];
		if (exit.signal !== null || (exit.code ?? 0) > EXIT_FAILED) {
			const { code: exitCode, signal } = exit;
			const message = signal === null ? `Tool exited with code ${exitCode}` : `Tool was ended by ${signal}`;
			return [syntheticError(this.#toolId, 'TOOL_CRASH', { message, exitCode, signal, stderr: [...stderr] })];
		}
		return exit.code === EXIT_FAILED ? this.#closeFailure(stderr) : this.#closeSuccess();
	}

	#closeFailure(stderr: readonly string[]): ToolEvent[] {
		if (this.#error) return [];
		this.#report('contradiction', 'the tool exited with code 1 but sent no error event');
		const message = 'Tool exited with code 1 and did not say why';
		return [syntheticError(this.#toolId, 'TOOL_FAILED', { message, exitCode: 1, stderr: [...stderr] })];
	}

	#closeSuccess(): ToolEvent[] {
		if (this.#error) this.#report('contradiction', 'the tool sent an error event but exited with code 0');
		if (this.#error || this.#result) return [];
		this.#report('contradiction', 'the tool exited with code 0 but sent no result event');
		const message = 'Tool exited with code 0 but sent no result';
		return [syntheticError(this.#toolId, 'TOOL_NO_RESULT', { message, exitCode: 0 })];
	}

	#outcome({ exit, stopped }: Pick<RunEnd, 'exit' | 'stopped'>): Outcome {
		if (stopped === 'timeout' || stopped === 'canceled') return stopped;
		if (stopped !== undefined) return 'limit';
		if (exit === null) return 'not_started';
		if (exit.signal !== null || (exit.code ?? 0) > EXIT_FAILED) return 'crashed';
		// An error that nothing came after must not pass for success.
		return exit.code === EXIT_FAILED || this.#lastWord === 'error' ? 'failed' : 'ok';
	}

	#reportForeign(toolId: string): void {
		if (this.#foreignToolIds.has(toolId) || this.#foreignToolIds.size >= SHOWN_WARNINGS_LIMIT) return;
		this.#foreignToolIds.add(toolId);
		const shown = toolId.slice(0, STRAY_LINE_CHARACTERS);
		this.#report('contradiction', `the tool ${this.#toolId} sends events of toolId "${shown}"`);
	}

	#report(kind: RunWarning['kind'], message: string): void {
		const warning = { kind, message };
		this.#warnings.push(warning);
		this.#warn(warning);
	}
}

function stopMessage({ timeoutMs, limits }: RunEnd, stopped: StopReason): string {
	switch (stopped) {
		case 'timeout':
			return `Tool exceeded timeout of ${timeoutMs}ms`;
		case 'output':
			return `Tool exceeded output limit of ${limits.outputBytes} bytes`;
		case 'events':
			return `Tool exceeded event limit of ${limits.events} events`;
		case 'canceled':
			return 'Tool was canceled';
	}
}
