/*
 * Stop the shared hub and all of its processes.
 *
 * The hub ends its plugins itself. If it has to be killed, its guard ends them. So the
 * processes of the hub are recorded while it lives, then awaited, and ended here if the
 * guard is gone too.
 */
import { isCode, OrchestraError } from '../../errors.ts';
import { groupGone } from '../../process/group.ts';
import { stopGroup } from '../../process/guard/process-tree.ts';
import { polled } from '../../rpc/clock.ts';
import type { HubFolder } from './hub-folder.ts';
import { noLock } from './hub-lock.ts';
import { isSameProcess, type ProcessIdentity } from './process-identity.ts';
import { FORCED_STOP_MS, GUARD_STOP_MS, HUB_POLL_MS, HUB_STOP_MS, START_MS } from './shared-limits.ts';

export interface StopOptions {
	/** How long to wait before the hub is killed, in milliseconds. Default 18 s: it exits by itself before. */
	readonly stopMs?: number | undefined;
	/** Kill it after a second. */
	readonly isForced?: boolean | undefined;
	/** How long to wait for the processes of the hub after that, before they are ended. Default 5 s. */
	readonly guardMs?: number | undefined;
}

/** Stop the hub and all of its processes. False when no hub ran. Throws `timeout` when a process stays alive. */
export async function stopHub(
	folder: HubFolder,
	{
		isForced = false,
		stopMs = isForced ? FORCED_STOP_MS : HUB_STOP_MS,
		guardMs = GUARD_STOP_MS,
	}: StopOptions = {},
): Promise<boolean> {
	const owned = new Map<string, ProcessIdentity>();
	const record = (): void => {
		for (const one of folder.orphans()) owned.set(`${one.pid} ${one.startTime}`, one);
	};
	record();
	const hub = folder.owner() ?? (await startingHub(folder));
	if (hub) {
		signalProcess(hub, 'SIGTERM');
		if (!(await isGone(hub, stopMs, record))) signalProcess(hub, 'SIGKILL');
	}
	const stays = hub === undefined || (await isGone(hub, guardMs, record)) ? [] : [hub.pid];
	stays.push(...(await endOwned([...owned.values()], guardMs)));
	if (stays.length > 0) throw stillThere(stays);
	await folder.clear();
	return hub !== undefined;
}

/** The hub that another process is starting now, as soon as it holds its lock; undefined when none is being started. */
async function startingHub(folder: HubFolder): Promise<ProcessIdentity | undefined> {
	const look = async (): Promise<{ hub: ProcessIdentity | undefined } | undefined> => {
		// Without a folder for the lock no process starts a hub.
		const lock = await folder.startLock().catch(() => noLock);
		lock?.release();
		const hub = folder.owner();
		return hub || lock ? { hub } : undefined;
	};
	return (await polled(look, { everyMs: HUB_POLL_MS, forMs: START_MS }))?.hub;
}

/** True when the process ends in time. `record` is called periodically meanwhile. */
async function isGone(hub: ProcessIdentity, ms: number, record: () => void): Promise<boolean> {
	const look = (): true | undefined => {
		if (!isSameProcess(hub)) return true;
		record();
		return undefined;
	};
	return (await polled(look, { everyMs: HUB_POLL_MS, forMs: ms })) === true;
}

/** Wait for the processes of a dead hub, then end them. Returns the pids that are still alive. */
async function endOwned(owned: readonly ProcessIdentity[], ms: number): Promise<number[]> {
	const stays = await Promise.all(
		owned.map(async (one) => {
			const isEmpty = await groupGone(one.pid, ms);
			if (!isSameProcess(one)) return isEmpty ? [] : [one.pid];
			await stopGroup(one.pid);
			return isSameProcess(one) ? [one.pid] : [];
		}),
	);
	return stays.flat();
}

function signalProcess(hub: ProcessIdentity, signal: NodeJS.Signals): void {
	try {
		if (isSameProcess(hub)) process.kill(hub.pid, signal);
	} catch (error) {
		// It has just ended.
		if (!isCode(error, 'ESRCH')) throw OrchestraError.from(error, 'io');
	}
}

function stillThere(pids: readonly number[]): OrchestraError {
	return new OrchestraError('timeout', `the hub was not stopped: still alive: pid ${pids.join(', ')}`, {
		hint: `See what they do with: ps -o pid,stat,args -p ${pids.join(',')}`,
		data: { pids },
	});
}
