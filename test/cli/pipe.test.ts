import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { mctl, startMctl } from '../support/mctl.ts';
import { isAlive } from '../support/programs.ts';

describe('mctl pipe', () => {
	it('passes JSON lines both ways and exits 0 at the end of input', async () => {
		const { stdout, code } = await mctl(['pipe', 'stdio:cat'], { input: '{"foo":42}\n"ping"\n5' });
		expect([stdout, code]).toEqual(['{"foo":42}\n"ping"\n5\n', 0]);
	});

	it('leaves lines out that are not JSON, either way, and says so on stderr', async () => {
		const { stdout, stderr } = await mctl(['pipe', `stdio:sh -c 'echo hello; cat'`], {
			input: 'nonsense\n1\n',
		});
		expect(stdout).toBe('1\n');
		expect(stderr).toContain('mctl: not JSON, left out: hello\n');
		expect(stderr).toContain('mctl: not JSON, not sent: nonsense\n');
	});

	it('says when a line is over the limit, and goes on', async () => {
		const { stdout, stderr } = await mctl(['pipe', '--limit', '10', 'stdio:cat'], {
			input: '"xxxxxxxxxxxxxxxx"\n1\n',
		});
		expect(stdout).toBe('1\n');
		expect(stderr).toContain('mctl: a line longer than 10 bytes was not sent');
		const noisy = await mctl(['pipe', '--limit', '10', `stdio:sh -c 'echo 12345678901234567890; echo 2'`]);
		expect([noisy.stdout, noisy.stderr]).toEqual([
			'2\n',
			expect.stringContaining('longer than 10 bytes and is left out'),
		]);
	});

	it('carries many lines without losing any, to a slow reader too', async () => {
		const input = Array.from({ length: 20_000 }, (_, n) => `{"n":${n}}\n`).join('');
		const child = startMctl(['pipe', 'stdio:cat']);
		child.stdin.end(input);
		await once(child.stdout, 'readable');
		expect(await text(child.stdout)).toBe(input);
	});

	it('ends when the program ends, with its failure as exit 1', async () => {
		const child = startMctl(['pipe', `stdio:sh -c 'echo 1; exit 3'`]);
		const [code] = await once(child, 'exit');
		expect(code).toBe(1);
	});

	it('ends cleanly when its reader goes away', async () => {
		const child = startMctl(['pipe', 'stdio:yes 1']);
		await once(child.stdout, 'data');
		child.stdout.destroy();
		const [code, signal] = await once(child, 'exit');
		expect(signal).toBeNull();
		expect(code).not.toBeNull();
	});

	it('ends the program on Ctrl-C and exits 130', async () => {
		const child = startMctl(['pipe', `stdio:sh -c 'echo $$; exec sleep 300'`]);
		const [chunk] = await once(child.stdout, 'data');
		child.kill('SIGINT');
		const [code] = await once(child, 'exit');
		expect(code).toBe(130);
		expect(isAlive(Number(chunk))).toBe(false);
	});

	it.each([
		[['pipe'], 'mctl pipe needs the URI of a program'],
		[['pipe', 'stdio:cat', 'more'], 'the URI must be one word; put it in quotes'],
		[['pipe', 'cat'], '"cat" is not a stdio: URI'],
		[['pipe', '--limit', 'ten', 'stdio:cat'], '--limit takes a whole number, not "ten"'],
	])('refuses %j with exit 64', async (args, message) => {
		const { code, stderr } = await mctl(args);
		expect([code, stderr]).toEqual([64, expect.stringMatching(new RegExp(`^mctl: .*${message.slice(-20)}`))]);
		expect(stderr).toContain('hint: ');
	});
});
