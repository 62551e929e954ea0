/*
 * Words on stdin, one a line; their stems on stdout, and an empty line for words without a
 * subject. For scripts/vectors.py, so that the table has the stems that search asks for.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { root } from './steps.mjs';

const folder = mkdtempSync(join(tmpdir(), 'orchestra-stems-'));
try {
	const input = { stem: 'src/search/text/stem.ts', 'stop-words': 'src/search/text/stop-words.ts' };
	await build({ cwd: root, input, output: { dir: folder, entryFileNames: '[name].mjs' }, logLevel: 'warn' });
	const { stem } = await import(pathToFileURL(join(folder, 'stem.mjs')));
	const { stopWords } = await import(pathToFileURL(join(folder, 'stop-words.mjs')));
	const words = readFileSync(0, 'utf8').split('\n');
	process.stdout.write(words.map((word) => (stopWords.has(word) ? '' : stem(word))).join('\n'));
} finally {
	rmSync(folder, { recursive: true, force: true });
}
