/* The server of the configuration that an argument names, for every command that takes one. */
import type { BlockedFile } from '../../config/trust/blocked.ts';
import { OrchestraError } from '../../errors.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { ServerNames } from '../../trust/tool-name.ts';
import { isAddress, refuseBlocked } from './call-target.ts';

/** Named by itself, by one of its tools (`files__read`) or by its URL. Throws `bad_input` with the nearest names, or with the project file that is not trusted. */
export function serverByName<Entry extends { readonly name: string }>(
	entries: readonly Entry[],
	name: string,
	blocked: readonly BlockedFile[] = [],
): Entry {
	const names = entries.map((each) => each.name);
	const owner = new ServerNames(names).find(name)?.server;
	const entry =
		entries.find((each) => each.name === name) ??
		entries.find((each) => each.name === owner || ('url' in each && each.url === name));
	if (entry) return entry;
	refuseBlocked(name, blocked);
	if (isAddress(name)) {
		throw new OrchestraError('bad_input', `"${name}" is no server of the configuration`, {
			hint: 'mctl add adds it, mctl init imports the servers of clients, mctl list servers shows those that are here',
			data: { server: name },
		});
	}
	const guesses = nearest(name, names);
	throw new OrchestraError('bad_input', `there is no server "${name}"`, {
		hint: didYouMean(guesses, 'mctl list servers shows the servers'),
		data: { server: name, nearest: guesses },
	});
}
