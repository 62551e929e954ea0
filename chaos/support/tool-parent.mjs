/* A parent that runs tools through the spawn helper until it is killed: `tool-parent.mjs <folder>`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HelperSpawner, runTool } from '../../dist/index.js';
import { readToolAt } from '../../dist/internals.js';

const [, , folder = '.'] = process.argv;
const CALLS = 200;
const AT_ONCE = 4;

const tool = readToolAt(join(folder, 'acts'));
const spawner = new HelperSpawner();
mkdirSync(join(folder, 'runs'), { recursive: true });
let next = 0;
await Promise.all(Array.from({ length: AT_ONCE }, runCalls));

async function runCalls() {
	while (next < CALLS) {
		const number = next++;
		const environment = { ...process.env, CHAOS_RUN: join(folder, 'runs', `${number}`) };
		const { outcome } = await runTool(tool, { spawner, environment, timeoutMs: 200 }).finish();
		process.stdout.write(`${outcome}\n`);
	}
}
