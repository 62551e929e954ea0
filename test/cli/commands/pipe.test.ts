import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { mctl, startMctl } from '../../support/mctl.ts';
import { isAlive } from '../../support/programs.ts';

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

	it('waits for a program that answers long after the end of input', async () => {
		const script =
			'const lines = []; process.stdin.on("data", (c) => lines.push(c)).on("end", () => setTimeout(() => console.log(String(lines.length > 0)), 1500))';
		const { stdout, code } = await mctl(['pipe', `stdio:node -e '${script}'`], { input: '1\n' });
		expect([stdout, code]).toEqual(['true\n', 0]);
	});

	it('waits for a program that has closed its stdout and still works', async () => {
		const { stderr, code } = await mctl(['pipe', `stdio:sh -c 'exec >&-; sleep 1.2; echo done >&2; exit 7'`]);
		expect([stderr, code]).toEqual([expect.stringContaining('done\n'), 1]);
	});

	it('gives the program no more than --timeout after the end of input', async () => {
		const { stdout, stderr, code } = await mctl(
			['pipe', '--timeout', '200', `stdio:sh -c 'echo 1; exec sleep 300'`],
			{ input: '1\n' },
		);
		expect([stdout, code]).toEqual(['1\n', 124]);
		expect(stderr).toMatch(/mctl: `sh .*` still ran 200ms after the end of input\nhint: Raise --timeout/);
	});

	it.each([
		['KILL', 137],
		['TERM', 143],
		['SEGV', 139],
	])('says so when the program dies by SIG%s, and exits %i', async (signal, exitCode) => {
		const { stdout, stderr, code } = await mctl(['pipe', `stdio:sh -c 'echo 1; kill -${signal} $$'`]);
		expect([stdout, code]).toEqual(['1\n', exitCode]);
		expect(stderr).toMatch(new RegExp(`^mctl: \\\`sh .*\\\` was ended by SIG${signal}\n`));
	});

	it('says once when the program takes no more input, and prints what it still says', async () => {
		// More than the socket buffer holds, so that a write fails however late the program closes its input.
		const input = '1\n'.repeat(1_000_000);
		const { stdout, stderr, code } = await mctl(['pipe', `stdio:sh -c 'exec <&-; sleep 0.5; echo 2'`], {
			input,
		});
		expect([stdout, code]).toEqual(['2\n', 0]);
		expect(stderr.match(/takes no more input/g)).toHaveLength(1);
	});

	it('ends on Ctrl-C a program that never reads', async () => {
		const child = startMctl(['pipe', `stdio:sh -c 'echo $$; exec sleep 300'`]);
		child.stdin.write('1\n'.repeat(2_000_000));
		const [chunk] = await once(child.stdout, 'data');
		child.kill('SIGINT');
		const [code] = await once(child, 'exit');
		expect([code, isAlive(Number(chunk))]).toEqual([130, false]);
	});

	it('exits cleanly when its stdout is closed', async () => {
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
		[['pipe', 'stdio:cat', 'more'], 'mctl pipe takes the URI of a program, in quotes if it has spaces'],
		[['pipe', 'cat'], '"cat" is not a stdio: URI'],
		[['pipe', '--limit', 'ten', 'stdio:cat'], '--limit takes a whole number, not "ten"'],
	])('refuses %j with exit 64', async (args, message) => {
		const { code, stderr } = await mctl(args);
		expect([code, stderr]).toEqual([64, expect.stringMatching(new RegExp(`^mctl: .*${message.slice(-20)}`))]);
		expect(stderr).toContain('hint: ');
	});
});
