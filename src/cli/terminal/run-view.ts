/*
 * A run on a terminal: live lines, a progress bar, and the outcome.
 *
 * Warnings and errors go to stderr; the rest is the answer. An error event is
 * buffered until it is known whether it was the last event.
 */

import { printable, printableJson } from '../../printable.ts';
import { payloadText, type ToolEvent } from '../../tool/event.ts';
import { hintFor } from '../../tool/mcp-result.ts';
import { SHOWN_WARNINGS_LIMIT } from '../../tool/run-limits.ts';
import type { RunSummary } from '../../tool/summary.ts';
import type { Output, StyleName } from './output.ts';
import { ProgressBar } from './progress-bar.ts';

type Mark = readonly [style: StyleName, mark: string];

const warnMark: Mark = ['yellow', '⚠'];
const errorMark: Mark = ['red', '✖'];

type ShownEnd = Pick<RunSummary, 'toolId' | 'outcome' | 'result' | 'error' | 'malformedCount'>;

export class RunView {
	readonly #out: Output;
	readonly #bar: ProgressBar;
	#pendingError: string | undefined;

	constructor(out: Output) {
		this.#out = out;
		this.#bar = new ProgressBar(out);
	}

	start(toolId: string): void {
		this.#line(`${this.#out.style('cyan', '▶')} ${this.#out.style('bold', printable(toolId))}`);
	}

	event(event: ToolEvent): void {
		const { type, payload } = event;
		if (type === 'log') this.#log(event);
		else if (type === 'progress') this.#bar.show(payload);
		else if (type === 'artifact') this.#line(`${this.#out.style('cyan', '→')} ${shown(payload, 'path')}`);
		else if (type === 'error') this.#deferError(event);
		else if (type !== 'started' && type !== 'result') {
			this.#line(this.#out.style('dim', printable(`${type} ${JSON.stringify(payload)}`)));
		}
	}

	warning(message: string): void {
		this.#print(`${this.#out.stderrStyle(...warnMark)} ${printable(message)}`);
	}

	/** The tool's own stderr. */
	stderr(chunk: Uint8Array): void {
		this.#bar.hide();
		this.#out.foreignStderr(chunk);
	}

	end(summary: ShownEnd): void {
		this.#bar.end();
		const uncounted = Math.max(0, summary.malformedCount - SHOWN_WARNINGS_LIMIT);
		if (uncounted > 0) this.warning(`${uncounted} more lines were malformed NDJSON`);
		if (summary.outcome !== 'ok') return this.#failure(summary);
		if (this.#pendingError !== undefined) {
			this.#print(this.#pendingError);
			this.#line(`${this.#out.style('yellow', '⚠')} Finished, with an error`);
		} else this.#line(`${this.#out.style('green', '✓')} Done`);
		if (summary.result) this.#line(printableJson(summary.result, 2));
	}

	#failure(summary: ShownEnd): void {
		const { message = 'Tool failed', code } = summary.error ?? {};
		const ending = code === undefined ? '' : ` ${this.#out.stderrStyle('dim', `[${printable(code)}]`)}`;
		this.#out.warn(`${this.#out.stderrStyle('red', '✗')} ${printable(message)}${ending}`);
		this.#out.warn(`  hint: ${printable(hintFor(summary))}`);
	}

	#deferError(event: ToolEvent): void {
		if (this.#pendingError !== undefined) this.#print(this.#pendingError);
		const code = shown(event.payload, 'code');
		const ending = code === '' ? '' : ` [${code}]`;
		this.#pendingError = `${this.#out.stderrStyle(...errorMark)} ${shown(event.payload, 'message')}${ending}`;
	}

	#log({ payload }: ToolEvent): void {
		const data = payload['data'] === undefined ? '' : ` ${printable(JSON.stringify(payload['data']))}`;
		const text = shown(payload, 'message');
		const out = this.#out;
		const { level } = payload;
		if (level === 'debug') return this.#line(out.style('dim', `▪ ${text}${data}`));
		const warning = level === 'warn' ? warnMark : level === 'error' ? errorMark : undefined;
		if (warning) this.#print(`${out.stderrStyle(...warning)} ${text}${out.stderrStyle('dim', data)}`);
		else this.#line(`${out.style('blue', 'ℹ')} ${text}${out.style('dim', data)}`);
	}

	#line(text: string): void {
		this.#bar.hide();
		this.#out.line(text);
		this.#bar.draw();
	}

	#print(text: string): void {
		this.#bar.hide();
		this.#out.info(text);
		this.#bar.draw();
	}
}

function shown(payload: ToolEvent['payload'], key: string): string {
	return printable(payloadText(payload, key));
}
