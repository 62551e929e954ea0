/* The names that pins are stored under: MCP servers as they are called, groups of the fabric with a prefix. */

const FABRIC_PREFIX = 'fabric:';

/** The name of the pins of a group of the fabric. */
export function fabricSource(group: string): string {
	return FABRIC_PREFIX + group;
}

/** A source of tools for a sentence. */
export function sourceTitle(name: string): string {
	return name.startsWith(FABRIC_PREFIX)
		? `the group ${name.slice(FABRIC_PREFIX.length)} of the fabric`
		: `the MCP server ${name}`;
}
