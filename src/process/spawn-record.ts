/* What to start, as data: the same record comes from a configuration file, a URI or a program. */

export interface SpawnRecord {
	/** A program: a name to look up on PATH, or a path. Never a shell line. */
	readonly command: string;
	readonly args?: readonly string[] | undefined;
	/** Added to the minimal environment. */
	readonly env?: Readonly<Record<string, string>> | undefined;
	readonly cwd?: string | undefined;
	/** How long a request to this program may take, in milliseconds. */
	readonly timeoutMs?: number | undefined;
}

/** The record as a person would type it. Environment values are left out: they may be secrets. */
export function commandLine({ command, args = [] }: SpawnRecord): string {
	return [command, ...args]
		.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
		.join(' ');
}
