import { describe, expect, it } from 'vitest';
import { readConceptList } from '../../src/search/concept-list.ts';
import { PatternIndex } from '../../src/search/pattern-index.ts';

describe('PatternIndex', () => {
	it('meets a pattern whole, whatever the order of its words', () => {
		expect(sharesFor('double charge > duplicate', 'charge', 'doubl', 'other')).toEqual([[0, 1]]);
	});

	it('meets a pattern in part from two words on', () => {
		const [[line, share] = [1, 0]] = sharesFor('one page very slow > latency', 'page', 'slow');
		expect(line).toBe(0);
		expect(share).toBeGreaterThan(0);
		expect(share).toBeLessThan(1);
		expect(sharesFor('one page very slow > latency', 'page')).toEqual([]);
	});

	it('meets a pattern of one word by that word', () => {
		expect(sharesFor('quadratic > complexity', 'quadrat')).toEqual([[0, 1]]);
	});

	it('gives the best pattern of each line', () => {
		const list = 'slow page, slow > latency\nslow query > index';
		expect(sharesFor(list, 'slow')).toEqual([[0, 1]]);
		expect(sharesFor(list, 'slow', 'queri').map(([line]) => line)).toEqual([0, 1]);
	});

	it('lets one word fill one slot of a pattern', () => {
		expect(sharesFor('again/twice again/charge > duplicate', 'again')).toEqual([]);
	});

	it('holds a word that many lines have worth less', () => {
		const index = new PatternIndex(readConceptList('slow page > a\nslow query > b\nslow build > c'));
		expect(index.rarityOf('slow')).toBeLessThan(index.rarityOf('page'));
		expect(index.rarityOf('unheard')).toBeGreaterThan(index.rarityOf('page'));
	});

	it('remembers nothing of the question before', () => {
		const index = new PatternIndex(readConceptList('slow page > latency'));
		expect(index.match(new Set(['slow'])).size).toBe(0);
		expect(index.match(new Set(['page'])).size).toBe(0);
		expect(index.match(new Set(['slow', 'page'])).size).toBe(1);
		expect(index.match(new Set(['slow', 'page'])).size).toBe(1);
	});
});

function sharesFor(list: string, ...stems: string[]): Array<[number, number]> {
	const matches = new PatternIndex(readConceptList(list)).match(new Set(stems));
	return [...matches].map(([line, { share }]): [number, number] => [line, share]).sort(([a], [b]) => a - b);
}
