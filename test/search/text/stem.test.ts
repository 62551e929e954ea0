import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem } from '../../../src/search/text/stem.ts';
import { plainStem } from '../../support/plain-stem.ts';

const endings =
	`s es ies sses ss us is ing ed er ization isation ation tion sion tor sor ate ically ability ibility
fulness able ible ment ness ally atic ance ence ancy ency ent ive ize ise ity ful ly al ell at iz e y ey dd nn`.split(
		/\s+/,
	);

describe('stem', () => {
	it.each([
		['migrate', 'migrates', 'migrated', 'migrating', 'migration', 'migrations', 'migrator'],
		['cache', 'caches', 'cached', 'caching'],
		['query', 'queries', 'querying'],
		['retry', 'retries', 'retried', 'retrying'],
		['connect', 'connection', 'connections', 'connected', 'connecting'],
		['validate', 'validation', 'validator', 'validating'],
		['deploy', 'deployment', 'deploys', 'deployed'],
		['plan', 'planning', 'planned', 'plans', 'planner'],
		['optimise', 'optimize', 'optimising', 'optimizer', 'optimisation', 'optimization'],
		['document', 'documents', 'documenting', 'documentation'],
		['automate', 'automatic', 'automatically', 'automation'],
		['persist', 'persistent', 'persistence', 'persisting'],
		['cancel', 'cancels', 'cancelled', 'cancelling'],
		['configure', 'configuration', 'configuring'],
	])('gives the forms of %s one stem', (...forms) => {
		expect(new Set(forms.map(stem)).size).toBe(1);
	});

	it.each([
		['format', 'form'],
		['server', 'service'],
		['user', 'use'],
		['test', 'text'],
		['status', 'state'],
		['process', 'procedure'],
	])('keeps %s and %s apart', (one, other) => {
		expect(stem(one)).not.toBe(stem(other));
	});

	it('does not change short words, numbers and other scripts', () => {
		expect(['is', 'as', '2026', 'c++', 'größe'].map(stem)).toEqual(['is', 'as', '2026', 'c++', 'größe']);
	});

	it('never empties a word and never makes it longer', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (word) => {
				expect(stem(word).length).toBeGreaterThan(0);
				expect(stem(word).length).toBeLessThanOrEqual(word.length);
			}),
		);
	});

	it('keeps the first two letters of every word', () => {
		for (const word of knownWords()) expect(stem(word).slice(0, 2)).toBe(word.slice(0, 2));
		fc.assert(
			fc.property(wordWithEndings(), (word) => {
				expect(stem(word).slice(0, 2)).toBe(word.slice(0, 2));
			}),
		);
	});

	it('equals the step-by-step rules, for the words of the package and for any others', () => {
		for (const word of knownWords()) expect(stem(word)).toBe(plainStem(word));
		fc.assert(
			fc.property(wordWithEndings(), (word) => {
				expect(stem(word)).toBe(plainStem(word));
			}),
			{ numRuns: 5_000 },
		);
	});
});

/** A few letters and up to three endings behind them. */
function wordWithEndings(): fc.Arbitrary<string> {
	const tail = fc.array(fc.constantFrom(...endings), { maxLength: 3 });
	return fc
		.tuple(fc.stringMatching(/^[a-z]{1,6}$/), tail)
		.map(([first, others]) => `${first}${others.join('')}`);
}

/** Words of the list of concepts, of the starter library and of the labelled fragments. */
function knownWords(): Set<string> {
	const root = new URL('../../../', import.meta.url);
	const files = ['library', 'eval/fragments'].flatMap((folder) =>
		readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
			.filter((name) => /\.(?:md|txt)$/.test(name))
			.map((name) => `${folder}/${name}`),
	);
	const texts = ['data/concepts.txt', ...files].map((name) => readFileSync(new URL(name, root), 'utf8'));
	return new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? []));
}
