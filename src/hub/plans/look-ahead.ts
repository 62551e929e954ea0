/*
 * Which tools a program names, read from its text before it runs. In the thread of the plan, as the compiler is.
 *
 * `tools.files.readTextFile` and `tools['files']['read_text_file']` name one tool. Any other use of
 * `tools` counts as all of them: a computed name, a server alone, the object in a variable. A program can
 * hide a name from this (`eval`), and gains nothing by it: a call of a tool that is not in the list is refused
 * when it comes.
 */
import type { Token } from 'js-tokens';
import { type CompiledProgram, optional, type Place, placeText } from './program.ts';

/** A tool by the two names in a program. */
export interface WrittenTool {
	readonly server: string;
	readonly tool: string;
}

/** The tools that a program calls, as its source names them. */
export interface ProgramNames {
	/** Each tool once, with the place where it is named first. */
	readonly named: readonly (WrittenTool & { readonly place: string })[];
	/** Whether a name is computed, so that it may be any tool. */
	readonly isComputed: boolean;
}

interface Use extends Place {
	/** Undefined for a use that may be of any tool. */
	readonly named: WrittenTool | undefined;
}

export async function namesIn({ script, placeOf }: CompiledProgram): Promise<ProgramNames> {
	const uses = usesOf(await tokensOf(script));
	const named = new Map<string, WrittenTool & { place: string }>();
	for (const { named: tool, ...place } of uses) {
		const key = JSON.stringify(tool);
		if (tool && !named.has(key)) named.set(key, { ...tool, place: placeText(placeOf(place)) });
	}
	return { named: [...named.values()], isComputed: uses.some((use) => use.named === undefined) };
}

async function tokensOf(script: string): Promise<Token[]> {
	const { default: jsTokens } = await optional(import('js-tokens'));
	return [...jsTokens(script)];
}

interface PlacedToken extends Place {
	readonly type: Token['type'];
	readonly value: string;
}

const ignored: ReadonlySet<Token['type']> = new Set([
	'WhiteSpace',
	'LineTerminatorSequence',
	'SingleLineComment',
	'MultiLineComment',
]);

function usesOf(all: readonly Token[]): Use[] {
	const tokens = placed(all);
	return tokens.flatMap((token, at): Use[] => {
		if (token.value !== 'tools' || token.type !== 'IdentifierName') return [];
		const before = tokens[at - 1]?.value;
		if (before === '.' || before === '?.') return [];
		const server = memberAt(tokens, at + 1);
		const tool = server && memberAt(tokens, server.end);
		const { line, column } = token;
		return [{ line, column, named: tool && { server: server.name, tool: tool.name } }];
	});
}

/** The name of `.name` or `['name']` that begins at a token, and where it ends. */
function memberAt(tokens: readonly PlacedToken[], at: number): { name: string; end: number } | undefined {
	const isOptional = tokens[at]?.value === '?.';
	const start = isOptional && tokens[at + 1]?.value === '[' ? at + 1 : at;
	const [dot, name, close] = tokens.slice(start, start + 3);
	if (dot === undefined || name === undefined) return undefined;
	if (dot.value === '.' || dot.value === '?.')
		return name.type === 'IdentifierName' ? { name: name.value, end: start + 2 } : undefined;
	if (dot.value !== '[' || close?.value !== ']' || name.type !== 'StringLiteral') return undefined;
	// An escape in a name is not read: it counts as computed.
	const text = name.value.slice(1, -1);
	return text.includes('\\') ? undefined : { name: text, end: start + 3 };
}

function placed(all: readonly Token[]): PlacedToken[] {
	let [line, column] = [1, 1];
	const found: PlacedToken[] = [];
	for (const { type, value } of all) {
		if (!ignored.has(type)) found.push({ type, value, line, column });
		const lines = value.split('\n');
		line += lines.length - 1;
		const last = lines.at(-1)?.length ?? 0;
		column = lines.length > 1 ? last + 1 : column + last;
	}
	return found;
}
