/*
 * The folder of one shared hub: one per user and configuration. It holds the record
 * of where the hub listens, its log, its journal and the list of its processes.
 *
 * A bound socket decides which process is the hub (`hub-lock.ts`); `hub.lock` names that
 * process where the socket cannot be inspected. These files decide which process we
 * connect to, so folders and files of another user are rejected.
 */

import { existsSync, rmSync, statSync } from 'node:fs';
import { homedir, uptime } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { attempt, messageOf, OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { sha256 } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { type HubLock, isLockHeld, lockHolder, takeHubLock } from './hub-lock.ts';
import { type HubRecord, isIdentity, readHubRecord } from './hub-record.ts';
import { HubRegistry } from './hub-registry.ts';
import { assertPrivateFolder, makePrivateFolder, socketFolder } from './private-folder.ts';
import { identityOf, isSameProcess, type ProcessIdentity } from './process-identity.ts';

const KEY_CHARACTERS = 12;
const LOCK = 'hub.lock';
const RECORD = 'hub.json';
const PROCESSES = 'processes.json';

export class HubFolder {
	/** The folder of the configuration. */
	readonly root: string;
	readonly path: string;
	readonly #environment: Readonly<NodeJS.ProcessEnv>;
	readonly #key: string;
	/** The stamps of the files when they were read last; undefined before. */
	#intact: string | undefined;
	#savedProcesses = '';

	/** @param root the folder of the configuration @param path of the state; default below XDG_STATE_HOME */
	constructor(root: string, environment: Readonly<NodeJS.ProcessEnv>, path?: string) {
		this.root = root;
		this.#environment = environment;
		this.#key = hash(root);
		this.path = path ?? join(stateFolder(environment), 'hubs', this.#key);
	}

	get logFile(): string {
		return join(this.path, 'hub.log');
	}

	get journalFile(): string {
		return join(this.path, 'journal.ndjson');
	}

	/** The name of its sockets: one per user, home and configuration, wherever the state is. */
	get socketName(): string {
		return `orchestra-hub-${process.getuid?.() ?? 'user'}-${hash(homeOf(this.#environment))}-${this.#key}`;
	}

	/** A private folder whose path is short enough for a socket; created if necessary. */
	shortFolder(): string {
		return socketFolder(homeOf(this.#environment));
	}

	/** The folder of the running hub of this configuration, even when it was started with another XDG_STATE_HOME; else this one. */
	located(): HubFolder {
		const found = this.#registry.find(this.#key);
		if (found === undefined || found.statePath === this.path) return this;
		return new HubFolder(this.root, this.#environment, found.statePath);
	}

	/** The running hub; undefined when there is none. The record of a dead hub is ignored. */
	running(): HubRecord | undefined {
		const record = readHubRecord(this.#read(RECORD));
		return record !== undefined && isSameProcess(record) ? record : undefined;
	}

	/** The record of a hub that was killed since this machine started; undefined when the last one shut down. */
	killed(): HubRecord | undefined {
		const record = readHubRecord(this.#read(RECORD));
		if (record === undefined || isSameProcess(record)) return undefined;
		const bootedAt = Date.now() - uptime() * 1000;
		return Date.parse(record.startedAt) >= bootedAt ? record : undefined;
	}

	/** The process of the hub, even when it has not announced its address or has withdrawn it. */
	owner(): ProcessIdentity | undefined {
		const owner = this.#read(LOCK);
		if (isIdentity(owner) && isSameProcess(owner)) return owner;
		return this.running() ?? lockHolder(this.socketName);
	}

	/** Add the hub to the registry, then write the record: a hub that a client finds is one that `--all` finds. */
	announce(record: HubRecord): void {
		const { pid, startTime, root, startedAt } = record;
		// Without a writable home, only processes with the same XDG_STATE_HOME find the hub.
		attempt(() =>
			this.#registry.record(this.#key, { pid, startTime, root, statePath: this.path, startedAt }),
		);
		this.#write(RECORD, record);
	}

	/** The files of a running hub, which `renew` and `saveProcesses` restore. */
	get files(): string[] {
		const own = [RECORD, LOCK, PROCESSES].map((name) => join(this.path, name));
		return [...own, this.#registry.fileOf(this.#key)];
	}

	/** Restore deleted or damaged files. Does not overwrite the files of another running hub. */
	renew(record: HubRecord): void {
		// Taken before the files are read: what changes meanwhile is seen the next time.
		const stamps = this.#stamps(record);
		if (this.#intact === stamps) return;
		const { pid, startTime } = record;
		const isOurs = (found: unknown): boolean =>
			isIdentity(found) && found.pid === pid && found.startTime === startTime;
		const [lock, found] = [this.#read(LOCK), this.#read(RECORD)];
		const isFound = JSON.stringify(readHubRecord(found)) === JSON.stringify(readHubRecord(record));
		const isRegistered = this.#registry.find(this.#key) !== undefined;
		const isIntact = isFound && isOurs(lock) && isRegistered;
		this.#intact = isIntact ? stamps : undefined;
		// Checking a process may start another one (`ps`), and the files are nearly always intact.
		if (isIntact) return;
		const owner = this.owner();
		if (owner !== undefined && !isOurs(owner)) return;
		this.announce(record);
		if (!isOurs(lock)) this.#write(LOCK, { pid, startTime });
	}

	/** Become the hub. Undefined when another process is the hub; throws `bad_input` when another user holds the lock. */
	async lock(): Promise<HubLock | undefined> {
		this.make();
		// Checking the old owner and taking the lock must be atomic.
		return withFolderLock(this.path, async () => {
			const owner = this.#read(LOCK);
			if (isIdentity(owner) && isSameProcess(owner)) return undefined;
			const lock = await takeHubLock(this.socketName, homeOf(this.#environment));
			if (lock === undefined) return this.#refuseStranger();
			this.#write(LOCK, identityOf(process.pid));
			return lock;
		});
	}

	/** The lock for starting a hub; undefined while another process holds it. */
	startLock(): Promise<HubLock | undefined> {
		return takeHubLock(`${this.socketName}-start`, homeOf(this.#environment));
	}

	/** Remove the address of a hub that shuts down. Clients then wait for the lock. Never throws. */
	withdraw(): void {
		this.#remove([RECORD]);
	}

	/** Remove the record and the lock. The list of processes stays for the next hub while some of them live. */
	unlock(): void {
		const names = this.orphans().length > 0 ? [RECORD, LOCK] : [RECORD, PROCESSES, LOCK];
		this.#remove(names);
	}

	/** Remove the files of a dead hub. Does nothing while a hub runs. */
	async clear(): Promise<void> {
		if (!existsSync(this.path)) return;
		await withFolderLock(this.path, async () => {
			if (this.owner() === undefined) this.unlock();
		});
	}

	/** Save the processes of the hub, so that they can be ended if the hub is killed. */
	saveProcesses(pids: readonly number[]): void {
		const saved = `${pids.join()} ${this.#stamp(PROCESSES)}`;
		if (saved === this.#savedProcesses) return;
		this.#write(
			PROCESSES,
			pids.flatMap((pid) => identityOf(pid) ?? []),
		);
		this.#savedProcesses = `${pids.join()} ${this.#stamp(PROCESSES)}`;
	}

	/** Saved processes that are still alive: after a crash, the orphans of the dead hub. */
	orphans(): ProcessIdentity[] {
		const list = this.#read(PROCESSES);
		return Array.isArray(list) ? list.filter(isIdentity).filter(isSameProcess) : [];
	}

	/** Create the folder, private to this user. Throws `bad_input` or `io`. */
	make(): void {
		makePrivateFolder(...this.#parts);
	}

	/** Throws `bad_input` when the folder belongs to another user or is writable by others. It may be missing. */
	assertPrivate(): void {
		assertPrivateFolder(...this.#parts);
	}

	get #registry(): HubRegistry {
		return new HubRegistry(homeOf(this.#environment));
	}

	/** The parts of the path that the hub creates: `orchestra/hubs/<key>`. */
	get #parts(): [base: string, ...parts: string[]] {
		const hubs = dirname(this.path);
		return [dirname(dirname(hubs)), basename(dirname(hubs)), basename(hubs), basename(this.path)];
	}

	/** The lock is taken, but by no process of this user. */
	#refuseStranger(): undefined {
		if (!isLockHeld(this.socketName) || this.owner() !== undefined) return undefined;
		throw new OrchestraError(
			'bad_input',
			`the lock ${this.socketName} is held by a process of another user`,
			{
				hint: 'Find it with: sudo ss -xlp | grep orchestra-hub',
			},
		);
	}

	#remove(names: readonly string[]): void {
		// A file that stays names a process that is about to end, so it is ignored.
		attempt(() => {
			this.#registry.remove(this.#key);
			for (const name of names) rmSync(join(this.path, name), { force: true });
		});
	}

	#stamps(record: HubRecord): string {
		const files = [this.#stamp(RECORD), this.#stamp(LOCK), stampOf(this.#registry.fileOf(this.#key))];
		return JSON.stringify([...files, record]);
	}

	#stamp(name: string): string {
		return stampOf(join(this.path, name));
	}

	#read(name: string): unknown {
		this.assertPrivate();
		return readState(join(this.path, name));
	}

	#write(name: string, value: unknown): void {
		this.make();
		try {
			writeState(join(this.path, name), value);
		} catch (thrown) {
			throw new OrchestraError('io', `${join(this.path, name)} cannot be written: ${messageOf(thrown)}`, {
				cause: thrown,
				hint: 'Make the folder writable, or name another place with XDG_STATE_HOME.',
			});
		}
	}
}

/** Changes with the file: a write, a replacement, a removal. */
function stampOf(path: string): string {
	const stat = statSync(path, { throwIfNoEntry: false });
	return stat === undefined ? 'none' : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.mode}`;
}

function hash(text: string): string {
	return sha256(text).slice(0, KEY_CHARACTERS);
}

function homeOf(environment: Readonly<NodeJS.ProcessEnv>): string {
	return environment['HOME'] || homedir();
}
