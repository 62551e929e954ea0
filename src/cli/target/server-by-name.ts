/* The server of the configuration that an argument names, for every command that takes one. */
import type { BlockedFile } from '../../config/trust/blocked.ts';
import { OrchestraError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { refuseBlocked } from './call-target.ts';

/** Throws `bad_input` with the nearest names, or with the project file that is not trusted. */
export function serverByName<Entry extends { readonly name: string }>(
	entries: readonly Entry[],
	name: string,
	blocked: readonly BlockedFile[] = [],
): Entry {
	const entry = entries.find((each) => each.name === name);
	if (entry) return entry;
	refuseBlocked(name, blocked);
	const names = entries.map((each) => each.name);
	const guesses = nearest(name, names);
	throw new OrchestraError('bad_input', `there is no server "${name}"`, {
		hint: guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : 'mctl list servers shows the servers',
		data: { server: name, nearest: guesses },
	});
}
