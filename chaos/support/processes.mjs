/* Looking at processes through /proc, for scenarios that count what is left. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const ASK_AGAIN_MS = 20;

/** Pids of the living processes that have `variable=value` in their environment. */
export function livingWith(variable, value) {
	return pids().filter((pid) => readOr(`/proc/${pid}/environ`).split('\0').includes(`${variable}=${value}`));
}

/** Pids of the children of `parent` whose command line contains `text`. */
export function childrenOf(parent, text) {
	return pids().filter((pid) => {
		const stat = readOr(`/proc/${pid}/stat`);
		const isChild = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
		return isChild && readOr(`/proc/${pid}/cmdline`).includes(text);
	});
}

/** Wait until `condition` holds; false when `ms` passed first. */
export async function holdsWithin(ms, condition) {
	const giveUpAt = performance.now() + ms;
	while (!condition()) {
		if (performance.now() > giveUpAt) return false;
		await sleep(ASK_AGAIN_MS);
	}
	return true;
}

/** SIGKILL; false when the process is gone already. */
export function killNow(pid) {
	try {
		return process.kill(pid, 'SIGKILL');
	} catch {
		return false; // gone already
	}
}

function pids() {
	return readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0);
}

function readOr(path) {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return ''; // ended while we looked
	}
}
