/* The last lines of a server or plugin in memory, and the events that the hub logged about it. */
import { crashLines } from '../../process/crash-lines.ts';
import { redact } from '../../redact.ts';
import { Listeners } from '../../rpc/listeners.ts';
import type { ServerLine, ServerLines } from '../source.ts';
import {
	LOG_ERROR_LINES,
	LOG_LINE_CHARACTERS,
	LOG_REMARKS_LIMIT,
	LOG_RING_LINES,
	RAW_LINE_CHARACTERS,
	RING_CHARACTERS,
} from './source-limits.ts';

export class SourceLog implements ServerLines {
	#lines: ServerLine[] = [];
	readonly #events: ServerLine[] = [];
	readonly #listeners = new Listeners<ServerLine>();
	#characters = 0;

	last(count: number): readonly ServerLine[] {
		return lastOf(this.#lines, count);
	}

	events(): readonly ServerLine[] {
		return this.#events;
	}

	lastErrors(count: number): string[] {
		const lines = this.#lines.filter(({ stream }) => stream === 'stderr');
		return crashLines(
			lastOf(lines, LOG_ERROR_LINES).map(({ text }) => text),
			count,
		);
	}

	readonly listen: Listeners<ServerLine>['add'] = this.#listeners.add;

	/** Add a line. Returns the part that is stored, without secrets; an empty line is not stored. */
	add(stream: ServerLine['stream'], raw: string): string {
		const text = redact(raw.replace(/\r$/, '').slice(0, RAW_LINE_CHARACTERS)).slice(0, LOG_LINE_CHARACTERS);
		if (text === '') return '';
		const line = { at: Date.now(), stream, text };
		this.#lines.push(line);
		if (stream === 'hub' && this.#events.push(line) > LOG_REMARKS_LIMIT) this.#events.shift();
		this.#characters += text.length;
		if (this.#characters > RING_CHARACTERS || this.#lines.length > LOG_RING_LINES) this.#dropOldest();
		this.#listeners.emit(line);
		return text;
	}

	/** An eighth more than necessary: not with every line. */
	#dropOldest(): void {
		let dropped = 0;
		const most = RING_CHARACTERS - RING_CHARACTERS / 8;
		while (this.#characters > most || this.#lines.length - dropped > LOG_RING_LINES - LOG_RING_LINES / 8)
			this.#characters -= this.#lines[dropped++]?.text.length ?? this.#characters;
		this.#lines = this.#lines.slice(dropped);
	}
}

/** `slice(-0)` would be everything. */
function lastOf<T>(items: readonly T[], count: number): readonly T[] {
	return items.slice(Math.max(0, items.length - count));
}
