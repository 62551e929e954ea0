import { describe, expect, it } from 'vitest';
import { readConceptList } from '../../../src/search/concepts/concept-list.ts';
import { PatternIndex } from '../../../src/search/index/pattern-index.ts';
import { stem } from '../../../src/search/text/stem.ts';

describe('PatternIndex', () => {
	it('matches a whole pattern in any order of its words', () => {
		expect(sharesFor('double charge > duplicate', 'charge', 'double', 'other')).toEqual([[0, 1]]);
	});

	it('matches a pattern in part from two words on', () => {
		const [[line, share] = [1, 0]] = sharesFor('one page very slow > latency', 'page', 'slow');
		expect(line).toBe(0);
		expect(share).toBeGreaterThan(0);
		expect(share).toBeLessThan(1);
		expect(sharesFor('one page very slow > latency', 'page')).toEqual([]);
	});

	it('matches a pattern of one word by that word', () => {
		expect(sharesFor('quadratic > complexity', 'quadratic')).toEqual([[0, 1]]);
	});

	it('gives the best pattern of each line', () => {
		const list = 'slow page, slow > latency\nslow query > index';
		expect(sharesFor(list, 'slow')).toEqual([[0, 1]]);
		expect(sharesFor(list, 'slow', 'query').map(([line]) => line)).toEqual([0, 1]);
	});

	it('fills one slot of a pattern with one word', () => {
		expect(sharesFor('again/twice again/charge > duplicate', 'again')).toEqual([]);
	});

	it('weights a word of many lines lower', () => {
		const index = new PatternIndex(readConceptList('slow page > a\nslow query > b\nslow build > c'));
		expect(index.rarityOf(stem('slow'))).toBeLessThan(index.rarityOf(stem('page')));
		expect(index.rarityOf(stem('unheard'))).toBeGreaterThan(index.rarityOf(stem('page')));
	});

	it('keeps no state between queries', () => {
		const index = new PatternIndex(readConceptList('slow page > latency'));
		expect(index.match(stemsOf('slow')).size).toBe(0);
		expect(index.match(stemsOf('page')).size).toBe(0);
		expect(index.match(stemsOf('slow', 'page')).size).toBe(1);
		expect(index.match(stemsOf('slow', 'page')).size).toBe(1);
	});
});

function sharesFor(list: string, ...words: string[]): Array<[number, number]> {
	const matches = new PatternIndex(readConceptList(list)).match(stemsOf(...words));
	return [...matches].map(([line, { share }]): [number, number] => [line, share]).sort(([a], [b]) => a - b);
}

function stemsOf(...words: string[]): Set<string> {
	return new Set(words.map((word) => stem(word)));
}
