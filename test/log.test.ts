import { describe, expect, it } from 'vitest';
import { LOGGED_ONCE_LIMIT } from '../src/core-limits.ts';
import { Log, type LogLevel, loggedOnce } from '../src/log.ts';

// oxlint-disable-next-line no-control-regex -- what must not be there
const CONTROLS = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/;

describe('Log', () => {
	it('writes [time] [LEVEL] [component] message', () => {
		expect(linesAt('info', 'text', (log) => log.info('ready'))).toEqual([
			'[2025-01-15T10:30:00.123Z] [INFO] [hub] ready\n',
		]);
	});

	it('writes the lines of its level and above', () => {
		const lines = linesAt('error', 'text', (log) => {
			log.debug('a');
			log.info('b');
			log.warn('c');
			log.error('d');
		});
		expect(lines.map((line) => line.at(-2))).toEqual(['d']);
	});

	it('writes one JSON object per line in the json format', () => {
		const [line = ''] = linesAt('debug', 'json', (log) => log.debug('quote "this"'));
		expect(JSON.parse(line)).toEqual({
			time: '2025-01-15T10:30:00.123Z',
			level: 'debug',
			component: 'hub',
			message: 'quote "this"',
		});
	});

	it('writes one line for a message with newlines and control characters, in both formats', () => {
		const message = 'a\n[2025-01-15T10:30:00.123Z] [INFO] [hub] forged \u001B[2J\u009B1m\u202E';
		const [text = ''] = linesAt('info', 'text', (log) => log.info(message));
		expect(text).toMatch(/\] a\\n\[2025.*forged \\x1b\[2J\\u009b1m\\u202e\n$/);
		const [json = ''] = linesAt('info', 'json', (log) => log.info(message));
		expect(json).not.toMatch(CONTROLS);
		expect(JSON.parse(json)).toMatchObject({ message });
	});

	it('does not take a property name of Object.prototype for a level', () => {
		const log = Log.fromEnvironment('x', { LOG_LEVEL: 'constructor' }, () => {});
		expect(() => log.info('shown')).not.toThrow();
		expect(log.isDebug).toBe(false);
	});

	it('takes level and format from the environment, info and text by default', () => {
		expect(Log.fromEnvironment('x', { LOG_LEVEL: 'DEBUG' }).isDebug).toBe(true);
		expect(Log.fromEnvironment('x', { LOG_LEVEL: 'nonsense' }).isDebug).toBe(false);
		expect(Log.silent.named('y').isDebug).toBe(false);
	});
});

describe('loggedOnce', () => {
	it('logs each text once', () => {
		const lines: string[] = [];
		const log = loggedOnce((text) => lines.push(text));
		for (const text of ['a', 'b', 'a']) log(text);
		expect(lines).toEqual(['a', 'b']);
	});

	it('remembers the last texts alone, so that a peer that chooses them does not fill the memory', () => {
		let lines = 0;
		const log = loggedOnce(() => lines++);
		for (let at = 0; at <= LOGGED_ONCE_LIMIT; at++) log(`text ${at}`);
		expect(log(`text ${LOGGED_ONCE_LIMIT}`)).toBe(false);
		expect(log('text 0')).toBe(true);
		expect(lines).toBe(LOGGED_ONCE_LIMIT + 2);
	});
});

function linesAt(level: LogLevel, format: 'text' | 'json', use: (log: Log) => void): string[] {
	const lines: string[] = [];
	const now = (): Date => new Date('2025-01-15T10:30:00.123Z');
	use(new Log('hub', { level, format, now, write: (line) => lines.push(line) }));
	return lines;
}
