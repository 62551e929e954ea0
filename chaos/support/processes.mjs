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

/** Send a signal; false when the process has ended already. */
export function signalIt(pid, signal) {
	try {
		return process.kill(pid, signal);
	} catch {
		return false; // ended already
	}
}

export function killNow(pid) {
	return signalIt(pid, 'SIGKILL');
}

function pids() {
	return readdirSync('/proc')
		.map(Number)
		.filter((pid) => pid > 0);
}

/** The text of a file of /proc; empty when the process ended. */
export function readOr(path) {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return ''; // ended while we looked
	}
}
