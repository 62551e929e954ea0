/*
 * The project files that the user trusts: path, SHA-256 and what each would run, in
 * `trust/projects.json` of the state folder.
 *
 * Trust is for bytes at a place. The path is that of the folder without links plus the
 * name of the file, not the target of a link: the paths in a file count from its folder.
 * The last few versions of a file stay trusted, so that an edit can be recorded before it
 * is written, and a branch that was trusted stays so.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, OrchestraError } from '../../errors.ts';
import { SMALL_FILE_LIMIT_BYTES } from '../../files/files-limits.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { pathWithoutLinks } from '../../files/path-without-links.ts';
import { assertPrivate, makePrivate } from '../../files/private-path.ts';
import { sha256 } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { isObject } from '../../wire/json.ts';
import { TRUSTED_FILES_LIMIT, TRUSTED_VERSIONS_LIMIT } from '../config-limits.ts';
import { otherStateFolders, recordStateFolder } from './other-records.ts';

/** A project file that the user trusts. */
export interface TrustedProject {
	readonly path: string;
	/** ISO 8601. */
	readonly trustedAt: string;
	/** The hashes of the trusted versions, the latest first. */
	readonly sha256: readonly string[];
	/** The programs and settings of the latest version: a text by the name of each. */
	readonly runs: Readonly<Record<string, string>>;
}

export class TrustRecord {
	/** The file of the record. It may not exist. */
	readonly file: string;
	readonly #onTrusted: () => Promise<void>;

	/** @param onTrusted called after something was trusted */
	constructor(file: string, onTrusted: () => Promise<void> = async () => {}) {
		this.file = file;
		this.#onTrusted = onTrusted;
	}

	static ofUser(environment: Readonly<NodeJS.ProcessEnv>): TrustRecord {
		return new TrustRecord(recordFile(stateFolder(environment)), () => recordStateFolder(environment));
	}

	/** The state folder of this user, other than that of the environment, under which these bytes are trusted. */
	static otherFolderOf(
		file: string,
		bytes: Uint8Array,
		environment: Readonly<NodeJS.ProcessEnv>,
	): string | undefined {
		return otherStateFolders(environment).find((folder) => {
			// A record that cannot be used trusts nothing.
			return attempt(() => new TrustRecord(recordFile(folder)).has(file, bytes), false);
		});
	}

	/** The record of a file; undefined when it was never trusted. Throws `bad_input` when another user may write the record. */
	find(file: string): TrustedProject | undefined {
		const path = pathWithoutLinks(file);
		return this.list().find((project) => project.path === path);
	}

	/** Whether these bytes are trusted at this place. Throws as `find` does. */
	has(file: string, bytes: Uint8Array): boolean {
		return this.find(file)?.sha256.includes(sha256(bytes)) ?? false;
	}

	/** All of them, the latest first. Throws as `find` does. */
	list(): TrustedProject[] {
		assertPrivate(dirname(this.file));
		if ((statSync(this.file, { throwIfNoEntry: false })?.size ?? 0) > SMALL_FILE_LIMIT_BYTES)
			throw new OrchestraError(
				'bad_input',
				`${this.file} is too large to be read, so no project is trusted`,
				{
					hint: 'Remove it, and trust your projects again: mctl trust',
				},
			);
		const value = readState(this.file);
		const projects = isObject(value) && Array.isArray(value['projects']) ? value['projects'] : [];
		return projects.filter(isProject);
	}

	/** Trust these bytes at this place. Throws system errors, and `timeout` while another process has the lock. */
	async trust(file: string, bytes: Uint8Array, runs: Readonly<Record<string, string>>): Promise<void> {
		const path = pathWithoutLinks(file);
		const hash = sha256(bytes);
		await this.#change((projects) => {
			const others = projects.filter((project) => project.path !== path);
			const known = projects.find((project) => project.path === path)?.sha256 ?? [];
			const hashes = [hash, ...known.filter((each) => each !== hash)].slice(0, TRUSTED_VERSIONS_LIMIT);
			return [{ path, trustedAt: new Date().toISOString(), sha256: hashes, runs }, ...others].slice(
				0,
				TRUSTED_FILES_LIMIT,
			);
		});
		await this.#onTrusted();
	}

	/** Trust these files no longer. Returns those that were trusted. */
	async revoke(isRevoked: (path: string) => boolean): Promise<string[]> {
		const revoked: string[] = [];
		await this.#change((projects) => {
			revoked.push(...projects.map(({ path }) => path).filter(isRevoked));
			return projects.filter(({ path }) => !isRevoked(path));
		});
		return revoked;
	}

	async #change(edit: (projects: TrustedProject[]) => TrustedProject[]): Promise<void> {
		const folder = dirname(this.file);
		makeFolders(folder, 0o700);
		assertPrivate(folder);
		makePrivate(folder, 0o700);
		await withFolderLock(folder, async () =>
			writeState(this.file, { projects: readable(edit(this.list())) }),
		);
	}
}

function recordFile(folder: string): string {
	return join(folder, 'trust', 'projects.json');
}

/** Without the oldest ones that would make the record too large to be read. */
function readable(projects: readonly TrustedProject[]): readonly TrustedProject[] {
	const bytes = Buffer.byteLength(JSON.stringify({ projects }));
	return bytes <= SMALL_FILE_LIMIT_BYTES || projects.length < 2 ? projects : readable(projects.slice(0, -1));
}

function isProject(value: unknown): value is TrustedProject {
	return (
		isObject(value) &&
		typeof value['path'] === 'string' &&
		typeof value['trustedAt'] === 'string' &&
		Array.isArray(value['sha256']) &&
		isObject(value['runs'])
	);
}
