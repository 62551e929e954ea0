/* The list of concepts as the library uses it: read late, once, and not needed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledFile } from '../../../src/library/files/bundled-file.ts';
import { FragmentStore } from '../../../src/library/files/fragment-store.ts';
import { WORD_LIST_LIMIT_BYTES } from '../../../src/library/files/library-limits.ts';
import { readConcepts } from '../../../src/library/files/word-list-files.ts';
import { Library } from '../../../src/library/library.ts';
import { Finder } from '../../../src/library/match/finder.ts';
import { readMatchRequest } from '../../../src/library/match/match-request.ts';
import { Log } from '../../../src/log.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const root = temporaryFolder();

describe('the list of this package', () => {
	it('leads from everyday words to technical terms', () => {
		const concepts = readConcepts();
		const termsOf = (question: string) => concepts.expand(question.split(' ')).map(({ form }) => form);
		expect(concepts.size).toBeGreaterThan(1_000);
		expect(termsOf('a customer was charged twice')).toContain('idempotent');
		expect(termsOf('a password was pushed to github')).toContain('rotate');
	});

	it('are used by the library, which names the reason', async () => {
		const resources = join(root, 'resources', 'guides');
		mkdirSync(resources, { recursive: true });
		writeFileSync(join(resources, 'keys.md'), '# Idempotency\n\nOne key for each order.\n');
		writeFileSync(join(resources, 'bread.md'), '# Bread\n\nFlour and water.\n');
		const library = Library.open({ resources: join(root, 'resources') });
		const { matches } = await library.find('somebody was billed twice');
		await library.close();
		expect(matches[0]?.fragment.name).toBe('guides/keys');
		expect(matches[0]?.why.map(({ kind }) => kind)).toContain('concept');
	});
});

describe('a list that cannot be used', () => {
	it.each([
		['missing', undefined, 'cannot be read (ENOENT)'],
		['no list', 'some text\n', 'line 1 of the list of concepts is not of the form'],
		['too large', '#'.repeat(WORD_LIST_LIMIT_BYTES + 1), 'is larger than'],
	])('that is %s is refused with the reason', (name, text, reason) => {
		const file = join(root, `${name}.txt`);
		if (text !== undefined) writeFileSync(file, text);
		expect(() => readConcepts(file)).toThrow(reason);
	});

	it('gives one warning, and the search works without it', async () => {
		const lines: string[] = [];
		const log = Log.fromEnvironment('library', { LOG_LEVEL: 'warn' }, (line) => lines.push(line));
		const files = { wordVectors: bundledFile('word-vectors.bin'), concepts: join(root, 'none') };
		const finder = new Finder({
			fragments: new FragmentStore(),
			folder: undefined,
			log,
			countTokens: undefined,
			...files,
		});
		const request = readMatchRequest(undefined, new Map([['query', 'bread']]));
		await finder.answer(request);
		await finder.answer(request);
		expect(lines).toHaveLength(1);
		expect(lines[0]).toContain('searching without concepts: the list of concepts cannot be read (ENOENT)');
		expect(lines[0]).not.toContain(root);
	});
});
