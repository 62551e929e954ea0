/*
 * Which servers the clients have, as one list of names for our configuration.
 *
 * Entries of the same content under one name are one server. Entries of different
 * content are all imported: the first has the name, the others get that of their client too.
 */
import { ownEntry } from '../../wire/json.ts';
import type { ClientFile, ClientServer } from './client-file.ts';
import type { ClientScope } from './client-table.ts';
import { isSameEntry, mergedEntry, type NormalEntry } from './normal-entry.ts';

/** Where one server was found. */
export interface ServerSource {
	readonly file: ClientFile;
	readonly server: ClientServer;
}

/** A server to import. */
export interface FoundServer {
	/** Its name in our configuration. */
	readonly name: string;
	/** Its name in the clients. */
	readonly original: string;
	readonly entry: NormalEntry;
	readonly sources: readonly ServerSource[];
	/** Another server that has the same name in another client. */
	readonly differsFrom: string | undefined;
	/** An earlier server of another name that starts or reaches the same. */
	readonly equals: string | undefined;
}

/** The servers that our configuration has already, by scope. */
export type ExistingServers = Readonly<Record<ClientScope, Readonly<Record<string, NormalEntry>>>>;

/** All servers that can be imported, in the order of the clients. With `isMerged`, equal ones of different names are one. */
export function foundServers(
	files: readonly ClientFile[],
	existing: ExistingServers,
	isMerged = false,
): FoundServer[] {
	const groups = groupsOf(files, isMerged);
	const known = (name: string): NormalEntry[] =>
		[existing.project, existing.user].flatMap((servers) => {
			const entry = ownEntry(servers, name);
			return entry === undefined ? [] : [entry];
		});
	const taken = new Set(groups.map(({ original }) => original));
	const named = new Map<string, string>();
	return groups.map(({ original, entry, sources }, at) => {
		const equals = groups.slice(0, at).find((other) => isSameEntry(other.entry, entry))?.original;
		const imported = isMerged ? equalName(existing, entry) : undefined;
		if (imported !== undefined)
			return { name: imported, original, entry, sources, differsFrom: undefined, equals };
		const isFree = !named.has(original) && known(original).every((other) => isSameEntry(other, entry));
		const isTaken = (each: string): boolean =>
			taken.has(each) || known(each).some((other) => !isSameEntry(other, entry));
		const name = isFree ? original : suffixed(original, sources, isTaken);
		const differsFrom = isFree ? undefined : original;
		taken.add(name);
		named.set(original, name);
		const isDisabled = sources.every(({ server }) => server.entry?.['disabled'] === true);
		const { disabled: _, ...enabled } = entry;
		return { name, original, entry: isDisabled ? entry : enabled, sources, differsFrom, equals };
	});
}

/** The name that an equal server has in our configuration. */
function equalName({ project, user }: ExistingServers, entry: NormalEntry): string | undefined {
	const all = [...Object.entries(project), ...Object.entries(user)];
	return all.find(([, other]) => isSameEntry(other, entry))?.[0];
}

interface ServerGroup {
	readonly original: string;
	entry: NormalEntry;
	readonly sources: ServerSource[];
}

function groupsOf(files: readonly ClientFile[], isMerged: boolean): ServerGroup[] {
	const groups: ServerGroup[] = [];
	for (const file of files) {
		for (const server of file.servers) {
			const { name, entry, isSelf } = server;
			if (entry === undefined || isSelf) continue;
			const same = groups.find(
				(group) => (isMerged || group.original === name) && isSameEntry(group.entry, entry),
			);
			if (same) {
				same.sources.push({ file, server });
				same.entry = mergedEntry(same.entry, entry);
			} else groups.push({ original: name, entry, sources: [{ file, server }] });
		}
	}
	return groups;
}

/** `files-cursor`, then `files-cursor-project`, then `files-cursor-2`. */
function suffixed(
	original: string,
	sources: readonly ServerSource[],
	isTaken: (name: string) => boolean,
): string {
	const client = sources[0]?.file.client.id ?? '';
	const base = `${original}-${client}`;
	const candidates = [base, `${base}-${sources[0]?.server.scope}`];
	for (let count = 2; candidates.every(isTaken); count++) candidates.push(`${base}-${count}`);
	return candidates.find((name) => !isTaken(name)) ?? base;
}
