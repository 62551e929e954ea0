/*
 * The answers of `find_tools`, `describe_tool` and `call_tool`. Mistakes of the agent
 * are results with `isError`, which it reads and corrects; they name the nearest tool
 * and the wrong argument. What is not found may belong to a server that starts: the
 * answer waits for it, and names the servers that did not answer. Loaded with the first
 * such call.
 */
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { CallToolParams } from '../../mcp/server/provider.ts';
import { nearest } from '../../nearest.ts';
import {
	type Answer,
	type CallToolResult,
	failure,
	type Tool,
	textResult,
} from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { propertiesOf } from '../../schema/schema-types.ts';
import { signatureLine } from '../../schema/tool-signature.ts';
import { mistakesIn } from '../../schema/validate.ts';
import type { SearchHit } from '../../search/document.ts';
import { ServerNames, toolPrefix } from '../../trust/tool-name.ts';
import { isObject } from '../../wire/json.ts';
import { type AbsentServer, absenceText } from '../absent-servers.ts';
import {
	FIND_QUERY_CHARACTERS,
	FOUND_NOTHING_WAIT_MS,
	FOUND_SOMETHING_WAIT_MS,
	WAIT_PROGRESS_MS,
} from './expose-limits.ts';
import { foundText } from './search-answer.ts';
import {
	CALL_TOOL,
	DESCRIBE_TOOL,
	FIND_BUDGETS,
	FIND_LIMITS,
	FIND_TOOLS,
	searchTools,
} from './search-tools.ts';
import { GOOD_SCORE, type SkillSearch, skillsUsing } from './skill-search.ts';
import { type ExposedTool, upstreamName } from './tool-document.ts';
import type { SearchedTools } from './tool-exposure.ts';
import type { ToolFilter } from './tool-filter.ts';
import type { ToolIndex } from './tool-index.ts';

/** Most tools and most mistakes that an error names. */
const NAMED = 3;

export interface SearchToolDeps extends Omit<SearchedTools, 'list'> {
	/** The tools as they are listed now. */
	readonly tools: () => Promise<readonly ExposedTool[]>;
	/** The view of the client. */
	readonly accept: ToolFilter | undefined;
	readonly index: ToolIndex;
	readonly skillSearch: SkillSearch;
	/** These tools were shown for a query. */
	readonly found?: (query: string, names: readonly string[]) => void;
}

/** Answer a call of a search tool. */
export async function answerSearchTool(
	{ name, arguments: given }: CallToolParams,
	context: CallContext,
	deps: SearchToolDeps,
): Promise<Answer> {
	// As in a call of the tool itself, arguments that are `null` count as absent.
	const input = given['arguments'] === null ? { ...given, arguments: {} } : given;
	const own = searchTools({ counts: new Map(), absent: [] }).find((tool) => tool.name === name);
	const wrong = own ? await mistakesIn(own.inputSchema, input, own.name) : [];
	if (own && wrong.length > 0) return mistake(wrong, own);
	if (name === FIND_TOOLS) return textResult(await find(input, context, deps));
	const wanted = typeof input['name'] === 'string' ? input['name'] : '';
	const tool = await toolNamed(wanted, context, deps);
	if (tool === undefined) return failure(await unknownTool(wanted, deps));
	return name === DESCRIBE_TOOL ? describe(tool, deps) : callInner(tool, input, context, deps);
}

/** The tool as it is listed, with the skills that use it. */
async function describe(tool: Tool, deps: SearchToolDeps): Promise<CallToolResult> {
	const servers = (await deps.tools()).map(({ server }) => server);
	const skills = skillsUsing(tool.name, await deps.skills(), servers);
	const text = JSON.stringify(tool);
	return textResult(
		skills.length === 0
			? text
			: lines(text, `Skills that use it, to read with resources/read: ${skills.join(', ')}`),
	);
}

function isVisible(name: string, { accept }: SearchToolDeps): boolean {
	return accept === undefined || accept(name);
}

/** A tool of a server that starts is waited for; one of a server that failed is not. */
function toolNamed(wanted: string, context: CallContext, deps: SearchToolDeps): Promise<Tool | undefined> {
	return awaitServers(context, deps, async () => {
		const tools = await deps.tools();
		const value = tools.find(({ tool }) => tool.name === wanted && isVisible(wanted, deps))?.tool;
		const isHopeless = ownersOf(wanted, deps.absent()).some(({ state }) => state === 'failed');
		return { value, waitMs: value || isHopeless ? 0 : FOUND_NOTHING_WAIT_MS };
	});
}

/** The absent servers whose tools have names like this one. */
function ownersOf(tool: string, absent: readonly AbsentServer[]): readonly AbsentServer[] {
	return absent.filter(({ id }) => tool.startsWith(toolPrefix(id)));
}

async function callInner(
	tool: Tool,
	{ arguments: given = {} }: Readonly<Record<string, unknown>>,
	context: CallContext,
	{ call }: SearchToolDeps,
): Promise<Answer> {
	const input = isObject(given) ? given : {};
	const wrong = await mistakesIn(tool.inputSchema, input, tool.name);
	if (wrong.length > 0) return mistake(wrong, tool);
	context.enterInnerCall();
	return call({ name: tool.name, arguments: input });
}

