/*
 * A record on disk of a process that starts children, with their mark.
 *
 * It covers the case that a process, its guard and the guard's backup are all killed
 * at once. The record is written before the first child is started and removed when
 * the process exits; the next process that starts children finds a record whose owner
 * is dead, and kills the processes with its mark, unless a guard still runs and stops
 * them by the ladder. An owner is identified by pid and start time in one pid
 * namespace, never by pid alone.
 */
import { readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { signalProcess } from '../group.ts';
import {
	FOREIGN_RECORD_MS,
	NEXT_TRY_MS,
	ORPHAN_KILL_ROUNDS,
	ORPHAN_RETRY_LIMIT,
	RECORD_LIMIT_BYTES,
	RECORDS_AT_ONCE,
} from '../process-limits.ts';
import { isAlive, pidNamespace, uniqueProcessName } from '../process-stat.ts';
import { markOfProcess } from './mark.ts';
import { findMarked, isGuarded } from './process-marks.ts';

let isWritten = false;

/** Write the record of this process, once, and kill the orphans of dead owners. Best effort: errors are ignored. */
export function keepOwnerRecord(environment: Readonly<NodeJS.ProcessEnv>): void {
	if (isWritten || process.platform !== 'linux') return;
	isWritten = true;
	try {
		const folder = recordFolder(environment);
		makeFolders(folder, 0o700);
		assertPrivate(folder);
		const file = join(folder, uniqueProcessName(process.pid));
		writeFileSync(file, markOfProcess(), { mode: 0o600 });
		process.once('exit', () => removeRecord(file));
		reapOrphans(folder, ORPHAN_RETRY_LIMIT);
	} catch {
		// The state folder is not writable: the guard and its backup remain.
	}
}

/** The folder of the records. */
export function recordFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	return join(stateFolder(environment), 'children');
}

/** A killed process takes a moment to be gone, and a guard stops its children first: then it tries again. */
function reapOrphans(folder: string, moreTries: number): void {
	if (reapDeadOwners(folder) || moreTries === 0) return;
	setTimeout(() => {
		// The folder was removed meanwhile.
		attempt(() => reapOrphans(folder, moreTries - 1));
	}, NEXT_TRY_MS).unref();
}

/** True when no record of a dead owner is left. */
function reapDeadOwners(folder: string): boolean {
	const here = `${pidNamespace()}-`;
	const all = readdirSync(folder);
	const names = all.filter((name) => name.startsWith(here));
	for (const name of all.filter((each) => !each.startsWith(here)).slice(0, RECORDS_AT_ONCE))
		removeWhenOld(join(folder, name));
	const dead = names.filter((name) => !isAlive(name)).slice(0, RECORDS_AT_ONCE);
	return dead.filter((name) => !reapOwner(join(folder, name))).length === 0;
}

/** True when no process of the dead owner is left and its record is removed. */
function reapOwner(file: string): boolean {
	const mark = readRegularText(file, RECORD_LIMIT_BYTES);
	const isMark = /^\d+\.\w+\.$/.test(mark);
	if (isMark && (isGuarded(mark) || !killMarked(mark))) return false;
	removeRecord(file);
	return true;
}

/** SIGKILL at once: their owner is dead, so a clean stop is useless. True when none is left. */
function killMarked(mark: string): boolean {
	for (let round = 0; round < ORPHAN_KILL_ROUNDS; round++) {
		const found = findMarked(mark);
		if (found.length === 0) return true;
		for (const pid of found) signalProcess(pid, 'SIGKILL');
	}
	return false;
}

/** Remove the record of another pid namespace, such as a deleted container, after its TTL. */
function removeWhenOld(file: string): void {
	const found = statSync(file, { throwIfNoEntry: false });
	if (found && Date.now() - found.mtimeMs > FOREIGN_RECORD_MS) removeRecord(file);
}

function removeRecord(file: string): void {
	// Another process removed it first.
	attempt(() => unlinkSync(file));
}
