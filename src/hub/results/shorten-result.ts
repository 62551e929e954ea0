/*
 * A result within a budget: the first part of its text, a notice about the rest, and everything
 * that is no text as it was.
 *
 * Images, audio, resources and links are not text. Structured content that the page of an app
 * reads stays whole. Agents show a model nothing but structured content that an output schema
 * describes: it is shortened where the result fits the schema, and has the notice in it. Other
 * structured content is a second form of the same, and is left out.
 */

import { CHARACTERS_PER_TOKEN } from '../../library/files/library-limits.ts';
import { estimateTokens } from '../../library/match/tokens.ts';
import {
	type CallToolResult,
	type ContentBlock,
	type Tool,
	textResult,
	textsOf,
} from '../../protocol/mcp-types.ts';
import { validate } from '../../schema/validate.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { encodeJson, JsonText, withMember } from '../../wire/json-text.ts';
import { type CutPart, cutJson, shortPath } from './cut-json.ts';
import { countLines, cutMiddle, firstPart, wellFormed } from './cut-text.ts';
import { count1000, shapeOf } from './json-shape.ts';
import { cutRows, pythonRows } from './look/python-literal.ts';
import { isForPage, NOTICE_MEMBER, noticedSchema } from './notice-schema.ts';
import { CUT_TRIES, NAMED_CUTS, NOTICE_MEMBER_TOKENS, SHAPE_CHARACTERS } from './result-limits.ts';
import type { SentForm } from './stored-result.ts';

/** All that a result says in text. */
export interface ResultText {
	readonly text: string;
	/** Undefined when it is not JSON with members or elements. */
	readonly json: object | undefined;
}

/** The facts that the notice names. */
export interface NoticeNames {
	readonly handle: string;
	/** The name of the tool `look` for this client. */
	readonly look: string;
}

export interface ShortenedText {
	readonly shown: string;
	readonly notice: string;
}

/** Whether the structured content has to stay: an output schema describes it, or a page reads it. */
export function retainsStructure(tool: Tool | undefined): boolean {
	return tool?.outputSchema !== undefined || isForPage(tool);
}

/** The text that a model reads of a result: its text blocks, or structured content that says more. */
export function textOfResult({ content, structuredContent }: CallToolResult): ResultText {
	const blocks = textsOf({ content });
	const structure = structuredContent === undefined ? undefined : encodeJson(structuredContent);
	const joined = joinBlocks(blocks);
	// Text that is about as long is the same in another form, and is what the server meant to be read.
	if (structure !== undefined && structure.length > 2 * joined.text.length)
		return { text: structure, json: jsonOf(structure) };
	return joined;
}

/** The tokens of the text of a result, or of its structured content when that is more and counts. */
export function tokensOfResult(result: CallToolResult, countsStructure: boolean): number {
	const textSize = textsOf(result).reduce((sum, text) => sum + text.length, 0);
	const { structuredContent } = result;
	const structure =
		structuredContent === undefined || !countsStructure ? 0 : encodeJson(structuredContent).length;
	return Math.ceil(Math.max(textSize, structure) / CHARACTERS_PER_TOKEN);
}

/** The first part of a text and the notice, together within the budget. Of an error the last lines are in it. */
export function shortenText(
	{ text, json }: ResultText,
	budgetTokens: number,
	{ handle, look, isError }: NoticeNames & { readonly isError: boolean },
): ShortenedText {
	const limit = budgetTokens * CHARACTERS_PER_TOKEN;
	const rows = json === undefined && !isError ? pythonRows(text) : undefined;
	const value = json ?? rows;
	const shape = value && shapeOf(value, Math.min(SHAPE_CHARACTERS, limit / 6));
	let room = limit - 320 - (shape?.length ?? 0);
	for (;;) {
		const { shown, facts } = cutWithin({ text, json, rows }, Math.max(0, room), isError);
		const notice = wellFormed(noticeText({ text, shown, facts, shape, handle, look }));
		const excess = shown.length + notice.length - limit;
		if (excess <= 0 || room <= 0) return { shown, notice };
		room -= Math.max(excess, 16);
	}
}

