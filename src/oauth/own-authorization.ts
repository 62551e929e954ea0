/* A server whose entry has credentials of its own. */

/** True when the headers have an `Authorization`, which is sent as it is and replaces OAuth. */
export function hasOwnAuthorization(headers: Readonly<Record<string, unknown>>): boolean {
	return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
}
