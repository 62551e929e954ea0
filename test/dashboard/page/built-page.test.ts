/* The files of the page as the build writes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../../dist/dashboard/page');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** In bytes. */
const MOST_COMPRESSED = 120_000;

describe('the built page', () => {
	it('is at most 120 KB compressed', () => {
		const sizes = readdirSync(folder).map(
			(name) => brotliCompressSync(readFileSync(join(folder, name))).length,
		);
		expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_COMPRESSED);
	});

	it('has no inline script or style and loads nothing from another host', () => {
		expect(read('index.html')).not.toMatch(/https?:|style=|<style|<script>|\son\w+=/);
		expect(read('app.css')).not.toMatch(/url\(|@import/);
	});

	it('never sets text as HTML and never evaluates it', () => {
		const sources = readdirSync(resolve(folder, '../../../src/dashboard/page'), {
			recursive: true,
			encoding: 'utf8',
		});
		for (const name of sources.filter((each) => /\.tsx?$/.test(each))) {
			const text = readFileSync(resolve(folder, '../../../src/dashboard/page', name), 'utf8');
			expect(text, name).not.toMatch(
				/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
			);
		}
	});
});
