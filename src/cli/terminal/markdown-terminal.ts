/*
 * Markdown for a terminal: headings, bold, code, lists, quotes, rules. Anything
 * else is shown as it is written, control characters as codes: a file cannot move
 * the cursor or change the colours of the reader.
 */
import { printable } from '../../printable.ts';
import type { StyleName } from './output.ts';

export type Style = (name: StyleName, text: string) => string;

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s+(.+?)\s*#*$/;
const BULLET = /^(\s*)(?:[-*+])\s+(.*)$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;

/** `markdown` with the styles of a terminal, `width` columns for rules. */
export function renderMarkdown(markdown: string, style: Style, width: number): string {
	let isCode = false;
	const lines = printable(markdown.replaceAll('\r\n', '\n')).split('\n');
	return lines
		.flatMap((line) => {
			if (FENCE.test(line)) {
				isCode = !isCode;
				return [];
			}
			return [isCode ? `  ${style('cyan', line)}` : renderLine(line, style, width)];
		})
		.join('\n');
}

function renderLine(line: string, style: Style, width: number): string {
	const heading = HEADING.exec(line)?.[1];
	if (heading !== undefined) return style('bold', renderInline(heading, style));
	if (RULE.test(line)) return style('dim', '─'.repeat(Math.max(1, width)));
	const bullet = BULLET.exec(line);
	if (bullet) return `${bullet[1] ?? ''}• ${renderInline(bullet[2] ?? '', style)}`;
	const quote = QUOTE.exec(line)?.[1];
	if (quote !== undefined) return style('dim', `│ ${quote}`);
	return renderInline(line, style);
}

/** Code first: what stands inside it is not markdown. */
function renderInline(text: string, style: Style): string {
	return text
		.split(/(`[^`]+`)/)
		.map((part) => (/^`[^`]+`$/.test(part) ? style('cyan', part.slice(1, -1)) : renderEmphasis(part, style)))
		.join('');
}

function renderEmphasis(text: string, style: Style): string {
	return text
		.replace(/\*\*([^*]+)\*\*/g, (_, inner: string) => style('bold', inner))
		.replace(
			/\[([^\]]+)\]\(([^)\s]+)\)/g,
			(_, label: string, target: string) => `${label} ${style('dim', `(${target})`)}`,
		);
}
