/* A markdown tree as elements. Text stays text: nothing is set as HTML. */
import { type ComponentChildren, h, type JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { MARKDOWN_CHARACTERS } from '../page-limits.ts';
import { type Block, parseMarkdown } from './markdown-blocks.ts';
import type { Inline } from './markdown-inline.ts';
import { attributeText, TextBox, visibleParts } from './visible-text.tsx';

/** The headings of a document are below those of the page. */
const HEADINGS = ['h3', 'h4'];

export function MarkdownView({ text }: { text: string }): JSX.Element {
	const blocks = useMemo(
		() => (text.length <= MARKDOWN_CHARACTERS ? parseMarkdown(text) : undefined),
		[text],
	);
	if (!blocks) return <TextBox text={text} />;
	return <div class="markdown">{blocks.map(blockElement)}</div>;
}

function blockElement(block: Block): JSX.Element {
	switch (block.kind) {
		case 'heading':
			return h(HEADINGS[block.level - 1] ?? 'h5', {}, inlineElements(block.inline));
		case 'paragraph':
			return <p>{inlineElements(block.inline)}</p>;
		case 'code':
			return (
				<pre class="code">
					<code>{visibleParts(block.text)}</code>
				</pre>
			);
		case 'list': {
			const items = block.items.map((item) => <li>{itemElements(item)}</li>);
			return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
		}
		case 'quote':
			return <blockquote>{block.blocks.map(blockElement)}</blockquote>;
		case 'table':
			return tableElement(block.rows);
		case 'rule':
			return <hr />;
	}
}

/** An item that is one paragraph needs none around it. */
function itemElements(blocks: readonly Block[]): ComponentChildren {
	const [first, ...rest] = blocks;
	if (first?.kind !== 'paragraph') return blocks.map(blockElement);
	return [inlineElements(first.inline), ...rest.map(blockElement)];
}

function tableElement(rows: readonly (readonly (readonly Inline[])[])[]): JSX.Element {
	const [head, ...body] = rows;
	return (
		<div class="wide">
			<table>
				<thead>
					<tr>
						{head?.map((cell) => (
							<th>{inlineElements(cell)}</th>
						))}
					</tr>
				</thead>
				<tbody>
					{body.map((row) => (
						<tr>
							{row.map((cell) => (
								<td>{inlineElements(cell)}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function inlineElements(parts: readonly Inline[]): ComponentChildren {
	return parts.map((part) => {
		if (part.kind === 'text') return visibleParts(part.text);
		if (part.kind === 'code') return <code>{visibleParts(part.text)}</code>;
		if (part.kind === 'strong') return <strong>{inlineElements(part.inline)}</strong>;
		if (part.kind === 'emphasis') return <em>{inlineElements(part.inline)}</em>;
		return <OutsideLink href={part.href}>{inlineElements(part.inline)}</OutsideLink>;
	});
}

/** A link that leaves the page, only when it is followed, and without a referrer. */
export function OutsideLink({ href, children }: { href: string; children: ComponentChildren }): JSX.Element {
	return (
		<a href={href} title={attributeText(href)} target="_blank" rel="noopener noreferrer">
			{children}
		</a>
	);
}
