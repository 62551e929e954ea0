import { expect, it } from 'vitest';
import { SourceLog } from '../../../src/hub/sources/source-log.ts';

it('returns as many of the last lines as asked for, and none when asked for none', () => {
	const lines = new SourceLog();
	for (const text of ['one', 'two', 'three']) lines.add('stderr', text);
	expect(lines.last(2).map(({ text }) => text)).toEqual(['two', 'three']);
	expect(lines.last(9)).toHaveLength(3);
	expect(lines.last(0)).toEqual([]);
	expect(lines.lastErrors(0)).toEqual([]);
});
