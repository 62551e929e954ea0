/* What is in a folder that may not exist. */
import { readdirSync } from 'node:fs';
import { attempt } from '../errors.ts';

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): string[] {
	return attempt(() => readdirSync(folder), []);
}
