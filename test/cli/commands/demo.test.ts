import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, vi } from 'vitest';
import { firstOf } from '../../support/all-tests.ts';
import { mctl, startMctl } from '../../support/mctl.ts';
import { hasPython, livingWith } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/workspace.ts';

describe('mctl demo', () => {
	it('passes all its own checks, exits 0 and leaves nothing in the home', async () => {
		const home = temporaryFolder();
		const { stdout, code, stderr } = await mctl(['demo'], { env: { HOME: home, XDG_STATE_HOME: '' } });
		expect(stderr).toBe('');
		expect(stdout).toMatch(/\nAll \d+ steps passed\.\n$/);
		expect(stdout).toContain('2 clients → 1 hub → 1 server');
		expect(stdout).toContain('and the next call works');
		if (hasPython) expect(stdout).not.toContain('skipped');
		expect(stdout).not.toContain('\u001B[');
		expect(code).toBe(0);
		expect(readdirSync(home)).toEqual([]);
	});

	it('exits non-zero when a step fails', async () => {
		const { stdout, code } = await mctl(['demo'], { env: { TMPDIR: '/nonexistent' } });
		expect(stdout).toContain('✗ ');
		expect(code).toBe(1);
	});

	it.skipIf(process.platform !== 'linux').each(
		firstOf([
			[1, 3],
			[1, 1],
			[1, 6],
			[2, 4],
			[2, 6],
			[2, 3],
			[2, 1],
		]),
	)('leaves nothing after %i Ctrl-C behind step %i', async (times, steps) => {
		const folder = temporaryFolder();
		const child = startMctl(['demo'], { env: { TMPDIR: folder } });
		const exited = once(child, 'exit');
		let seen = 0;
		for await (const line of createInterface({ input: child.stdout })) {
			if (line.startsWith('✓') && ++seen === steps) break;
		}
		child.stdout.resume();
		for (let sent = 0; sent < times; sent++) child.kill('SIGINT');
		expect((await exited)[0]).toBe(130);
		await vi.waitFor(
			() => {
				expect(livingWith('TMPDIR', folder)).toEqual([]);
				expect(readdirSync(folder)).toEqual([]);
			},
			{ timeout: 60_000, interval: 100 },
		);
	});
});
