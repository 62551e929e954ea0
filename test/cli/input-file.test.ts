/* Where `--input` may come from: files, pipes, stdin; and how waiting for it ends. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, truncateSync, writeSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mctl, startMctl } from '../support/mctl.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = resolve(import.meta.dirname, '../..');

describe('mctl run --input', () => {
	it('reads a regular file, stdin, and stdin by its path', async () => {
		const cwd = writeFiles(temporaryFolder(), { 'in.json': '{"name":"file"}' });
		expect((await mctl(run('@in.json'), { cwd })).stdout).toContain('Hello, file!');
		expect((await mctl(run('-'), { input: '{"name":"stdin"}' })).stdout).toContain('Hello, stdin!');
		expect((await mctl(run('@/dev/stdin'), { input: '{"name":"path"}' })).stdout).toContain('Hello, path!');
	});

	it('reads a pipe of the shell', () => {
		const env = { ...process.env, PATH: `${root}${delimiter}${process.env['PATH']}` };
		const line = `mctl run hello-world --json --input @<(echo '{"name":"pipe"}')`;
		expect(spawnSync('bash', ['-c', line], { env, encoding: 'utf8' }).stdout).toContain('Hello, pipe!');
	});

	it('waits for the writer of a named pipe', async () => {
		const { child, writer } = await readingPipe();
		const printed = text(child.stdout);
		writeSync(writer, '{"name":"late"}');
		closeSync(writer);
		expect(await printed).toContain('Hello, late!');
	});

	it.each(['SIGINT', 'SIGTERM'] as const)('ends at %s while it waits for a pipe', async (signal) => {
		const { child, writer } = await readingPipe();
		onTestFinished(() => closeSync(writer));
		const exited = once(child, 'exit');
		child.kill(signal);
		expect((await exited)[0]).toBe(signal === 'SIGINT' ? 130 : 143);
	});

	it('ends at Ctrl-C while it waits for stdin', async () => {
		const child = startMctl(run('-'));
		child.stdin.write('{"half":');
		await until('it is written', () => child.stdin.writableLength === 0);
		const exited = once(child, 'exit');
		child.kill('SIGINT');
		const [code, killedBy] = await exited;
		// A signal that comes before mctl listens ends it too.
		expect(killedBy ?? code).toBeOneOf(['SIGINT', 130]);
	});

	it.each([
		['/dev/zero', 'is a device or socket'],
		['/', 'is a folder'],
		['missing.json', 'cannot be read'],
	])('refuses %s', async (path, message) => {
		const { code, stderr } = await mctl(run(`@${path}`));
		expect([code, stderr]).toEqual([64, expect.stringContaining(message)]);
	});

	it('refuses a file that is too large to keep', async () => {
		const cwd = writeFiles(temporaryFolder(), { 'big.json': '' });
		truncateSync(join(cwd, 'big.json'), 65 * 1024 * 1024);
		expect((await mctl(run('@big.json'), { cwd })).stderr).toContain('is larger than 67108864 bytes');
	});
});

describe('key=@file', () => {
	it('is the text of a file or of stdin, and @@ is a plain @', async () => {
		const cwd = writeFiles(temporaryFolder(), { 'name.txt': 'file' });
		expect((await mctl(named('@name.txt'), { cwd })).stdout).toContain('Hello, file!');
		expect((await mctl(named('@-'), { input: 'stdin' })).stdout).toContain('Hello, stdin!');
		expect((await mctl(named('@@you'))).stdout).toContain('Hello, @you!');
	});

	it('says that a file is missing, and how to write the text itself', async () => {
		const { code, stderr } = await mctl(named('@you'));
		expect(code).toBe(64);
		expect(stderr).toContain('the input file you cannot be read: ENOENT');
		expect(stderr).toContain('for the text itself write name=@@you');
	});

	it('refuses to read stdin twice', async () => {
		const { code, stderr } = await mctl([...named('@-'), '--input', '-'], { input: '{}' });
		expect([code, stderr]).toEqual([64, expect.stringContaining('stdin can be read once')]);
	});
});

describe('mctl init and mctl doctor', () => {
	it('refuse a named pipe where a file should be, and do not wait for it', async () => {
		const cwd = writeFiles(temporaryFolder(), { '.orchestra/certs/x.txt': '' });
		execFileSync('mkfifo', [join(cwd, '.mcp.json'), join(cwd, '.orchestra/certs/ca.crt')]);
		const options = { cwd, env: { HOME: cwd } };
		expect((await mctl(['init'], options)).stderr).toContain('is a named pipe');
		expect((await mctl(['doctor'], options)).stdout).toMatch(/ca\.crt.*is a named pipe/);
	});
});

function run(input: string): string[] {
	return ['run', 'hello-world', '--json', '--input', input];
}

function named(value: string): string[] {
	return ['run', 'hello-world', `name=${value}`, '--json'];
}

/** mctl that has a named pipe open for reading, and the writing end of it. */
async function readingPipe(): Promise<{ child: ReturnType<typeof startMctl>; writer: number }> {
	const pipe = join(temporaryFolder(), 'pipe');
	execFileSync('mkfifo', [pipe]);
	const child = startMctl(run(`@${pipe}`));
	// Opening for writing without blocking fails until somebody reads.
	const open = (): number => openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
	return { child, writer: await vi.waitFor(open, { timeout: 60_000 }) };
}
