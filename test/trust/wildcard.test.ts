import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesWildcard } from '../../src/trust/wildcard.ts';

describe('matchesWildcard', () => {
	it('agrees with a definition by cases', () => {
		const anyPattern = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 12 });
		const anyName = fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 12 });
		fc.assert(
			fc.property(anyPattern, anyName, (pattern, name) => {
				expect(matchesWildcard(pattern, name)).toBe(matchesByDefinition(pattern, name));
			}),
			{ numRuns: 2000 },
		);
	});

	it('gives no meaning to other characters', () => {
		fc.assert(
			fc.property(fc.string(), (text) => {
				const plain = text.replaceAll('*', '');
				expect(matchesWildcard(plain, plain)).toBe(true);
				expect(matchesWildcard(plain, `${plain}x`)).toBe(false);
			}),
		);
		expect(matchesWildcard('a.c', 'abc')).toBe(false);
		expect(matchesWildcard('a*', 'a\nb')).toBe(true);
	});

	// A matcher that tries every place of every star would not end within the life of the machine.
	it('ends for many stars and a long name', () => {
		const name = 'a'.repeat(10_000);
		expect(matchesWildcard(`${'a*'.repeat(2000)}b`, name)).toBe(false);
		expect(matchesWildcard(`${'*a'.repeat(2000)}*b*`, name)).toBe(false);
		expect(matchesWildcard(`${'*a'.repeat(2000)}*`, name)).toBe(true);
		expect(matchesWildcard(`b*${name.slice(5000)}`, name)).toBe(false);
		expect(matchesWildcard(`*${name}*${name}`, name)).toBe(false);
	});
});

/** A star stands for nothing, or for one character and what a star stands for. */
function matchesByDefinition(pattern: string, name: string): boolean {
	if (pattern === '') return name === '';
	if (pattern.startsWith('*'))
		return (
			matchesByDefinition(pattern.slice(1), name) ||
			(name !== '' && matchesByDefinition(pattern, name.slice(1)))
		);
	return pattern[0] === name[0] && name !== '' && matchesByDefinition(pattern.slice(1), name.slice(1));
}