/** The blocks of a shortened result: the text, the notice, and what is no text. */
export function shortBlocks(
	blocks: readonly ContentBlock[],
	{ shown, notice }: ShortenedText,
): ContentBlock[] {
	const others = blocks.filter(({ type }) => type !== 'text');
	return [...textResult(...[shown, notice].filter((text) => text !== '')).content, ...others];
}

/** The content of a shortened result. */
export function sentForm({ content, structuredContent }: CallToolResult): SentForm {
	const text = textsOf({ content }).join('\n');
	return { text, structured: structuredContent === undefined ? null : encodeJson(structuredContent) };
}

/** Structured content in which members that repeat the text are shortened too; undefined when there are none, or the schema forbids that. */
export async function shortMembers(
	{ content, structuredContent }: CallToolResult,
	tool: Tool | undefined,
	{ shown, notice }: ShortenedText,
): Promise<unknown> {
	const blocks = new Set(textsOf({ content }));
	if (!isObject(structuredContent) || tool?.outputSchema === undefined) return undefined;
	const members = Object.entries(structuredContent);
	if (!members.some(([, value]) => typeof value === 'string' && blocks.has(value))) return undefined;
	const short = Object.fromEntries(
		members.map(([name, value]) =>
			typeof value === 'string' && blocks.has(value)
				? [name, `${shown}\n${notice}`.trimEnd()]
				: [name, value],
		),
	);
	return (await fits(tool, tool.outputSchema, short)) ? short : undefined;
}

export interface ShortForms {
	readonly cut: ShortenedText;
	/** Undefined when there is none, or its schema forbids a part. */
	readonly structure: unknown;
}

export interface ShortFormsOptions extends NoticeNames {
	readonly whole: ResultText;
	readonly budgetTokens: number;
	/** Whether structured content counts, and may be cut. */
	readonly cutsStructure: boolean;
}

/** A result as text and as structured content, each within the budget: JSON escapes a text that it repeats. */
export async function shortForms(
	result: CallToolResult,
	tool: Tool | undefined,
	{ whole, budgetTokens, cutsStructure, ...names }: ShortFormsOptions,
): Promise<ShortForms> {
	const isError = result.isError === true;
	const first = shortenText(whole, budgetTokens, { ...names, isError });
	let cut = first;
	let structure = await shortMembers(result, tool, cut);
	if (!cutsStructure) return { cut, structure };
	let room = budgetTokens;
	for (let tries = 0; structure !== undefined && tries < CUT_TRIES; tries++) {
		const tokens = estimateTokens(encodeJson(structure));
		if (tokens <= budgetTokens) return { cut, structure };
		room = Math.floor((room * budgetTokens) / tokens);
		cut = shortenText(whole, room, { ...names, isError });
		structure = await shortMembers(result, tool, cut);
	}
	const other = await shortStructure(result, tool, { ...names, budgetTokens });
	return other === undefined ? { cut, structure } : { cut: first, structure: other };
}

/** The first part of structured content with a notice as a member; undefined when it would not fit the schema that agents have. */
async function shortStructure(
	{ structuredContent }: CallToolResult,
	tool: Tool | undefined,
	{ budgetTokens, ...names }: NoticeNames & { readonly budgetTokens: number },
): Promise<unknown> {
	const schema = tool?.outputSchema;
	// Without a type the schema is not known here.
	if (!isObject(structuredContent) || schema?.['type'] === undefined || isForPage(tool)) return undefined;
	if (NOTICE_MEMBER in structuredContent) return undefined;
	const text = encodeJson(structuredContent);
	const budget = budgetTokens - NOTICE_MEMBER_TOKENS;
	const { shown, notice } = shortenText({ text, json: structuredContent }, budget, {
		...names,
		isError: false,
	});
	const short = withNotice(shown, notice);
	return short && (await fits(tool, noticedSchema(schema), short.value)) ? short : undefined;
}

