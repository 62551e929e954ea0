import { describe, expect, it } from 'vitest';
import { LINES_PER_SECOND } from '../../src/hub/hub-limits.ts';
import { rateLimited } from '../../src/hub/log-rate.ts';

describe('rateLimited', () => {
	it('passes a bounded number of lines a second, and counts the rest', () => {
		let now = 0;
		const written: string[] = [];
		const write = rateLimited(
			(line) => written.push(line),
			() => now,
		);
		for (let n = 0; n < LINES_PER_SECOND + 5; n++) write(`line ${n}`);
		expect(written).toHaveLength(LINES_PER_SECOND);
		now = 1000;
		write('later');
		expect(written.slice(-2)).toEqual(['(5 lines were dropped from the log)', 'later']);
	});
});
