/*
 * `npm run chaos`: inject failures into the real product and count what happens.
 *
 * Each file in `chaos/scenarios/` is one kind of failure and exports
 *   title   one sentence: what must hold
 *   rounds  how many without `--rounds` (default 20)
 *   run({ random, rounds, folder, note }) → an object of counts; `failures` lists what did not hold
 * Everything is seeded (`--seed 7` repeats a run), bounded (`--rounds`), sends traffic
 * to loopback only, and ends what it started. `npm run chaos -- kills` runs one scenario.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readArgs } from '../scripts/read-args.mjs';
import { root, step } from '../scripts/steps.mjs';
import { seededRandom } from './random.mjs';

const scenarios = join(import.meta.dirname, 'scenarios');
const known = readdirSync(scenarios)
	.filter((name) => name.endsWith('.mjs'))
	.map((name) => name.slice(0, -'.mjs'.length))
	.sort();
const { values, positionals } = readArgs({
	usage: 'npm run chaos -- [scenario…] [--seed N] [--rounds N]',
	options: { seed: { type: 'string' }, rounds: { type: 'string' } },
	names: known,
	kind: 'scenario',
});
if (!existsSync(join(root, 'dist', '.built')))
	step('build', process.execPath, ['scripts/build.mjs', '--install']);

/** For a scenario that does not export `rounds`. */
const ROUNDS = 20;
const seed = Number(values.seed ?? Date.now() % 1_000_000);
console.log(`chaos: seed ${seed}, ${values.rounds ?? ROUNDS} rounds a scenario, unless it says otherwise`);
let failed = 0;
for (const name of positionals.length > 0 ? positionals : known) {
	if (!(await runScenario(name))) failed++;
}
console.log(
	failed === 0 ? 'chaos: everything held' : `chaos: ${failed} scenarios failed; repeat with --seed ${seed}`,
);
process.exit(failed === 0 ? 0 : 1);

async function runScenario(name) {
	const { title, run, rounds = ROUNDS } = await import(pathToFileURL(join(scenarios, `${name}.mjs`)).href);
	const folder = mkdtempSync(join(tmpdir(), `orchestra-chaos-${name}-`));
	const startedAt = performance.now();
	console.log(`\n${name}: ${title}`);
	try {
		const { failures = [], ...counts } = await run({
			random: seededRandom(seed),
			rounds: Number(values.rounds ?? rounds),
			folder,
			note: (line) => console.log(`  ${line}`),
		});
		const text = Object.entries(counts).map(([key, value]) => `${key} ${value}`);
		console.log(`  ${text.join(', ')} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
		for (const failure of failures) console.log(`  FAILED ${failure}`);
		return failures.length === 0;
	} catch (error) {
		console.log(`  FAILED ${error instanceof Error ? error.stack : String(error)}`);
		return false;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
