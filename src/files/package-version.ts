/* The version of this package, as its package.json has it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** Reads the file on every call. */
export function packageVersion(): string {
	const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
	// Our own package.json has a version.
	return (JSON.parse(text) as { version: string }).version;
}
