/* A program of the tests that imports the sources, as one file that Node runs. */
import { basename, join } from 'node:path';
import { build } from 'rolldown';
import { temporaryFolder } from './workspace.ts';

/** Bundle `entry` into a folder that vanishes with the test. Packages are found through `NODE_PATH`, or from `folder`. */
export async function bundle(entry: string, folder: string = temporaryFolder()): Promise<string> {
	const file = join(folder, basename(entry));
	await build({
		input: entry,
		platform: 'node',
		external: (id) => !id.startsWith('.') && !id.startsWith('/'),
		output: { file, format: 'esm', codeSplitting: false },
		logLevel: 'warn',
	});
	return file;
}
