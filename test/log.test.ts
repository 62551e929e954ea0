import { describe, expect, it } from 'vitest';
import { Log, type LogLevel } from '../src/log.ts';

describe('Log', () => {
	it('writes [time] [LEVEL] [component] message', () => {
		expect(linesAt('info', 'text', (log) => log.info('ready'))).toEqual([
			'[2025-01-15T10:30:00.123Z] [INFO] [hub] ready\n',
		]);
	});

	it('always shows warnings and errors, whatever the level says', () => {
		const lines = linesAt('error', 'text', (log) => {
			log.debug('a');
			log.info('b');
			log.warn('c');
			log.error('d');
		});
		expect(lines.map((line) => line.at(-2))).toEqual(['c', 'd']);
	});

	it('writes one JSON object a line when asked to', () => {
		const [line = ''] = linesAt('debug', 'json', (log) => log.debug('quote "this"'));
		expect(JSON.parse(line)).toEqual({
			time: '2025-01-15T10:30:00.123Z',
			level: 'debug',
			component: 'hub',
			message: 'quote "this"',
		});
	});

	it('takes level and format from the environment, info and text by default', () => {
		expect(Log.fromEnvironment('x', { LOG_LEVEL: 'DEBUG' }).isDebug).toBe(true);
		expect(Log.fromEnvironment('x', { LOG_LEVEL: 'nonsense' }).isDebug).toBe(false);
		expect(Log.silent.named('y').isDebug).toBe(false);
	});
});

function linesAt(level: LogLevel, format: 'text' | 'json', use: (log: Log) => void): string[] {
	const lines: string[] = [];
	const now = (): Date => new Date('2025-01-15T10:30:00.123Z');
	use(new Log('hub', { level, format, now, write: (line) => lines.push(line) }));
	return lines;
}
