import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../src/cli/terminal/unified-diff.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const hasPatch = spawnSync('patch', ['--version']).status === 0;

describe('unifiedDiff', () => {
	it('shows changed lines with three lines around them', () => {
		expect(unifiedDiff('1\n2\n3\n4\n5\n6\n7\n8\n', '1\n2\n3\n4\nfive\n6\n7\n8\n')).toEqual([
			'@@ -2,7 +2,7 @@',
			' 2',
			' 3',
			' 4',
			'-5',
			'+five',
			' 6',
			' 7',
			' 8',
		]);
	});

	it('shows nothing for equal texts, and all of a new one', () => {
		expect(unifiedDiff('a\n', 'a\n')).toEqual([]);
		expect(unifiedDiff('', 'a\nb\n')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b']);
	});

	it('marks a text without a newline at its end', () => {
		expect(unifiedDiff('a', 'a\n')).toEqual(['@@ -1 +1 @@', '-a\n\\ No newline at end of file', '+a']);
	});

	it.skipIf(!hasPatch)('is applied by patch to give the new text', () => {
		const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\n');
		const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join(''));
		const folder = temporaryFolder();
		fc.assert(
			fc.property(text, text, (before, after) => {
				fc.pre(before !== after && before !== '' && after !== '');
				writeFiles(folder, { f: before });
				const input = `--- f\n+++ f\n${unifiedDiff(before, after).join('\n')}\n`;
				expect(spawnSync('patch', ['-s', 'f'], { cwd: folder, input }).status).toBe(0);
				expect(readFileSync(join(folder, 'f'), 'utf8')).toBe(after);
			}),
			{ numRuns: 60 },
		);
	});

	it('replaces the middle when nearly everything differs', () => {
		const many = (mark: string): string =>
			Array.from({ length: 3000 }, (_, index) => `${mark}${index}\n`).join('');
		const lines = unifiedDiff(`same\n${many('a')}`, `same\n${many('b')}`);
		expect(lines).toHaveLength(6002);
	});
});
