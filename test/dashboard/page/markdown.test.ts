/* Markdown of servers as a tree without HTML and without other addresses than those of the web. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, parseMarkdown } from '../../../src/dashboard/page/text/markdown-blocks.ts';
import { type Inline, parseInline } from '../../../src/dashboard/page/text/markdown-inline.ts';

describe('parseMarkdown', () => {
	it('reads headings, paragraphs, lists, quotes, code, tables and rules', () => {
		const text = [
			'# Title',
			'',
			'A *short* **text** with `code`.',
			'',
			'- one',
			'  - inner',
			'- two',
			'',
			'1. first',
			'',
			'> quoted',
			'',
			'```ts',
			'const x = 1; // *',
			'```',
			'',
			'| a | b |',
			'|---|---|',
			'| 1 | 2 |',
			'',
			'---',
		].join('\n');
		const blocks = parseMarkdown(text);
		expect(blocks.map(({ kind }) => kind)).toEqual([
			'heading',
			'paragraph',
			'list',
			'list',
			'quote',
			'code',
			'table',
			'rule',
		]);
		expect(blocks[5]).toEqual({ kind: 'code', language: 'ts', text: 'const x = 1; // *' });
		expect(JSON.stringify(blocks[2])).toContain('inner');
	});

	it('leaves out front matter', () => {
		expect(parseMarkdown('---\ntitle: x\n---\ntext')).toEqual([
			{ kind: 'paragraph', inline: [{ kind: 'text', text: 'text' }] },
		]);
	});

	it.each([
		'javascript:alert(1)',
		'data:text/html,x',
		'file:///etc/passwd',
		'//host',
		'JaVaScRiPt:x',
		' javascript:x',
	])('makes no link of %s', (address) => {
		expect(JSON.stringify(parseMarkdown(`[x](${address}) ![x](${address}) <${address}>`))).not.toContain(
			'"link"',
		);
	});

	it('makes links of addresses of the web, and of images', () => {
		const found = linksOf(
			parseInline('[a](https://a.example) ![b](http://b.example/x.png) https://c.example/d. end'),
		);
		expect(found).toEqual(['https://a.example', 'http://b.example/x.png', 'https://c.example/d']);
	});

	it('keeps every character of any text that has no marks', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), (text) => {
				const plain = text.replace(/[\\`*_[\]!<h\n\r#>|~+.)\d-]/g, '').trim();
				expect(textOf(parseMarkdown(`x${plain}`))).toBe(`x${plain}`);
			}),
		);
	});

	it('takes linear time for marks without an end', () => {
		for (const part of ['**a ', '_a ', '`a ', '[a](', '[', '> ', '- ', '![', '| '])
			expect(parseMarkdown(part.repeat(20_000)).length).toBeGreaterThan(0);
	});
});

function linksOf(parts: readonly Inline[]): string[] {
	return parts.flatMap((part) => (part.kind === 'link' ? [part.href] : []));
}

function textOf(blocks: readonly Block[]): string {
	return blocks
		.flatMap((block) => (block.kind === 'paragraph' ? block.inline : []))
		.map((part) => ('text' in part ? part.text : ''))
		.join('');
}
