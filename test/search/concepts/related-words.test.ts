import { describe, expect, it } from 'vitest';
import { relatedWords } from '../../../src/search/concepts/related-words.ts';

const formsOf = (...words: string[]) => relatedWords(...words).map(({ form }) => form);

describe('relatedWords', () => {
	it('gives abbreviations and what they stand for, in both directions', () => {
		expect(formsOf('db')).toContain('database');
		expect(formsOf('database')).toContain('db');
	});

	it('takes any form of a word', () => {
		expect(formsOf('deleting')).toEqual(formsOf('delete'));
		expect(formsOf('deleting')).toContain('remove');
	});

	it('gives another name of the same thing before what is only near, and for more', () => {
		const factors = relatedWords('database').map(({ factor }) => factor);
		expect(factors).toEqual(factors.toSorted((a, b) => b - a));
		expect(factors[0]).toBeGreaterThan(factors.at(-1) ?? 1);
		expect(Math.max(...factors)).toBeLessThan(1);
	});

	it('leads from an everyday word to a term and not back', () => {
		expect(formsOf('twice')).toContain('idempotent');
		expect(formsOf('idempotent')).not.toContain('twice');
	});

	it('knows idioms, whose words mean something else apart', () => {
		expect(formsOf('at', 'the', 'same', 'time')).toContain('concurrent');
		expect(formsOf('signing', 'in')).toContain('login');
		expect(formsOf('sign')).not.toContain('login');
	});

	it('has nothing to say about words that it does not know', () => {
		expect(relatedWords('xyzzy')).toEqual([]);
		expect(relatedWords()).toEqual([]);
	});
});
