/*
 * The folder of one shared hub: one per user and configuration. It holds the lock,
 * the record of where the hub listens, its log, its journal and the list of its
 * processes.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseDialAddress } from '../../quic/address.ts';
import { withFolderLock } from '../../quic/folder-lock.ts';
import { isObject } from '../../wire/json.ts';
import { identityOf, isSameProcess, type ProcessIdentity } from './process-identity.ts';

const KEY_CHARACTERS = 12;
const LOCK = 'hub.lock';
const RECORD = 'hub.json';
const PROCESSES = 'processes.json';

/** Where a running hub is found. */
export interface HubRecord extends ProcessIdentity {
	readonly address: string;
	readonly certsDir: string;
	/** The folder whose configuration it serves. */
	readonly root: string;
	readonly startedAt: string;
	/** What it offers beyond the common protocol; unknown when it does not say. */
	readonly features?: readonly string[] | undefined;
}

export class HubFolder {
	readonly path: string;

	/** @param root the folder of the configuration */
	constructor(root: string, environment: Readonly<NodeJS.ProcessEnv>) {
		const base = environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state');
		const key = createHash('sha256').update(root).digest('hex').slice(0, KEY_CHARACTERS);
		this.path = join(base, 'orchestra', 'hubs', key);
	}

	get logFile(): string {
		return join(this.path, 'hub.log');
	}

	get journalFile(): string {
		return join(this.path, 'journal.ndjson');
	}

	/** The running hub; undefined when there is none. What a dead one left is not looked at. */
	running(): HubRecord | undefined {
		const record = this.#read(RECORD);
		if (!isHubRecord(record) || !isSameProcess(record)) return undefined;
		// The hub itself can be asked, so what is garbled here only costs a moment.
		return Array.isArray(record.features) ? record : { ...record, features: undefined };
	}

	/** The living process that is the hub here, even when it does not say (any more) where it listens. */
	owner(): ProcessIdentity | undefined {
		const owner = this.#read(LOCK);
		return isIdentity(owner) && isSameProcess(owner) ? owner : this.running();
	}

	announce(record: HubRecord): void {
		this.#write(RECORD, record);
	}

	/** Write record and lock again if they were deleted or garbled. Those of another hub that lives stay. */
	keepAnnounced(record: HubRecord): void {
		const { pid, startTime, address } = record;
		const isOurs = (found: unknown): boolean =>
			isIdentity(found) && found.pid === pid && found.startTime === startTime;
		const [lock, found] = [this.#read(LOCK), this.#read(RECORD)];
		const isFound = isOurs(found) && isHubRecord(found) && found.address === address;
		// Asking whether a process lives costs a process of its own on some systems, and all is nearly always well.
		if (isFound && isOurs(lock)) return;
		if (this.owner() !== undefined && !isOurs(this.owner())) return;
		if (!isFound) this.announce(record);
		if (!isOurs(lock)) this.#write(LOCK, { pid, startTime });
	}

	/** Take the place of the hub here. False when another process has it. */
	async lock(): Promise<boolean> {
		mkdirSync(this.path, { recursive: true, mode: 0o700 });
		// Looking at the old owner and taking its place must be one step, or two could take it at once.
		return withFolderLock(this.path, async () => {
			const owner = this.#read(LOCK);
			if (isIdentity(owner) && isSameProcess(owner)) return false;
			this.#write(LOCK, identityOf(process.pid));
			return true;
		});
	}

	/** Leave: the record and the lock are ours to remove. The next hub needs the list of what we could not end. */
	unlock(): void {
		const names = this.leftovers().length > 0 ? [RECORD, LOCK] : [RECORD, PROCESSES, LOCK];
		for (const name of names) rmSync(join(this.path, name), { force: true });
	}

	/** Remove what a hub that is dead left. Nothing happens while one lives. */
	async clear(): Promise<void> {
		if (!existsSync(this.path)) return;
		await withFolderLock(this.path, async () => {
			if (this.owner() === undefined) this.unlock();
		});
	}

	/** Remember which processes are ours, for who must end them if we cannot. */
	rememberProcesses(processes: readonly ProcessIdentity[]): void {
		this.#write(PROCESSES, processes);
	}

	/** Processes that a hub before us left behind and that still live. */
	leftovers(): ProcessIdentity[] {
		const list = this.#read(PROCESSES);
		return Array.isArray(list) ? list.filter(isIdentity).filter(isSameProcess) : [];
	}

	#read(name: string): unknown {
		try {
			return JSON.parse(readFileSync(join(this.path, name), 'utf8'));
		} catch {
			return undefined; // not there, or cut by a crash: the same as not there
		}
	}

	#write(name: string, value: unknown): void {
		mkdirSync(this.path, { recursive: true, mode: 0o700 });
		const temporary = join(this.path, `${name}.${process.pid}`);
		writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
		renameSync(temporary, join(this.path, name));
	}
}

function isIdentity(value: unknown): value is ProcessIdentity {
	return isObject(value) && Number.isSafeInteger(value['pid']) && typeof value['startTime'] === 'string';
}

function isHubRecord(value: unknown): value is HubRecord {
	if (!isObject(value) || !isIdentity(value)) return false;
	const texts = ['certsDir', 'root', 'startedAt'].map((name) => value[name]);
	return texts.every((text) => typeof text === 'string') && isAddress(value['address']);
}

function isAddress(value: unknown): boolean {
	try {
		return typeof value === 'string' && parseDialAddress(value).port > 0;
	} catch {
		return false; // it says what is wrong with it; here only whether matters
	}
}
