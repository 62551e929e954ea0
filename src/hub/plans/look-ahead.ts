/*
 * Which tools a program can reach, read from its text before it runs.
 *
 * `tools.files.readTextFile` and `tools['files']['read_text_file']` name one tool. Any other use of
 * `tools` counts as all of them: a computed name, a server alone, the object in a variable. A program can
 * hide a name from this (`eval`), and gains nothing by it: a call of a tool that is not in the list is refused
 * when it comes.
 */
import type { Token } from 'js-tokens';
import { OrchestraError } from '../../errors.ts';
import { claimsOf } from '../../trust/policy.ts';
import { PLAN_NAMES_SHOWN } from './plan-limits.ts';
import type { PlanTool, PlanTools, WrittenTool } from './plan-tools.ts';
import { missingPackage, type Place, type Program, placeText } from './program.ts';

/** What a program can reach. */
export interface Reachable {
	/** The tools, as clients name them, sorted. */
	readonly tools: readonly string[];
	/** The tools of them whose servers do not say that they destroy nothing. */
	readonly destructive: readonly string[];
	/** Whether a name is computed, so that these are all tools of the client. */
	readonly isComputed: boolean;
}

interface Use extends Place {
	/** Undefined for a use that may be of any tool. */
	readonly named: WrittenTool | undefined;
}

/** Throws `bad_input` for a name that no tool has. */
export async function reachableTools(program: Program, known: PlanTools): Promise<Reachable> {
	const uses = usesOf(await tokensOf(program.script));
	const mistakes: string[] = [];
	const found = uses.flatMap(({ named, ...place }): PlanTool[] => {
		if (named === undefined) return [];
		const tool = known.find(named);
		if (typeof tool !== 'string') return [tool];
		mistakes.push(`${placeText(program.placeOf(place))}: ${tool}`);
		return [];
	});
	if (mistakes.length > 0)
		throw new OrchestraError('bad_input', mistakes.slice(0, PLAN_NAMES_SHOWN).join('\n'), {
			hint: 'find_tools finds the names: the tool files__read_file is tools.files.readFile.',
		});
	const isComputed = uses.some(({ named }) => named === undefined);
	const tools = new Map((isComputed ? known.all : found).map(({ tool }) => [tool.name, tool]));
	const destructive = [...tools.values()].filter(({ annotations }) => claimsOf(annotations).destructive);
	return {
		tools: [...tools.keys()].sort(),
		destructive: destructive.map(({ name }) => name).sort(),
		isComputed,
	};
}

async function tokensOf(script: string): Promise<Token[]> {
	const { default: jsTokens } = await import('js-tokens').catch((cause: unknown) => {
		throw missingPackage(cause);
	});
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
		const lines = value.split(/\r\n|[\n\r\u2028\u2029]/);
		line += lines.length - 1;
		const last = lines.at(-1)?.length ?? 0;
		column = lines.length > 1 ? last + 1 : column + last;
	}
	return found;
}
