import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { BoundedPattern } from '../../src/schema/bounded-pattern.ts';

describe('BoundedPattern', () => {
	it('agrees with the engine of the language on any pattern and text', () => {
		fc.assert(
			fc.property(
				pattern(),
				fc.array(fc.constantFrom('a', 'b', '-', '1', '_', ' ', 'A', 'é'), { maxLength: 8 }),
				(source, chars) => {
					const text = chars.join('');
					expect(new BoundedPattern(source).test(text), `/${source}/u on ${JSON.stringify(text)}`).toBe(
						new RegExp(source, 'u').test(text),
					);
				},
			),
			{ numRuns: 3_000 },
		);
	});

	it.each([
		['^[a-z]{2,4}$', 'abc', 'abcde'],
		['^\\p{Lu}\\w*$', 'Éa', 'éa'],
		['^\\u{1F600}$', '😀', 'x'],
		['^(?!.*\\.\\.)[\\w.]+$', 'a.b', 'a..b'],
		['(?<=\\$)\\d+$', '$12', '€12'],
		['(?<!a)b', 'cb', 'ab'],
		['^(?<year>\\d{4})-\\d\\d$', '2024-01', '24-01'],
		['^\\x41\\cJ\\0$', 'A\n\0', 'A'],
		['^[\\]\\\\-]+$', ']\\-', 'a'],
		['^[\\w-\\.]+$', 'a-b.c', 'a b'],
		['^{$', '{', '}'],
		['', '', undefined],
	])('%s matches %j and not %j', (source, good, bad) => {
		const found = new BoundedPattern(source);
		expect(found.test(good)).toBe(true);
		expect(bad !== undefined && found.test(bad)).toBe(false);
	});

	it.each([
		'^(a+)+$',
		'^(a|a)*$',
		'^(a|aa)+$',
		'^a*a*a*a*a*a*a*a*b$',
		'(?=(a+)+$)b',
		'^(([a-z])+.)+[A-Z]([a-z])+$',
	])('ends on 5,000 characters that keep %s from matching', (source) => {
		expect(new BoundedPattern(source).test(`${'a'.repeat(5_000)}!`)).toBe(false);
	});

	it('refuses a string that is too long for its pattern, naming both', () => {
		const error = thrownBy(() => new BoundedPattern('^(?:a|b|c|d)+$').test('a'.repeat(9_000_000)));
		expect(OrchestraError.is(error, 'bad_input')).toBe(true);
		expect(String(error)).toContain('9000000 characters');
	});

	it.each([
		['^(a)\\1$', 'has a backreference'],
		['(?<x>a)\\k<x>', 'has a backreference'],
		[`${'('.repeat(40)}a${')'.repeat(40)}`, 'nests more than 32 groups'],
		['a'.repeat(5_000), 'is longer than 4096 characters'],
		['(?:a{1000}){1000}', 'has more than 10000 steps'],
	])('refuses %s', (source, why) => {
		const error = thrownBy(() => new BoundedPattern(source));
		expect(OrchestraError.is(error, 'bad_input')).toBe(true);
		expect(String(error)).toContain(why);
	});
});

function pattern(): fc.Arbitrary<string> {
	return fc.letrec<{ node: string; atom: string }>((tie) => ({
		node: fc.oneof(
			{ depthSize: 'small', withCrossShrink: true },
			tie('atom'),
			fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
			fc.tuple(tie('node'), tie('node')).map((parts) => `(?:${parts.join('|')})`),
			fc
				.tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?'))
				.map(([inner, times]) => `(${inner})${times}`),
			fc
				.tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('node'))
				.map(([look, inner]) => `(${look}${inner})`),
		),
		atom: fc.constantFrom(
			'a',
			'b',
			'.',
			'\\d',
			'\\w',
			'\\W',
			'\\s',
			'[ab]',
			'[^a]',
			'[a-z]',
			'^',
			'$',
			'\\b',
			'\\B',
			'\\p{L}',
			'é',
		),
	})).node;
}

function thrownBy(action: () => unknown): unknown {
	try {
		action();
	} catch (error) {
		return error;
	}
	throw new Error('expected a throw');
}
