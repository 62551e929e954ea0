import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { namePattern } from '../../../src/hub/storage/name-pattern.ts';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', 'm', 'd', 'é', '-', ']', '^', '😀') });

describe('a pattern for names', () => {
	it('agrees with the equivalent regular expression', () => {
		const part = fc.constantFrom(
			['*', '.*'],
			['?', '.'],
			['a', 'a'],
			['.', '\\.'],
			['[ab]', '[ab]'],
			['[^ab]', '[^ab]'],
			['[a-d]', '[a-d]'],
			['\\*', '\\*'],
			['é', 'é'],
			['😀', '😀'],
			['[😀é]', '[😀é]'],
			['[]a]', '[\\]a]'],
			['[\\]a]', '[\\]a]'],
			['[a-]', '[a\\-]'],
			['[a^]', '[a\\^]'],
			['[d-a]', '[]'],
			['[^d-a]', '[^]'],
		);
		fc.assert(
			fc.property(fc.array(part, { minLength: 1 }), name, (parts, text) => {
				const pattern = parts.map(([glob]) => glob).join('');
				const expression = new RegExp(`^(?:${parts.map(([, regex]) => regex).join('')})$`, 'su');
				expect(namePattern(pattern)(text)).toBe(expression.test(text));
			}),
			{ numRuns: 1000 },
		);
	});

	it('matches every name when it is the escaped name', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
				fc.pre(text !== '' && !text.includes('/'));
				expect(namePattern(text.replace(/[*?[\\]/g, '\\$&'))(text)).toBe(true);
			}),
		);
	});

	it('is accepted or refused with bad_input', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: fc.constantFrom('[', ']', '^', '-', '\\', '*', '?', 'a') }),
				name,
				(pattern, text) => {
					try {
						namePattern(pattern)(text);
					} catch (error) {
						expect(OrchestraError.is(error, 'bad_input')).toBe(true);
					}
				},
			),
			{ numRuns: 1000 },
		);
	});

	it('is *.md when it is empty', () => {
		expect(['a.md', 'a.txt', '.md', 'amd'].filter(namePattern(''))).toEqual(['a.md', '.md']);
	});

	it('fails to match without exponential time, for any number of stars', () => {
		expect(namePattern(`${'*a'.repeat(127)}b`)('a'.repeat(255))).toBe(false);
	});

	it.each([
		['*'.repeat(257), 'longer than 256 characters'],
		['[a', 'has a [ without its ]'],
		['[]', 'has a [ without its ]'],
		['[^]', 'has a [ without its ]'],
		['[\\]', 'has a [ without its ]'],
		['a\\', 'ends with a \\'],
		['**/*.md', 'contains a /'],
	])('refuses %j', (pattern, why) => {
		expect(() => namePattern(pattern)).toThrow(why);
	});
});
