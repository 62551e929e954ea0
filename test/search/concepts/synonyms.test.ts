import { describe, expect, it } from 'vitest';
import { readSynonyms } from '../../../src/library/files/word-list-files.ts';
import { Synonyms } from '../../../src/search/concepts/synonyms.ts';

const synonyms = readSynonyms();
const formsOf = (...words: string[]) => synonyms.of(...words).map(({ form }) => form);

describe('a list of synonyms', () => {
	it('has groups of equal names, related words and one-way lines', () => {
		const list = new Synonyms('# head\n\ndb = database\nslow, sluggish\nbilled twice > idempotent');
		expect(list.of('db')).toEqual([{ form: 'database', factor: 0.75 }]);
		expect(list.of('sluggish')).toEqual([{ form: 'slow', factor: 0.45 }]);
		expect(list.of('billing', 'twice')).toEqual([{ form: 'idempotent', factor: 0.45 }]);
		expect(list.of('idempotent')).toEqual([]);
	});

	it.each(['slow,sluggish', 'slow > page > latency', 'naïve, simple', 'a = b, c', '> latency'])(
		'refuses the line "%s" and names it',
		(line) => {
			expect(() => new Synonyms(`# head\n${line}`)).toThrow(
				/^line 2 of the list of synonyms is not of the form/,
			);
		},
	);
});

describe('the synonyms of this package', () => {
	it('expand abbreviations in both directions', () => {
		expect(formsOf('db')).toContain('database');
		expect(formsOf('database')).toContain('db');
	});

	it('match any form of a word', () => {
		expect(formsOf('deleting')).toEqual(formsOf('delete'));
		expect(formsOf('deleting')).toContain('remove');
	});

	it('put another name of the same thing before a related word, with a higher weight', () => {
		const factors = synonyms.of('database').map(({ factor }) => factor);
		expect(factors).toEqual(factors.toSorted((a, b) => b - a));
		expect(factors[0]).toBeGreaterThan(factors.at(-1) ?? 1);
		expect(Math.max(...factors)).toBeLessThan(1);
	});

	it('lead from an everyday word to a term and not back', () => {
		expect(formsOf('twice')).toContain('idempotent');
		expect(formsOf('idempotent')).not.toContain('twice');
	});

	it('match an idiom only as a whole', () => {
		expect(formsOf('at', 'the', 'same', 'time')).toContain('concurrent');
		expect(formsOf('signing', 'in')).toContain('login');
		expect(formsOf('sign')).not.toContain('login');
	});

	it('are empty for an unknown word', () => {
		expect(synonyms.of('xyzzy')).toEqual([]);
		expect(synonyms.of()).toEqual([]);
	});
});
