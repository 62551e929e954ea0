import { expect, it } from 'vitest';
import { isInside } from '../../src/files/is-inside.ts';

it.each([
	['/a', '/a', true],
	['/a/b/c', '/a', true],
	['/a/..b', '/a', true],
	['/anything', '/', true],
	['/ab', '/a', false],
	['/a/../b', '/a', false],
	['/', '/a', false],
])('%s is in %s: %s', (path, folder, expected) => {
	expect(isInside(path, folder)).toBe(expected);
});
