import { describe, expect, it } from 'vitest';
import { StderrLines } from '../../../src/plugin/client/stderr-lines.ts';

describe('the stderr of a plugin', () => {
	it('says where it listens; every other line is its log, a second READY too', async () => {
		const { stderr, logged } = open();
		stderr.push(Buffer.from('warming up\nREADY 127.0.0.1:1\nREADY 127.0.0.1:2\nwork\n'));
		expect(await stderr.ready).toBe('127.0.0.1:1');
		expect(logged).toEqual(['warming up', 'READY 127.0.0.1:2', 'work']);
	});

	it('that is flooded is dropped unread, and goes on with a whole line', () => {
		const { stderr, logged, pass } = open();
		stderr.push(Buffer.from('READY a:1\n'));
		for (let n = 0; n < 10; n++) stderr.push(Buffer.from(`${'x'.repeat(100 * 1024)}\n`));
		const before = logged.length;
		expect(before).toBeLessThan(4);
		pass(1000);
		stderr.push(Buffer.from('half a line\nwhole\n'));
		expect(logged.slice(before)).toEqual([
			expect.stringMatching(/^\(\d+ bytes of its stderr were dropped\)$/),
			'whole',
		]);
	});

	it('is read whole until the plugin is ready, however much it is', async () => {
		const { stderr } = open();
		for (let n = 0; n < 10; n++) stderr.push(Buffer.from(`${'x'.repeat(100 * 1024)}\n`));
		stderr.push(Buffer.from('READY a:1\n'));
		expect(await stderr.ready).toBe('a:1');
	});
});

function open(): { stderr: StderrLines; logged: string[]; pass: (ms: number) => void } {
	let now = 0;
	const logged: string[] = [];
	const stderr = new StderrLines(
		(line) => logged.push(line),
		() => now,
	);
	return { stderr, logged, pass: (ms) => (now += ms) };
}
