/*
 * A progress bar on the last line of a terminal's stderr.
 *
 * It is removed before anything else is written and drawn again afterwards, so
 * that lines scroll above it. Redrawn at most a few times a second.
 */

import { printableLine } from '../../printable.ts';
import type { JsonObject } from '../../wire/json.ts';
import { PROGRESS_REDRAW_MS } from '../cli-limits.ts';
import type { Output } from './output.ts';
import { cutText } from './text-width.ts';

const BAR_CELLS = 24;
const CLEAR_LINE = '\r\u001B[K';

export class ProgressBar {
	readonly #out: Output;
	#line = '';
	#isDrawn = false;
	#drawnAt = 0;

	constructor(out: Output) {
		this.#out = out;
	}

	/** Show a `progress` payload. Does nothing without a terminal. */
	show(payload: JsonObject): void {
		if (!this.#out.hasLiveStderr || this.#out.isQuiet) return;
		this.#line = progressLine(payload, this.#out.width);
		if (performance.now() - this.#drawnAt >= PROGRESS_REDRAW_MS) this.draw();
	}

	/** Draw it again below what was written. */
	draw(): void {
		if (this.#line === '') return;
		this.#out.live(CLEAR_LINE + this.#out.stderrStyle('cyan', this.#line));
		this.#isDrawn = true;
		this.#drawnAt = performance.now();
	}

	/** Remove it for good. */
	end(): void {
		this.hide();
		this.#line = '';
	}

	/** Remove it before something else is written. */
	hide(): void {
		if (this.#isDrawn) this.#out.live(CLEAR_LINE);
		this.#isDrawn = false;
	}
}

/** One line of less than `width` columns: a bar and percent when the total is known, else the count. */
export function progressLine(payload: JsonObject, width: number): string {
	const { progress, total, message } = payload;
	const done = typeof progress === 'number' && Number.isFinite(progress) ? progress : 0;
	const text = typeof message === 'string' ? `  ${printableLine(message.replace(/\s+/g, ' '))}` : '';
	const bar = typeof total === 'number' && total > 0 ? barOf(done / total) : `… ${done}`;
	return cutText(bar + text, Math.max(1, width - 1));
}

function barOf(share: number): string {
	const part = Math.min(1, Math.max(0, share));
	const full = Math.round(part * BAR_CELLS);
	const percent = `${Math.floor(part * 100)}%`.padStart(4);
	return `${'━'.repeat(full)}${'─'.repeat(BAR_CELLS - full)} ${percent}`;
}
