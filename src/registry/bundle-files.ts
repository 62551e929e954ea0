/*
 * The files of a bundle (`.mcpb`): a zip archive of another author.
 *
 * Nothing of it is trusted: names that lead out of the folder, links, encrypted files,
 * too many files and too many bytes are refused before the first one is written. It is
 * unpacked beside its place and moved there whole.
 */
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import { isCode, messageOf, OrchestraError } from '../errors.ts';
import { isInside } from '../files/is-inside.ts';
import { makeFolders } from '../files/make-folders.ts';
import { sha256 } from '../files/sha256.ts';
import { stateFolder } from '../files/state-folder.ts';
import { BUNDLE_FILES, MANIFEST_BYTES, UNPACKED_BYTES } from './registry-limits.ts';

const FOLDER = 'bundles';
const FILE_TYPE_BITS = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
/** Errors that are about the place, whatever the bundle has. */
const placeCodes = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE'];

/** The manifest of a bundle, parsed. Throws `bad_input` when it is no bundle. */
export async function readBundleManifest(archive: Buffer): Promise<unknown> {
	try {
		const { zip, entries } = await checkedEntries(archive);
		const manifest = entries.find(({ fileName }) => fileName === 'manifest.json');
		if (manifest === undefined) throw notABundle('it has no manifest.json');
		if (manifest.uncompressedSize > MANIFEST_BYTES)
			throw notABundle(`its manifest.json is larger than ${MANIFEST_BYTES} bytes`);
		return JSON.parse((await buffer(await zip.openReadStreamPromise(manifest))).toString('utf8'));
	} catch (error) {
		throw OrchestraError.is(error) ? error : notABundle(messageOf(error));
	}
}

/** Where the bundle of an entry of the configuration is unpacked: one folder for each entry, so that it can be removed with it. */
export function bundleFolder(
	hash: string,
	entry: { readonly file: string; readonly name: string },
	environment: Readonly<NodeJS.ProcessEnv>,
): string {
	const owner = sha256(JSON.stringify([entry.file, entry.name]));
	return join(stateFolder(environment), FOLDER, `${hash.slice(0, 24)}-${owner.slice(0, 12)}`);
}

/** Unpack the archive of a bundle into `folder`, which is there whole afterwards or not at all. */
export async function unpack(archive: Buffer, folder: string, signal?: AbortSignal): Promise<void> {
	const draft = draftOf(folder, process.pid);
	const remove = (path: string): void => rmSync(path, { recursive: true, force: true });
	remove(draft);
	try {
		const { zip, entries } = await checkedEntries(archive);
		makeFolders(draft, 0o700);
		for (const entry of entries) {
			signal?.throwIfAborted();
			await writeEntry(zip, entry, draft);
		}
		if (existsSync(folder)) remove(folder); // left by a remove that was interrupted
		renameSync(draft, folder);
	} catch (error) {
		remove(draft);
		signal?.throwIfAborted();
		if (isCode(error, ...placeCodes)) {
			const message = `the bundle cannot be unpacked into ${dirname(folder)}: ${messageOf(error)}`;
			throw new OrchestraError('io', message, { cause: error });
		}
		throw OrchestraError.is(error) ? error : notABundle(messageOf(error));
	}
}

/** Remove the bundle of an entry. */
export function removeBundle(folder: string, environment: Readonly<NodeJS.ProcessEnv>): void {
	if (dirname(folder) === join(stateFolder(environment), FOLDER))
		rmSync(folder, { recursive: true, force: true });
}

/** Remove what a process with this id left when it was killed while it unpacked. */
export function removeBundleDraft(
	folder: string,
	pid: number,
	environment: Readonly<NodeJS.ProcessEnv>,
): void {
	removeBundle(draftOf(folder, pid), environment);
}

function draftOf(folder: string, pid: number): string {
	return `${folder}.${pid}.tmp`;
}

async function checkedEntries(archive: Buffer): Promise<{ zip: ZipFile; entries: Entry[] }> {
	const { fromBufferPromise } = await import('yauzl');
	const zip = await fromBufferPromise(archive, {
		strictFileNames: true,
		validateEntrySizes: true,
	});
	if (zip.entryCount > BUNDLE_FILES) throw notABundle(`it has more than ${BUNDLE_FILES} files`);
	const entries: Entry[] = [];
	let total = 0;
	for await (const entry of zip.eachEntry()) {
		total += entry.uncompressedSize;
		if (entries.push(entry) > BUNDLE_FILES) throw notABundle(`it has more than ${BUNDLE_FILES} files`);
		if (total > UNPACKED_BYTES)
			throw notABundle(`its files are larger than ${UNPACKED_BYTES} bytes together`);
		const problem = problemOf(entry);
		if (problem !== undefined) throw notABundle(`"${entry.fileName}" ${problem}`);
	}
	return { zip, entries };
}

/** The library refuses absolute names, `..` and backslashes. */
function problemOf(entry: Entry): string | undefined {
	const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_BITS;
	if (type !== 0 && type !== REGULAR && type !== DIRECTORY) return 'is a link or a device';
	if (entry.isEncrypted()) return 'is encrypted';
	return entry.fileName.includes('\0') ? 'is no name of a file' : undefined;
}

async function writeEntry(zip: ZipFile, entry: Entry, folder: string): Promise<void> {
	const path = join(folder, entry.fileName);
	if (!isInside(path, folder)) throw notABundle(`"${entry.fileName}" leads out of it`);
	if (entry.fileName.endsWith('/')) return void makeFolders(path, 0o755);
	makeFolders(dirname(path), 0o755);
	const isProgram = ((entry.externalFileAttributes >>> 16) & 0o111) !== 0;
	// A name that is there twice is refused.
	const file = createWriteStream(path, { flags: 'wx', mode: isProgram ? 0o755 : 0o644 });
	await pipeline(await zip.openReadStreamPromise(entry), file);
}

function notABundle(reason: string): OrchestraError {
	return new OrchestraError('bad_input', `the bundle cannot be used: ${reason}`, {
		hint: 'Get it again from its author; a bundle is made with `npx @anthropic-ai/mcpb pack`.',
	});
}
