/* What a scan of the tools of an MCP server reports. */
import { printable, printableLine } from '../../printable.ts';
import { QUOTE_AROUND_CHARACTERS, QUOTE_CHARACTERS } from '../trust-limits.ts';
import { HIDDEN } from './plain-text.ts';

/** Why a text is suspicious. */
export type ScanKind =
	| 'hidden' // characters that a reader does not see
	| 'bidirectional' // characters that reorder the visible text
	| 'control' // terminal escapes and other control characters
	| 'secrets' // an instruction to read or pass on secrets
	| 'concealment' // an instruction to hide something from the user
	| 'override' // an instruction against other instructions
	| 'other-tools' // an instruction about tools of other servers
	| 'look-alike'; // a name that looks like another one

/** One suspicious text of a tool. */
export interface ScanFinding {
	readonly kind: ScanKind;
	/** The server's own name of the tool. */
	readonly tool: string;
	/** Where the text is, such as `description` or `inputSchema.properties.path.description`. */
	readonly where: string;
	/** The text, with every control and invisible character escaped. */
	readonly quote: string;
}

const meanings: Readonly<Record<ScanKind, string>> = {
	hidden: 'has text that a reader does not see',
	bidirectional: 'has characters that reorder what a reader sees',
	control: 'has control characters',
	secrets: 'asks for secrets',
	concealment: 'asks to hide something from the user',
	override: 'gives instructions against other instructions',
	'other-tools': 'gives instructions about other tools',
	'look-alike': 'looks like another name',
};

/** A finding as one line: what it is, where, and the quoted text. */
export function describeFinding({ kind, tool, where, quote }: ScanFinding): string {
	return `${visibleLine(tool)}: its ${visibleLine(where)} ${meanings[kind]}: "${quote}"`;
}

/** The part of a text around a match, on one line, with every invisible character escaped. */
export function quoteAround(text: string, from: number, to: number): string {
	const start = Math.max(0, from - QUOTE_AROUND_CHARACTERS);
	const end = Math.min(text.length, Math.min(to, from + QUOTE_CHARACTERS) + QUOTE_AROUND_CHARACTERS);
	const part = text.slice(start, end);
	return `${start > 0 ? '…' : ''}${visibleLine(part)}${end < text.length ? '…' : ''}`;
}

/** A text with every control and invisible character escaped, except tabs and newlines. */
export function visible(text: string): string {
	return printable(text.replace(HIDDEN, escaped));
}

function visibleLine(text: string): string {
	return printableLine(text.replace(HIDDEN, escaped));
}

function escaped(char: string): string {
	return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
