/*
 * The answers of `find_tools`, `describe_tool` and `call_tool`. Mistakes of the agent
 * are results with `isError`, which it reads and corrects; they name the nearest tool
 * and the wrong argument. Loaded with the first such call.
 */
import { OrchestraError } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams } from '../../mcp/server/provider.ts';
import type { CallToolResult, InputRequired, Tool } from '../../protocol/mcp-types.ts';
import { propertiesOf } from '../../schema/schema-types.ts';
import { signatureLine } from '../../schema/tool-signature.ts';
import { validate } from '../../schema/validate.ts';
import { nearest } from '../../search/text/nearest.ts';
import { isObject } from '../../wire/json.ts';
import { foundText } from './found-tools.ts';
import {
	CALL_TOOL,
	DESCRIBE_TOOL,
	FIND_BUDGETS,
	FIND_LIMITS,
	FIND_TOOLS,
	searchTools,
} from './search-tools.ts';
import { type OfferedTool, ownName } from './tool-document.ts';
import type { CallDirectly } from './tool-exposure.ts';
import type { ToolFilter } from './tool-filter.ts';
import type { ToolIndex } from './tool-index.ts';

/** Longest query that is read. */
const QUERY_CHARACTERS = 2000;
/** Most tools and most mistakes that an error names. */
const NAMED = 3;

export interface SearchToolParts {
	readonly tools: readonly OfferedTool[];
	/** The view of the client. */
	readonly accept: ToolFilter;
	readonly index: ToolIndex;
	readonly call: CallDirectly;
}

/** Answer a call of a search tool. */
export async function answerSearchTool(
	{ name, arguments: input }: CallToolParams,
	context: CallContext,
	parts: SearchToolParts,
): Promise<CallToolResult | InputRequired> {
	const own = searchTools(new Map()).find((tool) => tool.name === name);
	const wrong = own ? await mistakes(own, input) : [];
	if (own && wrong.length > 0) return mistake(wrong, own);
	if (name === FIND_TOOLS) return textResult(await find(input, parts));
	const wanted = typeof input['name'] === 'string' ? input['name'] : '';
	const tool = parts.tools.find((each) => each.tool.name === wanted && parts.accept(wanted))?.tool;
	if (tool === undefined) return textResult(await unknownTool(wanted, parts), true);
	return name === DESCRIBE_TOOL ? textResult(JSON.stringify(tool)) : callInner(tool, input, context, parts);
}

async function callInner(
	tool: Tool,
	{ arguments: given = {} }: Readonly<Record<string, unknown>>,
	context: CallContext,
	{ call }: SearchToolParts,
): Promise<CallToolResult | InputRequired> {
	const input = isObject(given) ? given : {};
	const wrong = await mistakes(tool, input);
	if (wrong.length > 0) return mistake(wrong, tool);
	context.enterInnerCall();
	return call({ name: tool.name, arguments: input });
}

async function find(
	input: Readonly<Record<string, unknown>>,
	{ tools, accept, index }: SearchToolParts,
): Promise<string> {
	const query = String(input['query']).slice(0, QUERY_CHARACTERS);
	const limit = Number(input['limit'] ?? FIND_LIMITS.usual);
	const budget = Number(input['budget'] ?? FIND_BUDGETS.usual);
	const byName = new Map(tools.map(({ tool }) => [tool.name, tool]));
	const found = (await index.search(tools, { query, limit, accept })).flatMap((hit) => {
		const tool = byName.get(hit.id);
		return tool ? [{ tool, hit }] : [];
	});
	if (found.length > 0) return foundText(found, budget);
	const servers = [...new Set(tools.filter(({ tool }) => accept(tool.name)).map(({ server }) => server))];
	return `No tool matches "${query}". Try other words; the servers are: ${servers.join(', ')}.`;
}

/** The sentences about wrong arguments; none for a schema that cannot be checked here, which the tool checks itself. */
async function mistakes({ name, inputSchema }: Tool, input: object): Promise<readonly string[]> {
	try {
		return await validate(inputSchema, input, name);
	} catch (error) {
		if (OrchestraError.is(error, 'bad_input')) return [];
		throw error;
	}
}

function mistake(wrong: readonly string[], { name, inputSchema }: Tool): CallToolResult {
	const known = [...propertiesOf({ schema: inputSchema, root: inputSchema }).keys()];
	const more = wrong.length > NAMED ? [`${wrong.length - NAMED} more mistakes`] : [];
	const parameters = known.length === 0 ? '' : ` Its parameters are ${known.join(', ')}.`;
	const lines = [
		`The arguments of ${name} are wrong, so it was not called.${parameters}`,
		...wrong.slice(0, NAMED),
		...more,
		signatureLine(name, inputSchema),
	];
	return textResult(lines.join('\n'), true);
}

async function unknownTool(wanted: string, parts: SearchToolParts): Promise<string> {
	const close = await closeNames(wanted, parts);
	const guess = close.length === 0 ? '' : ` Did you mean ${close.join(', ')}?`;
	return `There is no tool "${wanted}".${guess} Find the name with ${FIND_TOOLS}, then use it in ${CALL_TOOL}.`;
}

/** Tools with the same own name, else with nearly the same name, else what a search for its words finds. */
async function closeNames(wanted: string, { tools, accept, index }: SearchToolParts): Promise<string[]> {
	const names = tools.map(({ tool }) => tool.name).filter(accept);
	const asked = ownName(wanted).toLowerCase();
	const same = names.filter((name) => ownName(name).toLowerCase() === asked);
	if (same.length > 0) return same.slice(0, NAMED);
	const near = nearest(wanted, names, NAMED);
	if (near.length > 0) return near;
	const nearOwn = new Set(nearest(asked, names.map(ownName), NAMED));
	const byOwn = names.filter((name) => nearOwn.has(ownName(name)));
	if (byOwn.length > 0) return byOwn.slice(0, NAMED);
	const query = wanted.slice(0, QUERY_CHARACTERS).replace(/[_-]+/g, ' ');
	return (await index.search(tools, { query, limit: NAMED, accept })).map(({ id }) => id);
}

function textResult(text: string, isError = false): CallToolResult {
	return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}
