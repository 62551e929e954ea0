/* Entries of the configuration that would start this program from within itself, recursively, are left out. */
import type { EntryPlace } from '../oauth/account.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { projectRoot } from './project-file.ts';
import type { FileSections } from './sections/sections.ts';
import { isSelfCommand, isStartedBy } from './self-entry.ts';

/** Without those entries; `notes` gets a sentence for each. */
export function withoutSelf(
	sections: FileSections,
	{ environment, root }: { environment: Readonly<NodeJS.ProcessEnv>; root: string },
	notes: string[],
): FileSections {
	const isOther = (place: EntryPlace, record: SpawnRecord): boolean => {
		// The words first: to find a root is several system calls, and a configuration may have hundreds of entries.
		const isOwn = isSelfCommand(record) && projectRoot(record.cwd ?? root, environment['HOME']) === root;
		if (!isOwn && !isStartedBy(environment, place)) return true;
		const why = isOwn ? 'is this program itself' : 'started this process';
		notes.push(`"${place.name}" in ${place.file} ${why}, so it is not started from here`);
		return false;
	};
	return {
		...sections,
		mcpServers: sections.mcpServers.filter(
			(server) => server.kind !== 'stdio' || isOther(server, server.record),
		),
		plugins: sections.plugins.filter(({ id, binary, args, file }) =>
			isOther({ name: id, file }, { command: binary, args }),
		),
	};
}