async function find(
	input: Readonly<Record<string, unknown>>,
	context: CallContext,
	deps: SearchToolDeps,
): Promise<string> {
	const query = String(input['query']).slice(0, FIND_QUERY_CHARACTERS);
	const task = typeof input['task'] === 'string' ? input['task'].slice(0, FIND_QUERY_CHARACTERS) : undefined;
	const limit = Number(input['limit'] ?? FIND_LIMITS.usual);
	const budget = Number(input['budget'] ?? FIND_BUDGETS.usual);
	const { tools, hits } = await awaitServers(context, deps, async () => {
		const tools = await deps.tools();
		const hits = await deps.index.search(tools, { query, task, limit, accept: deps.accept });
		return { value: { tools, hits }, waitMs: searchWaitMs(query, hits, deps.absent()) };
	});
	const byName = new Map(tools.map(({ tool }) => [tool.name, tool]));
	const found = hits.flatMap((hit) => {
		const tool = byName.get(hit.id);
		return tool ? [{ tool, hit }] : [];
	});
	const missing = lines(absenceText(deps.absent()), deps.untrusted() ?? '');
	deps.found?.(
		query,
		found.map(({ tool }) => tool.name),
	);
	const skills = await deps.skillSearch.lines(await deps.skills(), query);
	if (found.length > 0) return lines(foundText(found, budget), skills, missing);
	return lines(`No tool matches "${query}". ${advice(tools, deps)}`, skills, missing);
}

function advice(tools: readonly ExposedTool[], deps: SearchToolDeps): string {
	const visible = tools.filter(({ tool, isBuiltIn }) => isBuiltIn !== true && isVisible(tool.name, deps));
	const servers = new Set(visible.map(({ server }) => server));
	if (servers.size > 0) return `Try other terms; the servers are: ${[...servers].join(', ')}.`;
	return deps.absent().length > 0 ? 'No server has answered yet.' : 'No server has tools.';
}

/** The wait for late servers: less when something good is found already, unless the query names a server that starts. */
function searchWaitMs(query: string, [best]: readonly SearchHit[], absent: readonly AbsentServer[]): number {
	const terms = query.toLowerCase().split(/[^\p{L}\p{N}_-]+/u);
	const isNamed = absent.some(({ id, state }) => state === 'starting' && terms.includes(id.toLowerCase()));
	if (best === undefined || isNamed) return FOUND_NOTHING_WAIT_MS;
	return best.score >= GOOD_SCORE ? 0 : FOUND_SOMETHING_WAIT_MS;
}

/** The best value so far. */
interface FoundSoFar<T> {
	readonly value: T;
	/** How long after the begin of the call a better value is worth a wait. */
	readonly waitMs: number;
}

/** Call `look` again whenever a server that was late has answered, until its value is good enough or the time is over. */
async function awaitServers<T>(
	context: CallContext,
	servers: Pick<SearchedTools, 'absent' | 'nextAnswer'>,
	look: () => Promise<FoundSoFar<T>>,
): Promise<T> {
	const beganAt = performance.now();
	for (;;) {
		const next = servers.nextAnswer(); // before the look, which takes time: an answer meanwhile counts
		const { value, waitMs } = await look();
		if (next === undefined || !(await answersBy(beganAt + waitMs, next, context, servers))) return value;
	}
}

/** True when `next` resolved before the deadline and the end of the call. */
async function answersBy(
	deadline: number,
	next: Promise<unknown>,
	context: CallContext,
	{ absent }: Pick<SearchedTools, 'absent'>,
): Promise<boolean> {
	const answered = next.then(() => true);
	for (let step = 1; ; step++) {
		const leftMs = deadline - performance.now();
		if (leftMs <= 0 || context.isCanceled) return false;
		const starting = absent().flatMap(({ id, state }) => (state === 'starting' ? id : []));
		if (starting.length > 0) context.progress(step, undefined, `waiting for ${starting.join(', ')} to start`);
		if (await within(answered, Math.min(leftMs, WAIT_PROGRESS_MS), false)) return true;
	}
}

function lines(...strings: readonly string[]): string {
	return strings.filter((text) => text !== '').join('\n');
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
	return failure(lines.join('\n'));
}

async function unknownTool(wanted: string, deps: SearchToolDeps): Promise<string> {
	const owners = ownersOf(wanted, deps.absent());
	if (owners.length > 0) return lines(`"${wanted}" cannot be used now.`, absenceText(owners));
	const close = await closeNames(wanted, await deps.tools(), deps);
	const guess = close.length === 0 ? '' : ` Did you mean ${close.join(', ')}?`;
	const text = `There is no tool "${wanted}".${guess} Find the name with ${FIND_TOOLS}, then use it in ${CALL_TOOL}.`;
	return lines(text, absenceText(deps.absent()), deps.untrusted() ?? '');
}

/** Tools with the same own name, else with nearly the same name, else what a search for its terms finds. */
async function closeNames(
	wanted: string,
	tools: readonly ExposedTool[],
	deps: SearchToolDeps,
): Promise<string[]> {
	const exposed = tools.filter(({ tool }) => isVisible(tool.name, deps));
	const names = exposed.map(({ tool }) => tool.name);
	const owns = exposed.map(({ tool, server }) => upstreamName(tool.name, server).toLowerCase());
	const { tool } = new ServerNames(exposed.map(({ server }) => server)).read(wanted);
	// What follows the first `__`, when nothing is known of the server.
	const requested = (tool === wanted ? wanted.replace(/^.+?__(?=.)/, '') : tool).toLowerCase();
	const same = names.filter((_, at) => owns[at] === requested);
	if (same.length > 0) return same.slice(0, NAMED);
	const near = nearest(wanted, names, NAMED);
	if (near.length > 0) return near;
	const nearOwn = new Set(nearest(requested, owns, NAMED));
	const byOwn = names.filter((_, at) => nearOwn.has(owns[at] ?? ''));
	if (byOwn.length > 0) return byOwn.slice(0, NAMED);
	const query = wanted.slice(0, FIND_QUERY_CHARACTERS).replace(/[_-]+/g, ' ');
	const { accept, index } = deps;
	return (await index.search(tools, { query, limit: NAMED, accept })).map(({ id }) => id);
}
