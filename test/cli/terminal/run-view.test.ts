import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Output } from '../../../src/cli/terminal/output.ts';
import { RunView } from '../../../src/cli/terminal/run-view.ts';
import type { ToolEvent } from '../../../src/tool/event.ts';
import { Transcript } from '../../../src/tool/transcript.ts';
import type { JsonObject } from '../../../src/wire/json.ts';

describe('RunView on a terminal', () => {
	it('draws progress below the lines and leaves no bar behind', () => {
		const { view, screen } = terminal();
		view.start('t');
		view.event(event('progress', { progress: 1, total: 2 }));
		expect(screen().at(-1)).toMatch(/━+─+ {2}50%/);
		view.event(event('log', { level: 'info', message: 'one' }));
		expect(screen().at(-2)).toBe('ℹ one');
		expect(screen().at(-1)).toMatch(/50%/);
		view.stderr(Buffer.from('raw\n'));
		const transcript = new Transcript('t');
		transcript.add(event('result', { n: 1 }));
		view.end(transcript.summary({ exit: { code: 0, signal: null } }));
		expect(screen()).toEqual(['▶ t', 'ℹ one', 'raw', '✓ Done', '{', '  "n": 1', '}', '']);
	});

	it('draws no bar where stderr is no terminal', () => {
		const { view, screen } = terminal(false);
		view.event(event('progress', { progress: 1, total: 2 }));
		expect(screen()).toEqual(['']);
	});
});

/** A view on a screen of 80 columns; `screen` gives its lines without styles. */
function terminal(isTTY = true): { view: RunView; screen: () => string[] } {
	let written = '';
	const stream = () => {
		const writable = new Writable({
			write(chunk: Buffer, _encoding, done) {
				written += chunk.toString();
				done();
			},
		});
		return Object.assign(writable, { isTTY, columns: 80 }) as unknown as NodeJS.WriteStream;
	};
	const view = new RunView(new Output(stream(), stream(), { TERM: 'xterm' }));
	return { view, screen: () => shown(written) };
}

/** What is left on the screen: a carriage return with "clear line" takes away the line so far. */
function shown(written: string): string[] {
	// oxlint-disable-next-line no-control-regex -- escape sequences are what is taken out
	const plain = written.replace(/\u001B\[\d+m/g, '');
	// oxlint-disable-next-line no-control-regex -- as above
	return plain.split('\n').map((line) => line.split(/\r\u001B\[K/).at(-1) ?? '');
}

function event(type: string, payload: JsonObject): ToolEvent {
	return { type, ts: '', toolId: 't', payload, raw: Buffer.alloc(0), isSynthetic: false };
}
