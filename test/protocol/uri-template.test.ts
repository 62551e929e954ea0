/* URI templates: filling in and reading back. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillTemplate, matchTemplate, templateNames } from '../../src/protocol/uri-template.ts';

const template = 'files://{host}/{+path}?again={host}';

it('fills in a template, with slashes only where it allows them', () => {
	expect(templateNames(template)).toEqual(['host', 'path']);
	expect(fillTemplate(template, { host: 'a/b', path: 'x/y z%20' })).toBe(
		'files://a%2Fb/x/y%20z%20?again=a%2Fb',
	);
});

it.each([
	['a{?q,max*}', { q: 'x y', max: '3' }, 'a?q=x%20y&max=3'],
	['a{?q,max}', { max: '3' }, 'a?max=3'],
	['a{?q,max}', {}, 'a'],
	['a?b=1{&q}', { q: '2' }, 'a?b=1&q=2'],
	['a{/x,y}{.z}{#f}{;m}', { x: '1', y: '2/3', z: 'md', f: 'p/q', m: 'n' }, 'a/1/2%2F3.md#p/q;m=n'],
])('fills in %s', (text, values, expected) => {
	expect(fillTemplate(text, values)).toBe(expected);
});

it('gives back the values that were filled in', () => {
	const text = fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter((value) => !value.includes('%'));
	fc.assert(
		fc.property(text, text, (id, path) => {
			const uri = fillTemplate('notes://{id}/{+path}', { id, path });
			expect(matchTemplate('notes://{id}/{+path}', uri)).toEqual({ id, path });
		}),
	);
});

it('matches as a regular expression does', () => {
	const part = fc.constantFrom('{a}', '{+b}', '{c}', '/', 'x', '.', 'a/b');
	fc.assert(
		fc.property(
			fc.array(part, { maxLength: 6 }),
			fc.array(fc.constantFrom('/', 'x', '.', 'a', 'b'), { maxLength: 12 }),
			(parts, chars) => {
				const pattern = parts.map((each) => {
					if (!each.startsWith('{')) return each.replace('.', '\\.');
					return each.startsWith('{+') ? '(.+)' : '([^/?#]+)';
				});
				const found = new RegExp(`^${pattern.join('')}$`).exec(chars.join(''));
				const names = parts
					.filter((each) => each.startsWith('{'))
					.map((each) => each.replaceAll(/[{+}]/g, ''));
				const wanted = found && Object.fromEntries(names.map((name, at) => [name, found[at + 1]]));
				expect(matchTemplate(parts.join(''), chars.join('')) ?? null).toEqual(wanted);
			},
		),
	);
});

it('gives up a template that would take a regular expression years', () => {
	expect(matchTemplate(`x:${'{+a}-'.repeat(20)}end`, `x:${'-'.repeat(2000)}`)).toBeUndefined();
	expect(matchTemplate(`x:${'{+a}'.repeat(1000)}`, 'x:aaa')).toBeUndefined();
	expect(matchTemplate('x:{+a}', `x:${'a'.repeat(10_000)}`)).toEqual({ a: 'a'.repeat(10_000) });
});
