/* A program of the tests that imports the sources, as one file that Node runs. */
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import { temporaryFolder } from './workspace.ts';

/** Bundle `entry` into a folder that vanishes with the test. Packages are found through `NODE_PATH`. */
export function bundle(entry: string): string {
	const outfile = join(temporaryFolder(), basename(entry));
	buildSync({
		entryPoints: [entry],
		outfile,
		bundle: true,
		format: 'esm',
		platform: 'node',
		packages: 'external',
		logLevel: 'warning',
	});
	return outfile;
}
