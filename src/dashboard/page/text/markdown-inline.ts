/* The inside of a markdown paragraph: code, emphasis and links. Linear: a mark without an end is looked for once. */
import { MARKDOWN_INLINE_DEPTH } from '../page-limits.ts';

export type Inline =
	| { readonly kind: 'text'; readonly text: string }
	| { readonly kind: 'code'; readonly text: string }
	| { readonly kind: 'strong'; readonly inline: readonly Inline[] }
	| { readonly kind: 'emphasis'; readonly inline: readonly Inline[] }
	| { readonly kind: 'link'; readonly href: string; readonly inline: readonly Inline[] };

const MARKS = ['**', '__', '*', '_'] as const;
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:)[^\s]+$/i;
const BARE_ADDRESS = /^https?:\/\/[^\s<>()"'`]+[^\s<>()"'`.,;:!?]/;

export function parseInline(text: string): Inline[] {
	return new InlineParser(text, 0).parse();
}

/** True for an address that may become a link. */
export function isSafeAddress(address: string): boolean {
	return SAFE_ADDRESS.test(address);
}

class InlineParser {
	readonly #text: string;
	readonly #depth: number;
	readonly #parts: Inline[] = [];
	/** Marks that have no end in the rest of the text. */
	readonly #endless = new Set<string>();
	#at = 0;
	#from = 0;

	constructor(text: string, depth: number) {
		this.#text = text;
		this.#depth = depth;
	}

	parse(): Inline[] {
		while (this.#at < this.#text.length) {
			const part =
				this.#depth < MARKDOWN_INLINE_DEPTH ? this.#special(this.#text[this.#at] ?? '') : undefined;
			if (!part) this.#at += 1;
			else this.#add(part.inline, part.end);
		}
		this.#flush(this.#at);
		return this.#parts;
	}

	#add(inline: Inline, end: number): void {
		this.#flush(this.#at);
		this.#parts.push(inline);
		this.#at = end;
		this.#from = end;
	}

	#flush(end: number): void {
		if (end > this.#from)
			this.#parts.push({
				kind: 'text',
				text: this.#text.slice(this.#from, end).replace(/\\([\\`*_[\]()#|<>-])/g, '$1'),
			});
	}

	#special(char: string): { inline: Inline; end: number } | undefined {
		if (char === '\\') {
			this.#at += 1; // the next character is no mark
			return undefined;
		}
		if (char === '`') return this.#code();
		if (char === '*' || char === '_') return this.#emphasis();
		if (char === '[') return this.#link(this.#at);
		if (char === '!' && this.#text[this.#at + 1] === '[') return this.#link(this.#at + 1);
		if (char === 'h' || char === '<') return this.#bareAddress(char === '<' ? 1 : 0);
		return undefined;
	}

	#code(): { inline: Inline; end: number } | undefined {
		const marks = /^`+/.exec(this.#text.slice(this.#at, this.#at + 16))?.[0] ?? '`';
		const from = this.#at + marks.length;
		const end = this.#find(marks, from);
		if (end === -1) {
			this.#at = from - 1;
			return undefined;
		}
		return { inline: { kind: 'code', text: this.#text.slice(from, end).trim() }, end: end + marks.length };
	}

	#emphasis(): { inline: Inline; end: number } | undefined {
		const mark = MARKS.find((each) => this.#text.startsWith(each, this.#at)) ?? '*';
		const from = this.#at + mark.length;
		const isInsideWord = mark.startsWith('_') && /\w/.test(this.#text[this.#at - 1] ?? '');
		const end = isInsideWord || /\s|^$/.test(this.#text[from] ?? '') ? -1 : this.#find(mark, from);
		if (end <= from || (mark.startsWith('_') && /\w/.test(this.#text[end + mark.length] ?? ''))) {
			this.#at = from - 1;
			return undefined;
		}
		const inline = new InlineParser(this.#text.slice(from, end), this.#depth + 1).parse();
		return { inline: { kind: mark.length === 2 ? 'strong' : 'emphasis', inline }, end: end + mark.length };
	}

	/** `[label](address)`; an image is a link to it, because the page fetches nothing. */
	#link(at: number): { inline: Inline; end: number } | undefined {
		const middle = this.#find('](', at);
		const end = middle === -1 ? -1 : this.#find(')', middle);
		if (end === -1) return undefined;
		const label = this.#text.slice(at + 1, middle);
		const [address = ''] = this.#text
			.slice(middle + 2, end)
			.trim()
			.split(/\s/, 1);
		if (label.includes('\n\n') || !isSafeAddress(address)) return undefined;
		const inline = new InlineParser(label, this.#depth + 1).parse();
		return { inline: { kind: 'link', href: address, inline }, end: end + 1 };
	}

	#bareAddress(skip: number): { inline: Inline; end: number } | undefined {
		const address = BARE_ADDRESS.exec(this.#text.slice(this.#at + skip, this.#at + 2_000))?.[0];
		if (!address) return undefined;
		const close = skip === 1 && this.#text[this.#at + 1 + address.length] === '>' ? 1 : 0;
		const text: Inline = { kind: 'text', text: address };
		return {
			inline: { kind: 'link', href: address, inline: [text] },
			end: this.#at + skip + address.length + close,
		};
	}

	#find(mark: string, from: number): number {
		if (this.#endless.has(mark)) return -1;
		const end = this.#text.indexOf(mark, from);
		if (end === -1) this.#endless.add(mark);
		return end;
	}
}
