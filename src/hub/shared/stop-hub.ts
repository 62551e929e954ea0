/*
 * Stop the shared hub and see to it that nothing of it lives.
 *
 * The hub ends its plugins itself. One that has to be killed cannot, and leaves that
 * to its guard; so what it owned is written down here while it still lives, waited
 * for, and ended here when the guard is gone too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OrchestraError } from '../../errors.ts';
import { groupGone } from '../../process/group.ts';
import { endGroup } from '../../process/stop.ts';
import type { HubFolder } from './hub-folder.ts';
import { isSameProcess, type ProcessIdentity } from './process-identity.ts';

/** How long a hub that was told to stop may take: longer than its plugins' time to shut down and the ladder after it. */
export const HUB_GRACE_MS = 15_000;
/** How long we wait for it before it is killed; it ends by itself before. */
const STOP_MS = HUB_GRACE_MS + 3000;
/** How long the kernel has to bury it, and its guard to end what it owned. */
const GUARD_MS = 5000;
const POLL_MS = 20;
/** How long a hub has that is stopped by force. */
const FORCED_STOP_MS = 1000;

export interface StopOptions {
	/** How long the hub has before it is killed, in milliseconds. Default 18 s: it ends by itself before. */
	readonly stopMs?: number | undefined;
	/** Kill it after a second. */
	readonly isForced?: boolean | undefined;
	/** How long what it owned has after that, before it is ended from here. Default 5 s. */
	readonly guardMs?: number | undefined;
}

/** Stop the hub and wait until nothing of it lives. False when none ran. Throws `timeout` when something stays. */
export async function stopHub(
	folder: HubFolder,
	{ isForced = false, stopMs = isForced ? FORCED_STOP_MS : STOP_MS, guardMs = GUARD_MS }: StopOptions = {},
): Promise<boolean> {
	const owned = new Map<string, ProcessIdentity>();
	const note = (): void => {
		for (const one of folder.orphans()) owned.set(`${one.pid} ${one.startTime}`, one);
	};
	note();
	const hub = folder.owner();
	if (hub) {
		signalProcess(hub, 'SIGTERM');
		if (!(await isGone(hub, stopMs, note))) signalProcess(hub, 'SIGKILL');
	}
	const stays = hub === undefined || (await isGone(hub, guardMs, note)) ? [] : [hub.pid];
	stays.push(...(await endOwned([...owned.values()], guardMs)));
	if (stays.length > 0) throw stillThere(stays);
	await folder.clear();
	return hub !== undefined;
}

/** True when it is gone in time. `note` is called now and then while it lives. */
async function isGone(hub: ProcessIdentity, ms: number, note: () => void): Promise<boolean> {
	const giveUpAt = performance.now() + ms;
	while (isSameProcess(hub)) {
		if (performance.now() > giveUpAt) return false;
		note();
		await sleep(POLL_MS);
	}
	return true;
}

/** Wait for the processes of a hub that is gone, end those that stay, and tell the pids of which that was in vain. */
async function endOwned(owned: readonly ProcessIdentity[], ms: number): Promise<number[]> {
	const stays = await Promise.all(
		owned.map(async (one) => {
			const isEmpty = await groupGone(one.pid, ms);
			if (!isSameProcess(one)) return isEmpty ? [] : [one.pid];
			await endGroup(one.pid);
			return isSameProcess(one) ? [one.pid] : [];
		}),
	);
	return stays.flat();
}

function signalProcess(hub: ProcessIdentity, signal: NodeJS.Signals): void {
	try {
		if (isSameProcess(hub)) process.kill(hub.pid, signal);
	} catch (error) {
		// It ended in this very moment, which is what we want.
		if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH'))
			throw OrchestraError.from(error, 'io');
	}
}

function stillThere(pids: readonly number[]): OrchestraError {
	return new OrchestraError('timeout', `the hub is not stopped: still alive is ${pids.join(', ')}`, {
		hint: `Look at what it does: ps -o pid,stat,args -p ${pids.join(',')}`,
		data: { pids },
	});
}
