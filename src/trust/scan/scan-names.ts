/*
 * Names across servers: a tool or server whose name looks like another one but is not the
 * same, and strings that send an agent to a tool of another server.
 */
import type { Tool } from '../../protocol/mcp-types.ts';
import { FOREIGN_NAME_CHARACTERS } from '../trust-limits.ts';
import { plainText } from './plain-text.ts';
import { quoteAround, type ScanFinding } from './scan-finding.ts';

/** The tools of one server. */
export interface ScannedServer {
	readonly server: string;
	readonly tools: readonly Tool[];
}

/** Names of the first server that look like one of another server. */
export function scanNames({ server, tools }: ScannedServer, others: readonly ScannedServer[]): ScanFinding[] {
	const foreign = new Map<string, { name: string; server: string }>();
	for (const other of others) {
		for (const { name } of other.tools) foreign.set(skeleton(name), { name, server: other.server });
	}
	const findings = tools.flatMap(({ name }): ScanFinding[] => {
		const twin = foreign.get(skeleton(name));
		const isTwin = twin !== undefined && twin.name !== name;
		if (!isTwin && !mixesScripts(name)) return [];
		const text = isTwin ? `${name} and ${twin.name} of ${twin.server}` : name;
		return [{ kind: 'look-alike', tool: name, where: 'name', quote: quoteOf(text) }];
	});
	const twin = others.find((other) => other.server !== server && skeleton(other.server) === skeleton(server));
	if (twin === undefined) return findings;
	const quote = quoteOf(`${server} and ${twin.server}`);
	return [...findings, { kind: 'look-alike', tool: tools[0]?.name ?? '', where: `server ${server}`, quote }];
}

/** The distinctive names of the tools of other servers. */
export function foreignNames({ tools }: ScannedServer, others: readonly ScannedServer[]): Set<string> {
	const own = tools.map(({ name }) => name).join('\n');
	const names = new Set<string>();
	for (const { server, tools: theirs } of others) {
		for (const { name } of theirs) {
			names.add(`${server}__${name}`);
			const isDistinctive = name.length >= FOREIGN_NAME_CHARACTERS && /[a-z][_-][a-z]|[a-z][A-Z]/.test(name);
			if (isDistinctive && !own.includes(name)) names.add(name);
		}
	}
	return names;
}

/** Where a string instructs to call one of these tools; undefined when it does not. */
export function callOfForeign(
	text: string,
	names: ReadonlySet<string>,
): { from: number; to: number } | undefined {
	for (const match of text.matchAll(
		/\b(?:call|use|invoke|run|execute)\b(?: [\w`'"-]+){0,3}? [`'"]?([\w-]{6,})(?![\w-]*=)/gi,
	)) {
		if (names.has(match[1] ?? '')) return { from: match.index, to: match.index + match[0].length };
	}
	return undefined;
}

/** Equal for names that look alike. */
function skeleton(name: string): string {
	return plainText(name)
		.replaceAll('0', 'o')
		.replaceAll(/[1I|]/g, 'l')
		.replaceAll('rn', 'm')
		.replaceAll('vv', 'w');
}

/** Latin letters together with Cyrillic, Greek or Armenian ones in one name. */
function mixesScripts(name: string): boolean {
	return (
		/\p{Script=Latin}/u.test(name) &&
		/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(name)
	);
}

/** The text in quotes, with letters outside ASCII escaped: they are what cannot be seen. */
function quoteOf(text: string): string {
	const escaped = text.replace(/[^ -~]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
	return quoteAround(escaped, 0, escaped.length);
}
