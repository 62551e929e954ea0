import { describe, expect, it } from 'vitest';
import { mctl } from '../support/mctl.ts';

describe('mctl demo', () => {
	it('passes all its own checks and exits 0', async () => {
		const { stdout, code, stderr } = await mctl(['demo']);
		expect(stderr).toBe('');
		expect(stdout).toMatch(/\nAll \d+ steps passed\.\n$/);
		expect(stdout).not.toContain('\u001B[');
		expect(code).toBe(0);
	});

	it('exits non-zero when a step fails', async () => {
		const { stdout, code } = await mctl(['demo'], { env: { PATH: '/nonexistent' } });
		expect(stdout).toContain('✗ ');
		expect(code).toBe(1);
	});
});
