/* The answer of `find_tools`: compact signatures within a token budget, and why each tool matched. */
import { estimateTokens } from '../../library/match/tokens.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { signatureLine } from '../../schema/tool-signature.ts';
import type { MatchReason, SearchHit } from '../../search/document.ts';
import { FOUND_SIGNATURE_CHARACTERS, FOUND_SUMMARY_CHARACTERS } from './expose-limits.ts';
import { CALL_TOOL, DESCRIBE_TOOL } from './search-tools.ts';
import { firstSentence } from './tool-document.ts';

/** Most reasons of one tool. */
const REASONS = 4;

export interface FoundTool {
	readonly tool: Tool;
	readonly hit: SearchHit;
}

/** The text of the answer. The best tool is always in it. */
export function foundText(found: readonly FoundTool[], budget: number): string {
	const blocks = found.map(blockOf);
	let shown = 0;
	let tokens = estimateTokens(footer(0, found.length));
	for (const block of blocks) {
		tokens += estimateTokens(`${block}\n`);
		if (shown > 0 && tokens > budget) break;
		shown++;
	}
	return [...blocks.slice(0, shown), footer(shown, found.length)].join('\n');
}

function footer(shown: number, found: number): string {
	const more = shown < found ? ` ${found - shown} more did not fit the budget.` : '';
	return `Call one with ${CALL_TOOL} {name, arguments}; ${DESCRIBE_TOOL} {name} gives its whole schema.${more}`;
}

function blockOf({ tool, hit }: FoundTool): string {
	const summary = firstSentence(tool.description ?? tool.title ?? '', FOUND_SUMMARY_CHARACTERS);
	const why = reasonsOf(hit.why);
	return `${shortSignature(tool)}${marksOf(tool)}\n  ${summary}${why === '' ? '' : `\n  matched: ${why}`}`;
}

/** The hints of a tool about its effects, where it says so. */
function marksOf({ annotations }: Tool): string {
	if (annotations?.readOnlyHint === true) return ' [read-only]';
	return annotations?.destructiveHint === true ? ' [destructive]' : '';
}

/** All parameters, or the required ones when the line would be long. */
function shortSignature({ name, inputSchema }: Tool): string {
	const whole = signatureLine(name, inputSchema);
	if (whole.length <= FOUND_SIGNATURE_CHARACTERS) return whole;
	const { required, properties } = inputSchema;
	const requiredNames = Array.isArray(required) ? required : [];
	const entries = Object.entries(properties ?? {}).filter(([key]) => requiredNames.includes(key));
	const short = signatureLine(name, { ...inputSchema, properties: Object.fromEntries(entries) });
	const closed = short.endsWith('()') ? `${name}(…)` : `${short.slice(0, -1)}, …)`;
	return closed.length <= FOUND_SIGNATURE_CHARACTERS ? closed : `${name}(…)`;
}

/** The terms of the query with what they matched: `delete→remove (name)`. */
function reasonsOf(why: readonly MatchReason[]): string {
	return why
		.slice(0, REASONS)
		.map(({ word, matched, kind, fields: [field = ''] }) => {
			if (kind === 'usage') return 'used for a similar query';
			return `${word}${matched === word ? '' : `→${matched}`}${field === '' ? '' : ` (${field})`}`;
		})
		.join(', ');
}
