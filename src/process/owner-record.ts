/*
 * A record on disk that says: this process started children, and this is their mark.
 *
 * It is the last line of defence. When a process, its guard and the guard's backup are
 * all killed at once, nobody is left to end the children. The record is written
 * before the first child is started and removed when the process ends; the next process
 * that starts children finds a record whose owner is dead, and ends what carries the mark.
 * A guard that still runs is left to stop the children in its own, gentler way.
 * An owner is a pid and a start time in one pid namespace, never a pid alone.
 */

import { mkdirSync, readdirSync, readlinkSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { assertPrivate } from '../files/private-path.ts';
import { readRegularText } from '../files/regular-file.ts';
import { markOfProcess } from './mark.ts';
import { findMarked, isGuarded } from './marked-processes.ts';
import { processStat } from './process-stat.ts';

const RECORD_LIMIT_BYTES = 256;
/** How many dead owners one start looks after. */
const RECORDS_AT_ONCE = 20;
/** How often we look again for children that were forked while we ended others. */
const ROUNDS = 5;

/** How long the record of another pid namespace is kept. */
const FOREIGN_RECORD_MS = 30 * 86_400_000;

let isKept = false;

/** Write the record of this process, once, and end what dead owners left. Where that is impossible, nothing happens. */
export function keepOwnerRecord(environment: Readonly<NodeJS.ProcessEnv>): void {
	if (isKept || process.platform !== 'linux') return;
	isKept = true;
	try {
		const folder = recordFolder(environment);
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		assertPrivate(folder);
		const file = join(folder, recordName(process.pid));
		writeFileSync(file, markOfProcess(), { mode: 0o600 });
		process.once('exit', () => removeRecord(file));
		endAbandoned(folder);
	} catch {
		// A home that cannot be written: the guard and its backup have to do.
	}
}

/** Where the records are. */
export function recordFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	const state = environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state');
	return join(state, 'orchestra', 'children');
}

function endAbandoned(folder: string): void {
	const here = `${pidNamespace()}-`;
	const all = readdirSync(folder);
	const names = all.filter((name) => name.startsWith(here));
	for (const name of all.filter((each) => !each.startsWith(here)).slice(0, RECORDS_AT_ONCE))
		removeWhenOld(join(folder, name));
	const dead = names.filter((name) => !isOwnerAlive(name)).slice(0, RECORDS_AT_ONCE);
	for (const name of dead) {
		const file = join(folder, name);
		const mark = readRegularText(file, RECORD_LIMIT_BYTES);
		const isMark = /^\d+\.\w+\.$/.test(mark);
		if (isMark && isGuarded(mark)) continue;
		if (!isMark || killMarked(mark)) removeRecord(file);
	}
}

/** Nobody is left to whom a gentle end could matter. True when none is left. */
function killMarked(mark: string): boolean {
	for (let round = 0; round < ROUNDS; round++) {
		const found = findMarked(mark);
		if (found.length === 0) return true;
		for (const pid of found) {
			try {
				process.kill(pid, 'SIGKILL');
			} catch {
				// It ended just now.
			}
		}
	}
	return false;
}

function recordName(pid: number): string {
	return `${pidNamespace()}-${pid}-${startTicks(pid)}`;
}

function isOwnerAlive(name: string): boolean {
	const pid = Number(name.split('-')[1]);
	try {
		return recordName(pid) === name;
	} catch {
		return false; // no such process
	}
}

/** A folder may be shared with containers, whose pids mean nothing here. */
function pidNamespace(): string {
	return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
}

/** When a process started, in ticks since the system did. A zombie has ended. */
function startTicks(pid: number): string {
	const found = processStat(pid);
	return found === undefined || found.state === 'Z' ? '' : found.startTicks;
}

/** Containers come and go, each with pids of its own; what they left here is cleared away in time. */
function removeWhenOld(file: string): void {
	const found = statSync(file, { throwIfNoEntry: false });
	if (found && Date.now() - found.mtimeMs > FOREIGN_RECORD_MS) removeRecord(file);
}

function removeRecord(file: string): void {
	try {
		unlinkSync(file);
	} catch {
		// Another process was faster.
	}
}
