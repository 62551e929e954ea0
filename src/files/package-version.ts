/* The version of this package, as its package.json has it. */
import { readFileSync } from 'node:fs';

/** Reads the file each time: keep it. */
export function packageVersion(): string {
	const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
	// Our own package.json has a version.
	return (JSON.parse(text) as { version: string }).version;
}
