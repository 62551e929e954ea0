/*
 * The registry of this user's running hubs: one small file each in `~/.orchestra/hubs`.
 *
 * The state folder of a hub depends on XDG_STATE_HOME, which agents often do not pass
 * on, so a terminal and a bridge could look in different folders and run two hubs. Both
 * know the home folder, so the hub records the path of its state folder there. An entry
 * is valid only while the process that wrote it lives.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { namesIn } from '../../files/names-in.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { isObject } from '../../wire/json.ts';
import { homeFolder } from './private-folder.ts';
import { isSameProcess, type ProcessIdentity } from './process-identity.ts';

/** A running hub and its state folder. */
export interface HubEntry extends ProcessIdentity {
	/** The folder whose configuration it serves. */
	readonly root: string;
	readonly statePath: string;
	readonly startedAt: string;
}

export class HubRegistry {
	readonly #home: string;

	constructor(home: string) {
		this.#home = home;
	}

	/** Where the hub with this key is recorded. */
	fileOf(key: string): string {
		return join(this.#folder, `${key}.json`);
	}

	/** The running hub with this key; undefined when none is recorded. */
	find(key: string): HubEntry | undefined {
		const entry = this.#read(`${key}.json`);
		return entry !== undefined && isSameProcess(entry) ? entry : undefined;
	}

	/** Every running hub. Entries of dead hubs are removed. */
	list(): HubEntry[] {
		return this.#names().flatMap((name) => {
			const entry = this.#read(name);
			if (entry === undefined) return [];
			if (isSameProcess(entry)) return [entry];
			rmSync(join(this.#folder, name), { force: true });
			return [];
		});
	}

	/** Record a hub, unless the same entry is recorded. */
	record(key: string, entry: HubEntry): void {
		if (JSON.stringify(this.#read(`${key}.json`)) === JSON.stringify(entry)) return;
		writeState(join(homeFolder(this.#home, 'hubs'), `${key}.json`), entry);
	}

	/** Remove the entry of this process or of a dead one. */
	remove(key: string): void {
		const entry = this.#read(`${key}.json`);
		if (entry !== undefined && entry.pid !== process.pid && isSameProcess(entry)) return;
		// A home that cannot be written has no entry.
		attempt(() => rmSync(join(this.#folder, `${key}.json`), { force: true }));
	}

	get #folder(): string {
		return join(this.#home, '.orchestra', 'hubs');
	}

	#names(): string[] {
		// No hub ever ran.
		return namesIn(this.#folder).filter((name) => /^[0-9a-f]+\.json$/.test(name));
	}

	#read(name: string): HubEntry | undefined {
		// What is damaged or written by another user is the same as absent.
		return attempt(() => {
			assertPrivate(this.#folder);
			const value = readState(join(this.#folder, name));
			return isHubEntry(value) ? value : undefined;
		});
	}
}

function isHubEntry(value: unknown): value is HubEntry {
	if (!isObject(value) || !Number.isSafeInteger(value['pid'])) return false;
	return ['startTime', 'root', 'statePath', 'startedAt'].every((name) => typeof value[name] === 'string');
}
