/* The short version of `npm run chaos -- server-kills`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const chaos = fileURLToPath(new URL('../../../chaos/run.mjs', import.meta.url));

it.skipIf(process.platform !== 'linux')(
	'no call runs twice or stays unanswered while servers, bridges and the hub are killed',
	async () => {
		const args = [chaos, 'server-kills', '--rounds', '12', '--seed', '3'];
		const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 110_000 });
		expect(stdout).toContain('chaos: everything held');
	},
	120_000,
);
