/*
 * A server that is being added or removed has a record in the state folder until that is done.
 *
 * Bundle, secrets, pin and entry are written one after the other. A process that is killed in
 * between leaves some of them, and its record. The next command that adds, removes, compares or
 * upgrades a server reads the record: when the configuration does not have the entry, everything
 * else of it is removed. An entry that is there is whole: it is written last, and removed first.
 * The record is also the lock of the entry: of two processes that change one, the second is refused.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readServerFile } from '../../config/edit/editable-files.ts';
import { OrchestraError } from '../../errors.ts';
import { isAlive, withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { namesIn } from '../../files/names-in.ts';
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

/**
 * Record the change, make it, and remove the record when it is done, or has failed and was taken back. Throws `bad_input`
 * when another process changes the same entry now.
 */
export async function withRecord<T>(
	change: EntryChange,
	environment: Environment,
	make: () => Promise<T>,
): Promise<T> {
	const { file, name } = change;
	const folder = join(stateFolder(environment), FOLDER);
	makeFolders(folder, 0o700);
	const path = join(folder, `${sha256(JSON.stringify([file, name])).slice(0, 32)}.json`);
	await withFolderLock(folder, async () => {
		const other = readState(path);
		if (isObject(other) && isRunning(other)) {
			throw new OrchestraError('bad_input', `another mctl changes "${name}" in ${file} at the moment`, {
				hint: 'Look at what it did, then run the command again.',
			});
		}
		const startTicks = processStat(process.pid)?.startTicks ?? '';
		writeState(path, { ...change, pid: process.pid, startTicks });
	});
	try {
		return await make();
	} finally {
		rmSync(path, { force: true });
	}
}

/** Remove what killed processes left. Never throws: a record that cannot be used now is read again the next time. */
export async function endUnfinished(environment: Environment): Promise<void> {
	const folder = join(stateFolder(environment), FOLDER);
	const names = namesIn(folder).filter((name) => /^\w+\.json$/.test(name));
	for (const name of names) {
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
