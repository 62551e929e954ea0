/*
 * A part of a text that holds on to nothing else.
 *
 * The engine keeps a part of a string as a reference to the whole: a title cut
 * out of a file would keep the file in memory. A string that was put together
 * and then cut is laid out anew, at the length that it has.
 */

/** The same characters in memory of their own. */
export function ownCopy(part: string): string {
	return ` ${part}`.slice(1);
}
