/*
 * Find the shared hub, or start it in the background.
 *
 * The hub outlives the agent or terminal that started it. When two processes start it at
 * once, both get the same hub: the second one finds the lock taken and exits. When the
 * lock belonged to a hub that was shutting down, another one is started. An idle hub of an
 * older version is replaced, when the hub itself agrees that no client uses it.
 */
import { attempt, OrchestraError } from '../../errors.ts';
import { readRegularTail } from '../../files/regular-file.ts';
import { pause, polled } from '../../rpc/clock.ts';
import type { HubFolder } from './hub-folder.ts';
import type { HubLock } from './hub-lock.ts';
import type { HubRecord } from './hub-record.ts';
import { ageOfHub } from './hub-version.ts';
import { isSameProcess, type ProcessIdentity } from './process-identity.ts';
import {
	HUB_POLL_MS,
	START_HUB_LOG_BYTES,
	START_HUB_LOG_LINES,
	START_LOCK_MS,
	START_MS,
} from './shared-limits.ts';
import { startDetached } from './start-detached.ts';

export interface StartOptions {
	readonly folder: HubFolder;
	readonly cwd: string;
	/** The program and arguments that run the hub in the foreground. */
	readonly command: readonly string[];
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly signal?: AbortSignal | undefined;
	/** Replace an idle hub of an older version. Default: use whatever runs. */
	readonly replacement?: HubReplacement | undefined;
}

export interface HubReplacement {
	/** The version of this program. */
	readonly version: string;
	/** Ask the hub to end if it is idle; false when it stays. */
	readonly retire: (record: HubRecord) => Promise<boolean>;
}

/** The running hub; starts it if necessary. Throws `timeout` or `closed` with the end of its log. */
export async function ensureHub(options: StartOptions): Promise<HubRecord> {
	const record = options.folder.located().running();
	if (record === undefined) return startHub(options);
	return isReplaceable(record, options) ? replaceHub(record, options) : record;
}

/** A hub that does not name its version cannot be queried. */
function isReplaceable(record: HubRecord, { replacement }: StartOptions): boolean {
	if (replacement === undefined || record.version === undefined) return false;
	return ageOfHub(record, replacement.version) === 'older';
}

/** One process at a time queries the hub, and starts the next one. A hub that stays, or cannot be queried, is used as it is. */
async function replaceHub(older: HubRecord, options: StartOptions): Promise<HubRecord> {
	const { folder, replacement } = options;
	const lock = await polled(() => folder.startLock(), { everyMs: HUB_POLL_MS, forMs: START_LOCK_MS });
	try {
		const record = folder.located().running();
		if (record && (lock === undefined || !isReplaceable(record, options))) return record;
		const isEnding = record === undefined || (await replacement?.retire(record).catch(() => false));
		if (!isEnding) return folder.located().running() ?? older;
		await hasEnded(record ?? older, options.signal);
		return await startAndWait(options, performance.now() + START_MS);
	} finally {
		lock?.release();
	}
}

/** Resolves when the process of the hub has ended, or is late: then the start of the next one reports it. */
async function hasEnded(hub: ProcessIdentity, signal: AbortSignal | undefined): Promise<void> {
	const hasGone = (): true | undefined => (isSameProcess(hub) ? undefined : true);
	await polled(hasGone, { everyMs: HUB_POLL_MS, forMs: START_MS, signal });
}

async function startHub(options: StartOptions): Promise<HubRecord> {
	const giveUpAt = performance.now() + START_MS;
	const claim = await takeStartLock(options);
	if (claim && 'record' in claim) return claim.record;
	try {
		return await startAndWait(options, giveUpAt);
	} finally {
		claim?.lock.release();
	}
}

/**
 * Single-flight: of many processes that find no hub, one starts it and the others wait for it. When the starter ends,
 * the next one may start a hub. A suspended starter delays the others only briefly.
 */
function takeStartLock({
	folder,
	signal,
}: StartOptions): Promise<{ lock: HubLock } | { record: HubRecord } | undefined> {
	const take = async (): ReturnType<typeof takeStartLock> => {
		const lock = await folder.startLock();
		const record = folder.located().running();
		if (record) lock?.release();
		return record ? { record } : lock && { lock };
	};
	return polled(take, { everyMs: HUB_POLL_MS, forMs: START_LOCK_MS, signal });
}

async function startAndWait(options: StartOptions, giveUpAt: number): Promise<HubRecord> {
	const { folder, signal } = options;
	let started = await start(options);
	let hasSeenOther = false;
	for (;;) {
		const record = folder.located().running();
		if (record) {
			// Another process was faster. Ours would exit, or replace that hub if it is stopped soon.
			if (started !== undefined && record.pid !== started.pid) kill(started);
			return record;
		}
		const hasExited = started === undefined || !isSameProcess(started);
		if (performance.now() > giveUpAt) throw notStarted(folder, hasExited);
		if (hasExited) {
			// It exits at once when the lock is taken; the other hub is about to listen or to end.
			const isOther = folder.located().owner() !== undefined;
			if (!isOther && !hasSeenOther) throw notStarted(folder, true);
			if (!isOther) started = await start(options);
			hasSeenOther = isOther;
		}
		await pause(HUB_POLL_MS, signal);
	}
}

function start({ folder, ...options }: StartOptions): Promise<ProcessIdentity | undefined> {
	folder.make();
	return startDetached({ ...options, logFile: folder.logFile });
}

function kill(started: ProcessIdentity): void {
	// It may have just ended.
	attempt(() => isSameProcess(started) && process.kill(started.pid, 'SIGKILL'));
}

function notStarted(folder: HubFolder, hasExited: boolean): OrchestraError {
	const what = hasExited
		? 'the hub exited before it was ready'
		: `the hub was not ready within ${START_MS} ms`;
	return new OrchestraError(hasExited ? 'closed' : 'timeout', what, {
		hint: `The end of ${folder.logFile}:\n${lastLines(folder.logFile)}`,
	});
}

function lastLines(file: string): string {
	return attempt(() => {
		const end = readRegularTail(file, START_HUB_LOG_BYTES).toString('utf8').trimEnd();
		return end.split('\n').slice(-START_HUB_LOG_LINES).join('\n');
	}, '(the log is empty)');
}
