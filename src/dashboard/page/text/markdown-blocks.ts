/*
 * Markdown to a tree of blocks, for the reader's eyes only.
 *
 * The text comes from a server, so the tree has no HTML, no images and no other addresses than
 * http, https and mailto: everything else stays text. Time is linear in the text, depth is bounded.
 * Headings, paragraphs, fenced and indented code, lists, quotes, tables and rules are read;
 * reference links, footnotes and HTML blocks are not, and are shown as they are written.
 */
import { MARKDOWN_BLOCK_DEPTH } from '../page-limits.ts';
import { type Inline, parseInline } from './markdown-inline.ts';

export type Block =
	| { readonly kind: 'heading'; readonly level: number; readonly inline: readonly Inline[] }
	| { readonly kind: 'paragraph'; readonly inline: readonly Inline[] }
	| { readonly kind: 'code'; readonly language: string; readonly text: string }
	| { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
	| { readonly kind: 'quote'; readonly blocks: readonly Block[] }
	| { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
	| { readonly kind: 'rule' };

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Read a text. Front matter between `---` lines is left out. */
export function parseMarkdown(text: string): Block[] {
	const body = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
	return new BlockParser(body.split(/\r?\n/), 0).parse();
}

class BlockParser {
	readonly #lines: readonly string[];
	readonly #depth: number;
	readonly #blocks: Block[] = [];
	#at = 0;
	#paragraph: string[] = [];

	constructor(lines: readonly string[], depth: number) {
		this.#lines = lines;
		this.#depth = depth;
	}

	parse(): Block[] {
		while (this.#at < this.#lines.length) this.#step(this.#lines[this.#at] ?? '');
		this.#endParagraph();
		return this.#blocks;
	}

	#step(line: string): void {
		if (line.trim() === '') return this.#next(() => this.#endParagraph());
		if (FENCE.test(line)) return this.#fence(line);
		const heading = HEADING.exec(line);
		if (heading) return this.#next(() => this.#add(headingBlock(heading)));
		if (RULE.test(line)) return this.#next(() => this.#add({ kind: 'rule' }));
		if (this.#depth < MARKDOWN_BLOCK_DEPTH && QUOTE.test(line)) return this.#quote();
		if (this.#depth < MARKDOWN_BLOCK_DEPTH && ITEM.test(line)) return this.#list();
		if (line.includes('|') && TABLE_RULE.test(this.#lines[this.#at + 1] ?? '')) return this.#table();
		if (line.startsWith('    ') && this.#paragraph.length === 0) return this.#indentedCode();
		this.#next(() => this.#paragraph.push(line));
	}

	#next(action: () => unknown): void {
		this.#at += 1;
		action();
	}

	#add(block: Block): void {
		this.#endParagraph();
		this.#blocks.push(block);
	}

	#endParagraph(): void {
		if (this.#paragraph.length === 0) return;
		const inline = parseInline(this.#paragraph.map((line) => line.trim()).join('\n'));
		this.#paragraph = [];
		this.#blocks.push({ kind: 'paragraph', inline });
	}

	#fence(line: string): void {
		const [, marks = '```', language = ''] = FENCE.exec(line) ?? [];
		const from = ++this.#at;
		const isEnd = (each: string): boolean => each.trim().startsWith(marks) && /^\s*[`~]+\s*$/.test(each);
		while (this.#at < this.#lines.length && !isEnd(this.#lines[this.#at] ?? '')) this.#at += 1;
		this.#add({ kind: 'code', language, text: this.#lines.slice(from, this.#at).join('\n') });
		this.#at += 1;
	}

	#indentedCode(): void {
		const lines = this.#takeWhile((line) => line.startsWith('    '));
		this.#add({ kind: 'code', language: '', text: lines.map((line) => line.slice(4)).join('\n') });
	}

	#quote(): void {
		const lines = this.#takeWhile((line) => QUOTE.test(line)).map((line) => QUOTE.exec(line)?.[1] ?? '');
		this.#add({ kind: 'quote', blocks: new BlockParser(lines, this.#depth + 1).parse() });
	}

	#list(): void {
		const isOrdered = /\d/.test(ITEM.exec(this.#lines[this.#at] ?? '')?.[2] ?? '');
		const items: Block[][] = [];
		for (;;) {
			const first = ITEM.exec(this.#lines[this.#at] ?? '');
			if (!first || /\d/.test(first[2] ?? '') !== isOrdered) break;
			this.#at += 1;
			const rest = this.#takeWhile((line) => /^(?: {2,}|\t)\S/.test(line));
			const lines = [first[3] ?? '', ...rest.map((line) => line.replace(/^(?: {1,4}|\t)/, ''))];
			items.push(new BlockParser(lines, this.#depth + 1).parse());
			this.#skipBlankBefore(ITEM);
		}
		this.#add({ kind: 'list', isOrdered, items });
	}

	/** A blank line between two items does not end the list. */
	#skipBlankBefore(pattern: RegExp): void {
		const isBlank = (this.#lines[this.#at] ?? 'x').trim() === '';
		if (isBlank && pattern.test(this.#lines[this.#at + 1] ?? '')) this.#at += 1;
	}

	#table(): void {
		const lines = this.#takeWhile((line) => line.includes('|'));
		const rows = lines.filter((_, at) => at !== 1).map((line) => cellsOf(line).map(parseInline));
		this.#add({ kind: 'table', rows });
	}

	#takeWhile(isPart: (line: string) => boolean): string[] {
		const from = this.#at;
		while (this.#at < this.#lines.length && isPart(this.#lines[this.#at] ?? '')) this.#at += 1;
		return this.#lines.slice(from, this.#at);
	}
}

function headingBlock([, marks = '#', text = '']: RegExpExecArray): Block {
	return { kind: 'heading', level: marks.length, inline: parseInline(text.replace(/\s+#+\s*$/, '')) };
}

function cellsOf(line: string): string[] {
	return line
		.trim()
		.replace(/^\||\|$/g, '')
		.split('|')
		.map((cell) => cell.trim());
}
