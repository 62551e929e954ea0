import { isAbsolute, join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { PATH_LIMIT_BYTES } from '../../../src/hub/storage/storage-limits.ts';
import { filePath, folderPath } from '../../../src/hub/storage/storage-path.ts';

const hostile = fc
	.array(
		fc.constantFrom(
			'..',
			'.',
			'',
			'a',
			'...',
			'..a',
			'.storage',
			'C:',
			'\\',
			'..\\',
			'~',
			'\0',
			'%2e%2e',
			'é',
		),
	)
	.map((names) => names.join('/'));

describe('the path of a stored file', () => {
	it('stays below the root or is refused, for any input', () => {
		fc.assert(
			fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), (text) => {
				const path = pathOrRefusal(text);
				if (path === undefined) return;
				const fromRoot = relative('/root', join('/root', path));
				expect(isAbsolute(fromRoot) || fromRoot === '..' || fromRoot.startsWith(`..${sep}`)).toBe(false);
				expect(fromRoot).toBe(path);
				expect(path).not.toContain('\0');
			}),
			{ numRuns: 500 },
		);
	});

	it('has one spelling, which stays unchanged', () => {
		fc.assert(
			fc.property(hostile, (text) => {
				const path = pathOrRefusal(text);
				fc.pre(path !== undefined);
				expect(filePath(path)).toBe(path);
			}),
		);
	});

	it.each([
		['../x.md', 'contains ".."'],
		['a/../../x.md', 'contains ".."'],
		['a/..', 'contains ".."'],
		['/etc/passwd', 'is absolute'],
		['C:/x.md', 'is absolute'],
		['./C:/x.md', 'is absolute'],
		['a\\..\\x.md', 'contains a backslash'],
		['a\0.md', 'contains a NUL'],
		['a\uD800.md', 'is not valid Unicode'],
		['.storage/00/.lock', 'leads into .storage'],
		['./.STORAGE/x', 'leads into .storage'],
		['', 'names no file'],
		['././/', 'names no file'],
		[`${'é'.repeat(128)}.md`, 'has a name longer than 255 bytes'],
	])('refuses %j', (text, why) => {
		expect(() => filePath(text)).toThrow(why);
	});

	it('may be as long as the limit and no longer', () => {
		const longest = `${'abc/'.repeat(PATH_LIMIT_BYTES / 4 - 1)}a.md`;
		expect(filePath(longest)).toBe(longest);
		expect(() => filePath(`${longest}x`)).toThrow(`longer than ${PATH_LIMIT_BYTES} bytes`);
	});

	it('of a folder may be the root itself', () => {
		expect(folderPath('')).toBe('');
		expect(folderPath('./')).toBe('');
		expect(folderPath('notes/')).toBe('notes');
	});

	it('may have dots inside names', () => {
		expect(filePath('./a//.hidden/..b/c...md')).toBe('a/.hidden/..b/c...md');
	});
});

function pathOrRefusal(text: string): string | undefined {
	try {
		return filePath(text);
	} catch (error) {
		expect(OrchestraError.is(error, 'bad_input')).toBe(true);
		return undefined;
	}
}
