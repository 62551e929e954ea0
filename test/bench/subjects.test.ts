import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('fails with the command and the last stderr lines of a subject that dies at its start', () => {
	const measure = new URL('../../bench/measure/process.mjs', import.meta.url).href;
	const bench = `
		import { firstOutput, startNode } from ${JSON.stringify(measure)};
		await firstOutput(startNode(['-e', 'console.error("no such peer"); process.exit(3)']));`;
	const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', bench], { encoding: 'utf8' });
	expect(stderr).toMatch(/ -e .*: it ended with exit code 3\nno such peer\nhint: npm ci/s);
});
