/*
 * A result that is too long, as its client gets it: its text within the budget, and what is above
 * the limit in bytes as links. Everything that is left out is stored first.
 */
import { CHARACTERS_PER_TOKEN } from '../../library/files/library-limits.ts';
import type { CallToolResult, ContentBlock } from '../../protocol/mcp-types.ts';
import { encodeJson } from '../../wire/json-text.ts';
import type { HubCall } from '../calls/hub-call.ts';
import { isForPage } from './notice-schema.ts';
import type { StoredDocument } from './result-folder.ts';
import { AGENT_BUDGET_TOKENS, SMALL_PART_CHARACTERS } from './result-limits.ts';
import type { ResultSource } from './result-source.ts';
import {
	type ResultText,
	retainsStructure,
	sentForm,
	shortBlocks,
	shortForms,
	textOfResult,
	tokensOfResult,
} from './shorten-result.ts';
import { HANDLE_META, newHandle, SCHEME } from './stored-result.ts';
import { isLarger } from './value-size.ts';

/** A result that is too long for the client of its call. */
export interface LongResult {
	readonly result: CallToolResult;
	readonly call: HubCall;
	/** 0 for a client without a budget. */
	readonly budgetTokens: number;
	/** Stores what is left out. */
	readonly source: ResultSource;
}

/** The result as its client gets it: the same one when it fits. Rejects when it cannot be stored. */
export async function fitResult(long: LongResult): Promise<CallToolResult> {
	const short = await withinBudget(long);
	return isLarger(short, long.source.budgets.limitBytes) ? withinBytes({ ...long, result: short }) : short;
}

/** Its text within the budget; the same result when it fits already. */
async function withinBudget(long: LongResult): Promise<CallToolResult> {
	const { result, call, budgetTokens, source } = long;
	const { tool } = call;
	const { limitBytes } = source.budgets;
	if (budgetTokens === 0 && !isLarger(result, limitBytes)) return result;
	const budget = Math.min(budgetTokens || AGENT_BUDGET_TOKENS, limitBytes / CHARACTERS_PER_TOKEN);
	const isStructured = retainsStructure(tool);
	// A program reads all of its structured content; an agent gets no more of it than of text.
	const cutsStructure = budgetTokens > 0 && !isForPage(tool);
	if (tokensOfResult(result, !isStructured || cutsStructure) <= budget) return result;
	const whole = textOfResult(result);
	const document = textDocument(whole);
	const handle = newHandle();
	const options = { whole, budgetTokens: budget, cutsStructure, handle, look: source.lookName };
	const { cut, structure } = await shortForms(result, tool, options);
	// Its schema does not allow a part, and nothing else is long.
	if (structure === undefined && tokensOfResult(result, !isStructured) <= budget) return result;
	const { structuredContent, ...rest } = result;
	const links = budgetTokens === 0 ? [linkTo(handle, document)] : [];
	const short: CallToolResult = {
		...rest,
		content: [...shortBlocks(result.content, cut), ...links],
		...(isStructured &&
			structuredContent !== undefined && { structuredContent: structure ?? structuredContent }),
		_meta: { ...result._meta, [HANDLE_META]: handle },
	};
	await source.add({ ...document, handle, sent: sentForm(short) }, call);
	return short;
}

/** The result without its large images and other parts, each of which becomes a link; structured content that has to stay is an error. */
async function withinBytes({ result, call, source }: LongResult): Promise<CallToolResult> {
	const { limitBytes } = source.budgets;
	// A host shows a page, or nothing: a link to it is no page.
	const sendsPages = !isLarger(result.content.filter(isHtml), limitBytes);
	const content: ContentBlock[] = [];
	for (const block of result.content) {
		const isInline = (sendsPages && isHtml(block)) || !isLarger(block, SMALL_PART_CHARACTERS);
		const document = isInline ? undefined : documentOf(block);
		content.push(document === undefined ? block : linkTo(await source.add(document, call), document));
	}
	const linked = { ...result, content };
	if (!isLarger(linked, limitBytes)) return linked;
	// What is left is structured content that must not be shortened.
	const json = Buffer.from(encodeJson(result.structuredContent ?? content));
	const document = { content: json, mimeType: 'application/json', isText: true };
	const handle = await source.add(document, call);
	const text =
		`The structured content of this result has ${json.length} bytes, and clients get at most ${limitBytes} (limits.resultBytes). ` +
		`Its output schema does not allow a part of it. It is stored as ${handle}: ask about it with ${source.lookName}.`;
	return {
		content: [{ type: 'text', text }, linkTo(handle, document)],
		isError: true,
		_meta: { ...result._meta, [HANDLE_META]: handle },
	};
}

export function textDocument({ text, json }: ResultText): StoredDocument {
	const mimeType = json === undefined ? 'text/plain' : 'application/json';
	return { content: Buffer.from(text), mimeType, isText: true };
}

function linkTo(handle: string, { mimeType, content }: StoredDocument): ContentBlock {
	const about = { mimeType, size: content.length };
	return { type: 'resource_link', uri: SCHEME + handle, name: 'the whole result', ...about };
}

function isHtml(block: ContentBlock): boolean {
	return block.type === 'resource' && /^text\/html\b/i.test(block.resource.mimeType ?? '');
}

/** The content of a large block; undefined for a block that has none of its own. */
function documentOf(block: ContentBlock): StoredDocument | undefined {
	if (block.type === 'image' || block.type === 'audio') return binaryDocument(block.data, block.mimeType);
	if (block.type !== 'resource') return undefined;
	const { mimeType, text, blob } = block.resource;
	if (text !== undefined)
		return { content: Buffer.from(text), mimeType: mimeType ?? 'text/plain', isText: true };
	return blob === undefined ? undefined : binaryDocument(blob, mimeType ?? 'application/octet-stream');
}

function binaryDocument(base64: string, mimeType: string): StoredDocument {
	return { content: Buffer.from(base64, 'base64'), mimeType, isText: false };
}
