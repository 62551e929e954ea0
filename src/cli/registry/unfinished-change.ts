/*
 * A server that is being added or removed has a record in the state folder until that is done.
 *
 * Bundle, secrets, pin and entry are written one after the other. A process that is killed in
 * between leaves some of them, and its record. The next command that adds, removes, compares or
 * upgrades a server reads the record: when the configuration does not have the entry, everything
 * else of it is removed. An entry that is there is whole: it is written last, and removed first.
 */
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readServerFile } from '../../config/edit/editable-files.ts';
import { attempt } from '../../errors.ts';
import { isAlive } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { removeDraftOf } from '../../files/replace-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { processStat } from '../../process/process-stat.ts';
import { removeBundle, removeBundleDraft } from '../../registry/bundle-files.ts';
import { removeStored, storedFile } from '../../secrets/store-secret.ts';
import { pinPlace } from '../../trust/pins/pin-place.ts';
import { PinStore } from '../../trust/pins/pin-store.ts';
import { isObject } from '../../wire/json.ts';

const FOLDER = 'unfinished';

/** One entry, and what belongs to it outside of the configuration. */
export interface EntryChange {
	/** The configuration file. */
	readonly file: string;
	readonly name: string;
	/** Where its bundle is unpacked; null for another kind of server. */
	readonly bundle: string | null;
	/** References to its secrets, those that are not stored yet included. */
	readonly secrets: readonly string[];
}

type Environment = Readonly<NodeJS.ProcessEnv>;

/** Record the change, make it, and remove the record when it is done, or has failed and was taken back. */
export async function withRecord(
	change: EntryChange,
	environment: Environment,
	make: () => Promise<void>,
): Promise<void> {
	const folder = join(stateFolder(environment), FOLDER);
	makeFolders(folder, 0o700);
	const path = join(folder, `${sha256(JSON.stringify([change.file, change.name])).slice(0, 32)}.json`);
	writeState(path, { ...change, pid: process.pid, startTicks: processStat(process.pid)?.startTicks ?? '' });
	try {
		await make();
	} finally {
		rmSync(path, { force: true });
		attempt(() => rmdirSync(folder)); // other records are in it
	}
}

/** Remove what killed processes left. Never throws: a record that cannot be used now is read again the next time. */
export async function endUnfinished(environment: Environment): Promise<void> {
	const folder = join(stateFolder(environment), FOLDER);
	for (const name of attempt(() => readdirSync(folder), [])) {
		const path = join(folder, name);
		try {
			const record = readState(path);
			if (isObject(record) && isRunning(record)) continue;
			if (isChange(record)) await endChange(record, environment);
			rmSync(path, { force: true });
		} catch {
			// The configuration does not parse, or the lock file is damaged: its owner sees that elsewhere.
		}
	}
}

/** Remove everything of an entry that the configuration does not have. */
export async function removeLeftovers(change: EntryChange, environment: Environment): Promise<void> {
	const { file, name, bundle, secrets } = change;
	await removeStored(secrets, environment);
	if (bundle !== null) removeBundle(bundle, environment);
	const store = new PinStore(pinPlace(file, environment));
	if (store.packages().has(name)) await store.setPackage(name, undefined);
}

async function endChange(change: EntryChange & { pid: number }, environment: Environment): Promise<void> {
	const { file, name, bundle, secrets, pid } = change;
	const replaced = [file, pinPlace(file, environment).lockFile, ...secrets.flatMap(storedFile)];
	for (const path of replaced) removeDraftOf(path, pid);
	if (bundle !== null) removeBundleDraft(bundle, pid, environment);
	const { servers } = readServerFile('project', file);
	if (!Object.hasOwn(servers, name)) await removeLeftovers(change, environment);
}

function isRunning({ pid, startTicks }: Record<string, unknown>): boolean {
	if (typeof pid !== 'number' || !isAlive(pid)) return false;
	const stat = processStat(pid);
	return stat === undefined || stat.startTicks === startTicks;
}

/** Whether a file of the state folder is a record; one that was cut is not. */
function isChange(value: unknown): value is EntryChange & { pid: number } {
	if (!isObject(value)) return false;
	const { file, name, bundle, secrets, pid } = value;
	const areStrings = Array.isArray(secrets) && secrets.every((each) => typeof each === 'string');
	const isBundle = bundle === null || typeof bundle === 'string';
	return (
		areStrings &&
		isBundle &&
		[file, name].every((each) => typeof each === 'string') &&
		typeof pid === 'number'
	);
}
