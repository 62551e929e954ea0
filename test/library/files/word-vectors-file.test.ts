/* The table of word vectors as the library uses it: read late, once, and not needed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledFile } from '../../../src/library/files/bundled-file.ts';
import { readWordVectors } from '../../../src/library/files/word-vectors-file.ts';
import { Library } from '../../../src/library/library.ts';
import { Log } from '../../../src/log.ts';
import { stem } from '../../../src/search/text/stem.ts';
import { NO_ROW } from '../../../src/search/vectors/word-vectors.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const root = temporaryFolder();
mkdirSync(join(root, 'resources', 'guides'), { recursive: true });
writeFileSync(join(root, 'resources', 'guides', 'outage.md'), '# Malfunction\n\nThe engine broke down.\n');
writeFileSync(join(root, 'resources', 'guides', 'bread.md'), '# Bread\n\nFlour and water.\n');

describe('the table of this package', () => {
	it('has vectors for technical terms, similar ones close together', () => {
		const vectors = readWordVectors();
		const row = (word: string) => vectors.rowOf(stem(word));
		for (const word of ['database', 'deadlock', 'kubernetes', 'certificate', 'retry', 'password'])
			expect(row(word)).not.toBe(NO_ROW);
		const like = (one: string, other: string) => vectors.similarity(row(one), row(other));
		expect(like('crash', 'failure')).toBeGreaterThan(like('crash', 'bread'));
		expect(like('password', 'login')).toBeGreaterThan(like('password', 'river'));
	});

	it('finds a document that shares no word with the query, and names the reason', async () => {
		const { found, lines } = await ask(bundledFile('word-vectors.bin'));
		expect(found[0]).toMatchObject({ name: 'guides/outage', kinds: expect.arrayContaining(['meaning']) });
		expect(lines).toEqual([]);
	});
});

describe('a table that cannot be used', () => {
	it('is not loaded before the first search', async () => {
		const lines: string[] = [];
		const log = Log.fromEnvironment('library', { LOG_LEVEL: 'warn' }, (line) => lines.push(line));
		const library = Library.open({
			resources: join(root, 'resources'),
			wordVectors: join(root, 'none'),
			log,
		});
		await library.listResources();
		await library.readResource('orchestr8://guides/bread');
		expect(lines).toEqual([]);
		await library.find('bread');
		await library.close();
		expect(lines).toHaveLength(1);
	});

	it.each([
		['missing', undefined, 'cannot be read (ENOENT)'],
		['cut', readFileSync(bundledFile('word-vectors.bin')).subarray(0, 5_000), 'has 5000 bytes'],
		['of another kind', Buffer.from('no table at all, but some text'), 'does not begin with'],
	])('that is %s gives one warning, and the search uses words only', async (name, bytes, reason) => {
		const file = join(root, `${name}.bin`);
		if (bytes) writeFileSync(file, bytes);
		const { found, lines } = await ask(file);
		expect(found).toEqual([]);
		expect(lines).toHaveLength(1);
		expect(lines[0]).toContain('searching by words alone');
		expect(lines[0]).toContain(reason);
		expect(lines[0]).not.toContain(root);
	});
});

/** Ask twice for what only meaning finds. */
async function ask(
	wordVectors: string,
): Promise<{ found: Array<{ name: string; kinds: string[] }>; lines: string[] }> {
	const lines: string[] = [];
	const log = Log.fromEnvironment('library', { LOG_LEVEL: 'warn' }, (line) => lines.push(line));
	const library = Library.open({ resources: join(root, 'resources'), wordVectors, log });
	await library.find('crashed machine');
	const { matches } = await library.find('crashed machine');
	await library.close();
	return {
		found: matches.map(({ fragment, why }) => ({ name: fragment.name, kinds: why.map(({ kind }) => kind) })),
		lines,
	};
}