/** Undefined when it is no JSON: content that is nested too deeply is cut as text. */
function withNotice(shown: string, notice: string): JsonText | undefined {
	try {
		const text = withMember(shown, [NOTICE_MEMBER], JSON.stringify(notice));
		return new JsonText(text, JSON.parse(text));
	} catch {
		return undefined;
	}
}

async function fits(tool: Tool | undefined, schema: JsonObject, value: unknown): Promise<boolean> {
	try {
		return (await validate(schema, value, tool?.name ?? '')).length === 0;
	} catch {
		return false; // a schema that cannot be checked here
	}
}

/** Blocks of JSON, as some servers send one for each record, are the elements of an array. */
function joinBlocks(blocks: readonly string[]): ResultText {
	const [only] = blocks;
	if (blocks.length === 1 && only !== undefined) return { text: wellFormed(only), json: jsonOf(only) };
	const areJson = blocks.length > 1 && blocks.every((text) => jsonOf(text) !== undefined);
	const text = wellFormed(areJson ? `[${blocks.join(',\n')}]` : blocks.join('\n'));
	return { text, json: areJson ? jsonOf(text) : undefined };
}

function jsonOf(text: string): object | undefined {
	if (!/^\s*[[{]/.test(text)) return undefined;
	try {
		return JSON.parse(text.replace(/^\uFEFF/, '')) as object; // it begins with a bracket
	} catch {
		return undefined;
	}
}

interface Cut {
	readonly shown: string;
	/** The shown part and the whole, as prose. */
	readonly facts: string;
}

/** A text, with its rows when it is a list as Python prints it. */
interface CutText extends ResultText {
	readonly rows: readonly unknown[] | undefined;
}

function cutWithin({ text, json, rows }: CutText, room: number, isError: boolean): Cut {
	if (json !== undefined) {
		try {
			const { text: shown, parts } = cutJson(text, room);
			return { shown, facts: cutsText(parts) };
		} catch {
			// No part of it would be JSON.
			return { shown: Array.isArray(json) ? '[]' : '{}', facts: 'nothing, it is nested too deeply' };
		}
	}
	const first = rows && cutRows(text, room);
	if (rows && first)
		return { shown: first.shown, facts: `${count1000(first.rows)} of ${count1000(rows.length)} rows` };
	const shown = isError ? cutMiddle(text, room) : firstPart(text, room);
	return { shown, facts: factsOf(shown, text, isError) };
}

/** Lines; characters where the last line is shown in part. */
function factsOf(shown: string, text: string, isError: boolean): string {
	if (isError || shown === '' || shown.endsWith('\n'))
		return `${count1000(countLines(shown))} of ${count1000(countLines(text))} lines`;
	return `${count1000(shown.length)} of ${count1000(text.length)} characters`;
}

function cutsText(parts: readonly CutPart[]): string {
	const cuts = parts.slice(0, NAMED_CUTS).map(({ path, unit, shown, total }) => {
		const of = `${count1000(shown)} of ${count1000(total)} ${unit}`;
		return path === '' ? of : `${of} of ${shortPath(path)}`;
	});
	const more = parts.length > NAMED_CUTS ? [`${count1000(parts.length - NAMED_CUTS)} more parts cut`] : [];
	return [...cuts, ...more].join(', ');
}

function noticeText({
	text,
	shown,
	facts,
	shape,
	handle,
	look,
}: NoticeNames & { text: string; shown: string; facts: string; shape: string | undefined }): string {
	const size = `about ${count1000(estimateTokens(shown))} of ${count1000(estimateTokens(text))} tokens`;
	const how = shape === undefined ? '"op":"grep","pattern":"…"' : '"op":"select","select":"…"';
	return [
		`[Shortened: ${facts}, ${size}.`,
		...(shape === undefined ? [] : [`Shape: ${shape}.`]),
		`The whole is stored as ${handle}. Ask about it with ${look} {"handle":"${handle}",${how}};`,
		'other ops: head, tail, range, grep, select, count, distinct.]',
	].join(' ');
}
