/* Words of a command that is copied into a shell. */

/** A word as a POSIX shell reads it back unchanged. */
export function shellWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
