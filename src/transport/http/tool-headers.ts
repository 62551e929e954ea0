/*
 * The arguments that a tool wants as HTTP headers: `x-mcp-header` in its input schema.
 *
 * They are learned from every `tools/list` that passes through. A tool with an invalid
 * declaration is removed from the list, as the specification demands of HTTP clients.
 */
import { NESTING_DEPTH } from '../../core-limits.ts';
import { isDeeperThan } from '../../files/value-bounds.ts';
import type { Log } from '../../log.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import {
	LIST_CHARACTERS_LIMIT,
	LIST_ITEMS_LIMIT,
	LIST_STEP_CHARACTERS,
} from '../../protocol/protocol-limits.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import { isObject } from '../../wire/json.ts';
import { encodeResult, type Id } from '../../wire/json-rpc.ts';
import { resultIn } from './response-messages.ts';

/** One argument that is repeated as the header `Mcp-Param-<header>`. */
export interface HeaderArgument {
	/** The name of the header in lower case. */
	readonly header: string;
	/** The keys that lead to the argument. */
	readonly path: readonly string[];
}

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const none: readonly HeaderArgument[] = [];

export class ToolHeaders {
	readonly #log: Log;
	readonly #tools = new Map<string, readonly HeaderArgument[]>();

	constructor(log: Log) {
		this.#log = log;
	}

	/** The header arguments of a tool. */
	of(tool: string): readonly HeaderArgument[] {
		return this.#tools.get(tool) ?? none;
	}

	/** Read a response to `tools/list`; returns the text to deliver, without the tools that must be hidden. A long one is read in steps. */
	learn(id: Id, text: string): Awaitable<string> {
		if (text.length > LIST_CHARACTERS_LIMIT || !text.includes(KEY)) return text;
		if (text.length > LIST_STEP_CHARACTERS) return this.#learnInSteps(id, text);
		const list = listIn(text);
		if (list === undefined) return text;
		const tools = list.tools.filter((tool) => this.#learnTool(tool));
		return tools.length === list.tools.length ? text : encodeResult(id, { ...list.result, tools });
	}

	async #learnInSteps(id: Id, text: string): Promise<string> {
		const slices = new WorkSlices();
		await slices.next();
		const list = listIn(text);
		const tools: unknown[] = [];
		for (const tool of list?.tools ?? []) {
			if (slices.isOver) await slices.next();
			if (this.#learnTool(tool)) tools.push(tool);
		}
		await slices.next();
		if (list === undefined || tools.length === list.tools.length) return text;
		return encodeResult(id, { ...list.result, tools });
	}

	/** False for a tool with an invalid declaration. */
	#learnTool(tool: unknown): boolean {
		if (!isObject(tool) || typeof tool['name'] !== 'string') return true;
		const { name, inputSchema } = tool;
		const found = new Map<string, HeaderArgument>();
		const fault = isDeeperThan(inputSchema, NESTING_DEPTH)
			? `its schema is nested more than ${NESTING_DEPTH} levels deep`
			: declarations(inputSchema, [], found);
		if (fault === undefined && (this.#tools.size < LIST_ITEMS_LIMIT || this.#tools.has(name))) {
			this.#tools.set(name, [...found.values()]);
		}
		if (fault !== undefined) this.#log.warn(`the tool ${name} is hidden: ${fault}`);
		return fault === undefined;
	}
}

function listIn(text: string): { result: Record<string, unknown>; tools: unknown[] } | undefined {
	const result = resultIn(text);
	const tools = result?.['tools'];
	return result !== undefined && Array.isArray(tools) ? { result, tools } : undefined;
}

/**
 * Collect the declarations of a schema into `found`; returns what is wrong with one.
 * @param path the properties that lead here; undefined below anything else, where none is allowed
 */
function declarations(
	schema: unknown,
	path: readonly string[] | undefined,
	found: Map<string, HeaderArgument>,
): string | undefined {
	if (typeof schema !== 'object' || schema === null) return undefined;
	if (isObject(schema) && Object.hasOwn(schema, KEY)) {
		const fault = addDeclaration(schema, path, found);
		if (fault !== undefined) return fault;
	}
	for (const [key, value] of Object.entries(schema)) {
		if (dataKeywords.has(key)) continue;
		const fault =
			key === 'properties' && isObject(value)
				? propertiesFault(value, path, found)
				: declarations(value, undefined, found);
		if (fault !== undefined) return fault;
	}
	return undefined;
}

/** Keywords whose value is data, not a schema. */
const dataKeywords: ReadonlySet<string> = new Set([KEY, 'const', 'default', 'enum', 'examples']);

function propertiesFault(
	properties: Record<string, unknown>,
	path: readonly string[] | undefined,
	found: Map<string, HeaderArgument>,
): string | undefined {
	for (const [key, value] of Object.entries(properties)) {
		const fault = declarations(value, path && [...path, key], found);
		if (fault !== undefined) return fault;
	}
	return undefined;
}

function addDeclaration(
	schema: Record<string, unknown>,
	path: readonly string[] | undefined,
	found: Map<string, HeaderArgument>,
): string | undefined {
	const name = schema[KEY];
	const what = `${KEY} ${JSON.stringify(name)}`;
	if (path === undefined || path.length === 0) return `${what} is not on a property of the arguments`;
	if (typeof name !== 'string' || !TOKEN.test(name)) return `${what} is not a header name`;
	if (!types.has(schema['type'])) return `${what} is on a property that is no string, integer or boolean`;
	const header = name.toLowerCase();
	if (found.has(header)) return `${what} is declared twice`;
	found.set(header, { header, path });
	return undefined;
}
