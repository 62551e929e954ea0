/*
 * Text of a server, shown as text.
 *
 * Nothing here is ever parsed as HTML. Control characters, bidirectional overrides and invisible
 * characters are drawn as escapes, so that a reader sees that they are there, and the text is
 * isolated, so that its direction cannot reorder the page around it.
 */
import type { ComponentChildren, JSX } from 'preact';
import { printableLine } from '../../../printable.ts';
import { VISIBLE_CHARACTERS } from '../page-limits.ts';

/** Control, bidirectional and invisible characters, but not tab and newline. */
const HIDDEN_SET = String.raw`\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0000}-\u{E007F}`;
const HIDDEN = new RegExp(`([${HIDDEN_SET}]+)`, 'u');
const HIDDEN_IN_LINE = new RegExp(`([${HIDDEN_SET}\\t\\n]+)`, 'u');
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

/** The text as an element, with its line breaks. */
export function visibleText(text: string): JSX.Element {
	return <bdi>{visibleParts(text)}</bdi>;
}

/** The text as an element, with escapes for its tabs and line breaks too. */
export function visibleLine(text: string): JSX.Element {
	return <bdi>{visibleParts(text, HIDDEN_IN_LINE)}</bdi>;
}

/** A text with its line breaks in a box of its own. */
export function TextBox({ text }: { text: string }): JSX.Element {
	return (
		<pre class="text" tabIndex={0}>
			{visibleText(text)}
		</pre>
	);
}

/** The text in pieces: strings, and elements for what cannot be seen. */
export function visibleParts(text: string, hidden: RegExp = HIDDEN): ComponentChildren {
	const shown = text.length > VISIBLE_CHARACTERS ? text.slice(0, VISIBLE_CHARACTERS) : text;
	const parts: ComponentChildren[] = hidden.test(shown)
		? shown.split(hidden).map((part, at) => (at % 2 === 1 ? <Escape text={part} /> : part))
		: [shown];
	if (shown !== text)
		parts.push(<em class="dim"> … {(text.length - shown.length).toLocaleString('en')} more characters</em>);
	return parts;
}

/** A text for an attribute or a title, where no element can mark an escape. */
export function attributeText(text: string): string {
	return text.replace(ALL_HIDDEN, escapeAll);
}

function Escape({ text }: { text: string }): JSX.Element {
	return (
		<span class="escape" title="a control or invisible character">
			{escapeAll(text)}
		</span>
	);
}

function escapeAll(text: string): string {
	return Array.from(text, (char) => {
		const escaped = printableLine(char);
		return escaped === char ? `\\u{${char.codePointAt(0)?.toString(16)}}` : escaped;
	}).join('');
}
