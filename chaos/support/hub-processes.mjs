/* The processes of a hub under test: those with its home folder in their environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../scripts/steps.mjs';
import { killNow, livingWith, readOr } from './processes.mjs';

export const main = join(root, 'dist/cli/main.js');
/** How long the processes of a place have to end. */
const END_MS = 20_000;

/** Run `mctl` in the place; its stdout. */
export async function mctl({ cwd, env }, ...words) {
	const child = spawn(process.execPath, [main, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
	let text = '';
	child.stdout.on('data', (chunk) => {
		text += chunk;
	});
	await once(child, 'close');
	return text;
}

/** The pids of its hubs. */
export function hubsOf(place) {
	return processesOf(place, ['hub', 'run']);
}

/** The pids of its processes that have all of these words in their command line. */
export function processesOf({ home }, words) {
	return livingWith('HOME', home).filter((pid) => words.every((word) => wordsOf(pid).includes(word)));
}

/** End the hubs, also one that a bridge was about to start. A process that stays is a failure, and killed. */
export async function endHubs(place) {
	const giveUpAt = performance.now() + END_MS;
	const living = () => livingWith('HOME', place.home);
	do await mctl(place, 'hub', 'stop', '--all', '--force');
	while (living().length > 0 && performance.now() < giveUpAt);
	const left = living().map((pid) => `left behind: ${pid} ${wordsOf(pid).join(' ')}`);
	living().forEach(killNow);
	return left;
}

function wordsOf(pid) {
	return readOr(`/proc/${pid}/cmdline`).split('\0');
}
