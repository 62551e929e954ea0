/*
 * Scan the tools of a server for strings that are not meant for its user: every text that
 * an agent gets is read, also those inside schemas.
 */
import { NESTING_DEPTH } from '../../core-limits.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { SCANNED_TOOL_CHARACTERS } from '../trust-limits.ts';
import { plainText } from './plain-text.ts';
import { scanCharacters, type TextMatch } from './scan-characters.ts';
import { quoteAround, type ScanFinding } from './scan-finding.ts';
import { scanInstructions } from './scan-instructions.ts';
import { callOfForeign, foreignNames, type ScannedServer, scanNames } from './scan-names.ts';

/** Most strings of one tool, and how deep schemas are followed. */
const TOOL_STRINGS = 2000;
/** A text in which nothing can be found. */
const PLAIN_WORD = /^[ -~]{0,11}$/;

interface PlacedText {
	readonly where: string;
	readonly text: string;
}

/** Most tools of one server that are scanned. */
const SCANNED_TOOLS = 2000;

/** The findings of one server. @param others the servers of the same hub */
export function scanTools(server: ScannedServer, others: readonly ScannedServer[] = []): ScanFinding[] {
	return [...scanSteps(server, others)].flat();
}

/** The same in small steps, one for each tool, for a process that has other work. */
export function* scanSteps(
	{ server, tools }: ScannedServer,
	others: readonly ScannedServer[] = [],
): Generator<readonly ScanFinding[]> {
	const scanned = { server, tools: tools.slice(0, SCANNED_TOOLS) };
	const foreign = foreignNames(scanned, others);
	for (const tool of scanned.tools) yield scanTool(tool, foreign, server);
	yield scanNames(scanned, others);
}

function scanTool(tool: Tool, foreign: ReadonlySet<string>, server: string): ScanFinding[] {
	const findings = stringsOf(tool).flatMap(({ where, text }) =>
		matchesIn(text, foreign).flatMap(({ kind, from, to, source }): ScanFinding[] => {
			if (kind === 'other-tools' && isAboutOwn(source.slice(from, to), server)) return [];
			return [{ kind, tool: tool.name, where, quote: quoteAround(source, from, to) }];
		}),
	);
	// One finding of each kind says enough about a tool.
	return [...new Map(findings.toReversed().map((finding) => [finding.kind, finding])).values()].toReversed();
}

/** A server may say how its own tools go together. */
function isAboutOwn(text: string, server: string): boolean {
	return server.length > 2 && text.toLowerCase().includes(server.toLowerCase());
}

function matchesIn(text: string, foreign: ReadonlySet<string>): (TextMatch & { source: string })[] {
	const plain = plainText(text);
	const call = callOfForeign(plain, foreign);
	return [
		...scanCharacters(text).map((match) => ({ ...match, source: text })),
		...scanInstructions(plain).map((match) => ({ ...match, source: plain })),
		...(call ? [{ kind: 'other-tools' as const, ...call, source: plain }] : []),
	];
}

/** Every text of a tool that an agent gets, up to the limits. */
function stringsOf({ name, title, description, inputSchema, outputSchema, annotations }: Tool): PlacedText[] {
	const strings: PlacedText[] = [];
	let left = SCANNED_TOOL_CHARACTERS;
	const add = (where: string, text: string): void => {
		// Most strings of a schema are words such as "string".
		if (left <= 0 || strings.length >= TOOL_STRINGS || PLAIN_WORD.test(text)) return;
		strings.push({ where, text: text.slice(0, left) });
		left -= text.length;
	};
	const visit = (where: string, value: unknown, depth: number): void => {
		if (typeof value === 'string') add(where, value);
		if (typeof value !== 'object' || value === null || depth > NESTING_DEPTH || left <= 0) return;
		const isList = Array.isArray(value);
		for (const [key, inner] of Object.entries(value)) {
			// The name of a property is a text too.
			if (!isList && !/^[\w$-]{1,60}$/.test(key)) add(`${where} (a key)`, key);
			visit(isList ? where : `${where}.${key}`, inner, depth + 1);
		}
	};
	const parts = { name, description, title, inputSchema, outputSchema, annotations };
	for (const [part, value] of Object.entries(parts))
		if (typeof value === 'string' || isObject(value)) visit(part, value, 0);
	return strings;
}
