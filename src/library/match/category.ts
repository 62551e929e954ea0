/*
 * Names of categories, as users write them. A folder is called `agents`; a request may say
 * `agent`, `Agents` or `AGENT` and means the same.
 */

/** Equal for all spellings of one category: lower case, singular. */
export function categoryKey(name: string): string {
	const lower = name.toLowerCase();
	if (lower.endsWith('ies')) return `${lower.slice(0, -'ies'.length)}y`;
	if (/(?:ss|x|ch|sh)es$/.test(lower)) return lower.slice(0, -'es'.length);
	return /[^s]s$/.test(lower) ? lower.slice(0, -1) : lower;
}
