/*
 * Entries with the same URL. Each has an account of its own, so a sign-in that an earlier
 * version stored for a URL belongs to an entry only when no other one has that URL:
 * neither in the files that were read, nor in another project that the user trusts.
 */
import { existsSync } from 'node:fs';
import { pathWithoutLinks } from '../files/path-without-links.ts';
import { describeEntry, type EntryPlace } from '../oauth/account.ts';
import type { RemoteServerEntry } from './configuration.ts';
import type { ConfigFile } from './merge-sections.ts';
import { writtenUrl } from './trust/project-effects.ts';
import { TrustRecord } from './trust/trust-record.ts';

/** `sameUrl` of a remote entry: the others with its URL in the files that were read, also those that another file overrides. */
export function sameUrlOf(
	entry: RemoteServerEntry,
	files: readonly ConfigFile[],
): Pick<RemoteServerEntry, 'sameUrl'> {
	const sameUrl = files
		.flatMap(({ sections }) => sections.mcpServers)
		.filter((other) => other.kind !== 'stdio' && other.url === entry.url && !isSame(other, entry))
		.map(({ file, name }) => ({ file, name }));
	return sameUrl.length === 0 ? {} : { sameUrl };
}

/** The other entries with the URL of this one, in prose. Reads the record of trusted projects. */
export function otherEntries(
	entry: Pick<RemoteServerEntry, 'url' | 'name' | 'file' | 'sameUrl'>,
	environment: Readonly<NodeJS.ProcessEnv>,
): string[] {
	const near = (entry.sameUrl ?? []).map(({ file, name }) => ({ file: pathWithoutLinks(file), name }));
	const known = [{ file: pathWithoutLinks(entry.file), name: entry.name }, ...near];
	const far = TrustRecord.ofUser(environment)
		.list()
		.filter(({ path }) => existsSync(path))
		.flatMap(({ path: file, runs }) => recordedEntries(file, runs, entry.url))
		.filter((place) => !known.some((each) => isSame(each, place)));
	return [...near, ...far].map(describeEntry);
}

/** A record has URLs without their query: two that differ only there count as the same. */
function recordedEntries(file: string, runs: Readonly<Record<string, string>>, url: string): EntryPlace[] {
	const written = writtenUrl(url);
	return Object.entries(runs).flatMap(([effect, text]) => {
		const name = /^server (.+)$/s.exec(effect)?.[1];
		return name !== undefined && text.split('; ', 1)[0] === written ? [{ file, name }] : [];
	});
}

function isSame(one: EntryPlace, other: EntryPlace): boolean {
	return one.file === other.file && one.name === other.name;
}
