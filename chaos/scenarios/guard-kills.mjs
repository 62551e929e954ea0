/*
 * Guard, spawn helper and parent are killed within milliseconds, in random order, while tools start that
 * act before they read their input. No tool may act twice for one call, and none may be left.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../scripts/steps.mjs';
import { childrenOf, holdsWithin, killNow, livingWith } from '../support/processes.mjs';

export const title = 'no tool is left and none acts twice when guard, helper and parent are killed together';

const GONE_WITHIN_MS = 12_000;
const READY_WITHIN_MS = 15_000;
const LATEST_START_MS = 300;
const LATEST_GAP_MS = 10;

export async function run({ random, rounds, folder, note }) {
	if (process.platform !== 'linux') return { skipped: rounds };
	const failures = [];
	const counts = { calls: 0, twice: 0, left: 0, leftToNextStart: 0 };
	for (let number = 0; number < rounds; number++) {
		const seen = await round(number, random, folder);
		for (const key of Object.keys(counts)) counts[key] += seen[key];
		if (seen.twice > 0 || seen.left > 0) failures.push(`round ${number}: ${JSON.stringify(seen)}`);
		if (number % 5 === 4) note(`${number + 1} rounds: ${JSON.stringify(counts)}`);
	}
	return { rounds, ...counts, failures };
}

async function round(number, random, folder) {
	const place = join(folder, `${number}`);
	const token = `${process.pid}-${number}`;
	writeTool(place);
	const env = { ...process.env, XDG_STATE_HOME: join(place, 'state'), CHAOS_TOKEN: token };
	const file = join(root, 'chaos/support/tool-parent.mjs');
	const parent = spawn(process.execPath, [file, place], { env, stdio: ['ignore', 'pipe', 'inherit'] });
	const exited = once(parent, 'exit');
	await Promise.race([once(parent.stdout, 'data'), sleep(READY_WITHIN_MS, undefined, { ref: false })]);
	parent.stdout.resume();
	await sleep(random.integer(LATEST_START_MS));
	await killInOrder(parent.pid, random);
	await exited;
	return { ...countRuns(place), ...(await countLeft(token, env, place)) };
}

/** The helper may be killed some time before the rest, so that the parent goes on without it. */
async function killInOrder(parent, random) {
	const [guard] = childrenOf(parent, 'be_backup');
	const [helper] = childrenOf(parent, '--eval');
	const order = [guard, helper, parent].sort(() => random.next() - 0.5);
	for (const pid of order) {
		if (pid !== undefined) killNow(pid);
		await sleep(random.integer(LATEST_GAP_MS));
	}
}

function countRuns(place) {
	const folder = join(place, 'runs');
	const files = existsSync(folder) ? readdirSync(folder) : [];
	const twice = files.filter((name) => readFileSync(join(folder, name), 'utf8').length > 1);
	return { calls: files.length, twice: twice.length };
}

async function countLeft(token, env, place) {
	const isClean = () => livingWith('CHAOS_TOKEN', token).length === 0;
	if (await holdsWithin(GONE_WITHIN_MS, isClean)) return { left: 0, leftToNextStart: 0 };
	const args = [join(root, 'dist/cli/main.js'), 'run', 'hello-world'];
	const { CHAOS_TOKEN: _, ...plain } = env;
	await once(spawn(process.execPath, args, { cwd: place, env: plain, stdio: 'ignore' }), 'exit');
	if (await holdsWithin(GONE_WITHIN_MS, isClean)) return { left: 0, leftToNextStart: 1 };
	const left = livingWith('CHAOS_TOKEN', token);
	for (const pid of left) killNow(pid);
	return { left: left.length, leftToNextStart: 0 };
}

/** It acts, then ignores all that is polite. */
function writeTool(place) {
	const path = join(place, 'acts');
	mkdirSync(path, { recursive: true });
	const manifest = {
		manifestVersion: 1,
		id: 'acts',
		version: '1.0.0',
		name: 'acts',
		description: 'acts before it reads',
		command: ['sh', 'main.sh'],
		env: ['CHAOS_TOKEN', 'CHAOS_RUN'],
	};
	writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifest));
	writeFileSync(join(path, 'main.sh'), `printf x >> "$CHAOS_RUN"; (setsid sleep 60 &); sleep 60\n`);
}
