/* The server that a word of `mctl trust` names. */
import { OrchestraError } from '../errors.ts';
import { nearest } from '../search/text/nearest.ts';

/** Throws `bad_input` with the nearest names. */
export function serverNamed<Entry extends { readonly name: string }>(
	entries: readonly Entry[],
	name: string,
): Entry {
	const entry = entries.find((each) => each.name === name);
	if (entry) return entry;
	const names = entries.map((each) => each.name);
	const guesses = nearest(name, names);
	throw new OrchestraError('bad_input', `there is no enabled MCP server "${name}"`, {
		hint: guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : 'mctl list servers shows the servers',
		data: { server: name, nearest: guesses },
	});
}
