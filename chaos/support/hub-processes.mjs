/* The processes of a hub under test: those with its home folder in their environment. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 20;

/** Wait for a condition; false when it does not come true in time. */
export async function settled(condition, ms) {
	const giveUpAt = performance.now() + ms;
	while (!condition()) {
		if (performance.now() > giveUpAt) return false;
		await sleep(LOOK_AGAIN_MS);
	}
	return true;
}

/** The pids of its hubs. */
export function hubsOf(place) {
	const hubs = livingOf(place).filter(({ words }) => words.includes('hub') && words.includes('run'));
	return hubs.map(({ pid }) => pid);
}

/** Every living process with this home in its environment. */
export function livingOf({ home }) {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.flatMap((pid) => {
			try {
				const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
				const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
				return isOurs ? [{ pid: Number(pid), words }] : [];
			} catch {
				return []; // it ended while we looked
			}
		});
}

/** Send a signal to a process that may have ended. */
export function signalIt(pid, signal) {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended already.
	}
}
