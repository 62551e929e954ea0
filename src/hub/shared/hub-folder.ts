/*
 * The folder of one shared hub: one per user and configuration. It holds the record
 * of where the hub listens, its log, its journal and the list of its processes.
 *
 * Who is the hub is decided by a bound socket (`hub-lock.ts`); `hub.lock` names its
 * process for those who cannot see the socket. Every file here decides which process
 * we talk to, so folders and files of another user are refused.
 */
import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf, OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
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

	/** @param root the folder of the configuration @param path of the state; default below XDG_STATE_HOME */
	constructor(root: string, environment: Readonly<NodeJS.ProcessEnv>, path?: string) {
		this.root = root;
		this.#environment = environment;
		this.#key = hash(root);
		const base = environment['XDG_STATE_HOME'] || join(homeOf(environment), '.local', 'state');
		this.path = path ?? join(base, 'orchestra', 'hubs', this.#key);
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

	/** A private folder whose path is short enough for a socket, made when it is missing. */
	shortFolder(): string {
		return socketFolder(homeOf(this.#environment));
	}

	/** The folder of the hub that runs for the same configuration, even when it was started with another XDG_STATE_HOME; else this one. */
	located(): HubFolder {
		const found = this.#registry.find(this.#key);
		if (found === undefined || found.statePath === this.path) return this;
		return new HubFolder(this.root, this.#environment, found.statePath);
	}

	/** The running hub; undefined when there is none. What a dead one left is not looked at. */
	running(): HubRecord | undefined {
		const record = readHubRecord(this.#read(RECORD));
		return record !== undefined && isSameProcess(record) ? record : undefined;
	}

	/** The living process that is the hub here, even when it does not say (any more) where it listens. */
	owner(): ProcessIdentity | undefined {
		const owner = this.#read(LOCK);
		if (isIdentity(owner) && isSameProcess(owner)) return owner;
		return this.running() ?? lockHolder(this.socketName);
	}

	announce(record: HubRecord): void {
		this.#write(RECORD, record);
		const { pid, startTime, root, startedAt } = record;
		try {
			this.#registry.record(this.#key, { pid, startTime, root, statePath: this.path, startedAt });
		} catch {
			// A home that cannot be written: those with the same XDG_STATE_HOME find the hub all the same.
		}
	}

	/** Write what others find us by again if it was deleted or garbled, and renew the heartbeat. The files of another hub that lives stay. */
	renew(record: HubRecord): void {
		const { pid, startTime } = record;
		const isOurs = (found: unknown): boolean =>
			isIdentity(found) && found.pid === pid && found.startTime === startTime;
		const [lock, found] = [this.#read(LOCK), this.#read(RECORD)];
		const isFound = JSON.stringify(readHubRecord(found)) === JSON.stringify(readHubRecord(record));
		const isRegistered = this.#registry.find(this.#key) !== undefined;
		// Asking whether a process lives costs a process of its own on some systems, and all is nearly always well.
		if (!(isFound && isOurs(lock) && isRegistered)) {
			const owner = this.owner();
			if (owner !== undefined && !isOurs(owner)) return;
			this.announce(record);
			if (!isOurs(lock)) this.#write(LOCK, { pid, startTime });
		}
		this.#beat();
	}

	/** How long ago the hub last showed that its event loop runs, in milliseconds. It does so every second. 0 when that cannot be seen. */
	heartbeatAgeMs(): number {
		try {
			return Math.max(0, Date.now() - statSync(join(this.path, RECORD)).mtimeMs);
		} catch {
			return 0; // nothing is known
		}
	}

	/** Become the hub here. Undefined when another process is; throws `bad_input` when another user holds the name. */
	async lock(): Promise<HubLock | undefined> {
		this.make();
		// Looking at the old owner and taking its place must be one step, or two could take it at once.
		return withFolderLock(this.path, async () => {
			const owner = this.#read(LOCK);
			if (isIdentity(owner) && isSameProcess(owner)) return undefined;
			const lock = await takeHubLock(this.socketName, homeOf(this.#environment));
			if (lock === undefined) return this.#refuseStranger();
			this.#write(LOCK, identityOf(process.pid));
			return lock;
		});
	}

	/** The right to start a hub here; undefined while another process has it. */
	startLock(): Promise<HubLock | undefined> {
		return takeHubLock(`${this.socketName}-start`, homeOf(this.#environment));
	}

	/** Say no more where the hub listens: it ends. Who looks for one then waits for the lock. Never throws. */
	withdraw(): void {
		this.#remove([RECORD]);
	}

	/** Leave: the record and the lock are ours to remove. The next hub needs the list of what we could not end. */
	unlock(): void {
		const names = this.orphans().length > 0 ? [RECORD, LOCK] : [RECORD, PROCESSES, LOCK];
		this.#remove(names);
	}

	/** Remove what a hub that is dead left. Nothing happens while one lives. */
	async clear(): Promise<void> {
		if (!existsSync(this.path)) return;
		await withFolderLock(this.path, async () => {
			if (this.owner() === undefined) this.unlock();
		});
	}

	/** Remember which processes are ours, for who must end them if we cannot. */
	saveProcesses(processes: readonly ProcessIdentity[]): void {
		this.#write(PROCESSES, processes);
	}

	/** Processes that a hub before us left behind and that still live. */
	orphans(): ProcessIdentity[] {
		const list = this.#read(PROCESSES);
		return Array.isArray(list) ? list.filter(isIdentity).filter(isSameProcess) : [];
	}

	/** Make the folder, for this user alone. Throws `bad_input` or `io` with a hint. */
	make(): void {
		makePrivateFolder(...this.#parts);
	}

	/** Throws `bad_input` when the folder belongs to another user or can be written by others. A missing one is fine. */
	assertPrivate(): void {
		assertPrivateFolder(...this.#parts);
	}

	get #registry(): HubRegistry {
		return new HubRegistry(homeOf(this.#environment));
	}

	/** Parts of the path that are ours: `orchestra/hubs/<key>`. What is above belongs to the system or the user. */
	get #parts(): [base: string, ...parts: string[]] {
		const hubs = dirname(this.path);
		return [dirname(dirname(hubs)), basename(dirname(hubs)), basename(hubs), basename(this.path)];
	}

	/** A lock that is held by no process of ours. */
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
		try {
			this.#registry.remove(this.#key);
			for (const name of names) rmSync(join(this.path, name), { force: true });
		} catch {
			// What cannot be removed names a process that is about to end, so nobody believes it.
		}
	}

	#beat(): void {
		const now = new Date();
		utimesSync(join(this.path, RECORD), now, now);
	}

	#read(name: string): unknown {
		const path = join(this.path, name);
		this.assertPrivate();
		assertPrivate(path);
		try {
			return JSON.parse(readRegularText(path));
		} catch {
			return undefined; // not there, or cut by a crash: the same as not there
		}
	}

	#write(name: string, value: unknown): void {
		this.make();
		const temporary = join(this.path, `${name}.${process.pid}`);
		try {
			writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
			renameSync(temporary, join(this.path, name));
		} catch (thrown) {
			throw new OrchestraError('io', `${join(this.path, name)} cannot be written: ${messageOf(thrown)}`, {
				cause: thrown,
				hint: 'Make the folder writable, or name another place with XDG_STATE_HOME.',
			});
		}
	}
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, KEY_CHARACTERS);
}

function homeOf(environment: Readonly<NodeJS.ProcessEnv>): string {
	return environment['HOME'] || homedir();
}
