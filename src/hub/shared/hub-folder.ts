/*
 * The folder of one shared hub: one per user and configuration. It holds the lock,
 * the record of where the hub listens, its log, its journal and the list of its
 * processes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withFolderLock } from '../../quic/folder-lock.ts';
import { isObject } from '../../wire/json.ts';
import { identityOf, isSameProcess, type ProcessIdentity } from './process-identity.ts';

const KEY_CHARACTERS = 12;
const LOCK = 'hub.lock';

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
		const record = this.#read('hub.json');
		if (!isHubRecord(record) || !isSameProcess(record)) return undefined;
		// The hub itself can be asked, so what is garbled here only costs a moment.
		return Array.isArray(record.features) ? record : { ...record, features: undefined };
	}

	announce(record: HubRecord): void {
		this.#write('hub.json', record);
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

	/** Leave: the record and the lock are ours to remove. */
	unlock(): void {
		for (const name of ['hub.json', 'processes.json', LOCK]) rmSync(join(this.path, name), { force: true });
	}

	/** Remember which processes are ours, for the next hub if we cannot end them ourselves. */
	rememberProcesses(processes: readonly ProcessIdentity[]): void {
		this.#write('processes.json', processes);
	}

	/** Processes that a hub before us left behind and that still live. */
	leftovers(): ProcessIdentity[] {
		const list = this.#read('processes.json');
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
		const temporary = join(this.path, `${name}.${process.pid}`);
		writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
		renameSync(temporary, join(this.path, name));
	}
}

function isIdentity(value: unknown): value is ProcessIdentity {
	return isObject(value) && typeof value['pid'] === 'number' && typeof value['startTime'] === 'string';
}

function isHubRecord(value: unknown): value is HubRecord {
	return isIdentity(value) && 'address' in value && typeof value.address === 'string' && 'certsDir' in value;
}
