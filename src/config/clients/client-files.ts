/* Find and read the configuration files of all clients. A broken file is reported and left alone. */
import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, OrchestraError } from '../../errors.ts';
import { CLIENT_FOLDER_FILES_LIMIT } from '../config-limits.ts';
import { exists } from '../project-file.ts';
import { type ClientFile, readClientFile } from './client-file.ts';
import { type ClientLocation, clientLocations, type Machine } from './client-table.ts';

export interface ClientFiles {
	readonly files: readonly ClientFile[];
	/** Files that exist but cannot be used, with the error. */
	readonly broken: readonly { readonly location: ClientLocation; readonly error: OrchestraError }[];
}

export function readClientFiles(machine: Machine): ClientFiles {
	const files: ClientFile[] = [];
	const broken: ClientFiles['broken'][number][] = [];
	const seen = new Set<string>();
	for (const location of clientLocations(machine).flatMap(existing)) {
		const place = realpathSync(location.path);
		if (seen.has(place)) continue;
		seen.add(place);
		try {
			files.push(readClientFile(location, machine.project));
		} catch (error) {
			broken.push({ location, error: OrchestraError.from(error, 'io') });
		}
	}
	return { files, broken };
}

function existing(location: ClientLocation): ClientLocation[] {
	const paths = location.path.endsWith('*') ? filesIn(dirname(location.path)) : [location.path];
	return paths.filter(exists).map((path) => ({ ...location, path }));
}

function filesIn(folder: string): string[] {
	// There may be no such folder.
	return attempt(
		() =>
			readdirSync(folder)
				.filter((name) => /\.(?:ya?ml|json)$/.test(name))
				.sort()
				.slice(0, CLIENT_FOLDER_FILES_LIMIT)
				.map((name) => join(folder, name)),
		[],
	);
}
