/*
 * Arguments of a tool that a client repeats in headers: those with `x-mcp-header` in
 * the input schema that we list. A header that contradicts its argument is refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { attempt } from '../../errors.ts';
import { CallContext, type ClientConnection } from '../../mcp/server/call-context.ts';
import { after } from '../../mcp/server/methods.ts';
import type { Provider } from '../../mcp/server/provider.ts';
import type { Item } from '../../protocol/item-lists.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import { negotiate } from '../../protocol/revisions.ts';
import { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { SCHEMA_DEPTH } from '../../schema/schema-limits.ts';
import { valueAt } from '../../transport/http/mcp-headers.ts';
import { isObject } from '../../wire/json.ts';
import type { RpcErrorObject } from '../../wire/json-rpc.ts';
import { PARAM_HEADERS_LIMIT } from '../http-limits.ts';
import { mismatch } from './modern-headers.ts';

interface ParamHeader {
	/** The name as the schema writes it, without the prefix. */
	readonly name: string;
	readonly path: readonly string[];
}

export class ParamHeaders {
	readonly #provider: Provider;
	readonly #unsubscribe: () => void;
	#tools: Awaitable<ReadonlyMap<string, readonly ParamHeader[]>> | undefined;

	constructor(provider: Provider) {
		this.#provider = provider;
		const forget = ({ kind }: { kind: string }): void => {
			if (kind === 'tools') this.#tools = undefined;
		};
		this.#unsubscribe = provider.watch?.(forget) ?? (() => {});
	}

	/** The error for a header that contradicts its argument; undefined when there is none. */
	check(headers: IncomingHttpHeaders, params: unknown): Awaitable<RpcErrorObject | undefined> {
		if (!isObject(params) || typeof params['name'] !== 'string') return undefined;
		const { name, arguments: given } = params;
		return after(this.#known(), (tools) => {
			for (const header of tools.get(name) ?? []) {
				const wrong = wrongHeader(headers, header, given);
				if (wrong) return wrong;
			}
			return undefined;
		});
	}

	/** True when it is known that no argument of a tool is repeated in headers. */
	hasNone(name: string): boolean {
		return this.#tools instanceof Map && !this.#tools.has(name);
	}

	close(): void {
		this.#unsubscribe();
	}

	#known(): Awaitable<ReadonlyMap<string, readonly ParamHeader[]>> {
		if (this.#tools !== undefined) return this.#tools;
		const listed = this.#list();
		this.#tools = listed;
		if (!(listed instanceof Promise)) return listed;
		return listed.then((tools) => {
			if (this.#tools === listed) this.#tools = tools;
			return tools;
		});
	}

	#list(): Awaitable<ReadonlyMap<string, readonly ParamHeader[]>> {
		// Without a list, the call itself reports the error.
		return attempt(() => {
			const tools = this.#provider.list('tools', noClient);
			return tools instanceof Promise ? tools.then(headersOf, () => new Map()) : headersOf(tools);
		}, new Map());
	}
}

/** The tools that have any. */
function headersOf(tools: readonly Item[]): ReadonlyMap<string, readonly ParamHeader[]> {
	const found = new Map<string, readonly ParamHeader[]>();
	for (const { name, inputSchema } of tools) {
		const headers = [...annotated(inputSchema, [])].slice(0, PARAM_HEADERS_LIMIT);
		if (headers.length > 0) found.set(String(name), headers);
	}
	return found;
}

function* annotated(schema: unknown, path: readonly string[]): Generator<ParamHeader> {
	if (!isObject(schema) || path.length > SCHEMA_DEPTH) return;
	const { 'x-mcp-header': name, properties } = schema;
	if (typeof name === 'string' && path.length > 0) yield { name, path };
	if (!isObject(properties)) return;
	for (const [key, property] of Object.entries(properties)) yield* annotated(property, [...path, key]);
}

function wrongHeader(
	headers: IncomingHttpHeaders,
	{ name, path }: ParamHeader,
	given: unknown,
): RpcErrorObject | undefined {
	const header = headers[`mcp-param-${name.toLowerCase()}`];
	const value = valueAt(given, path);
	if (value === undefined || value === null) {
		return header === undefined ? undefined : mismatch(`Mcp-Param-${name}`, header, undefined);
	}
	return mismatch(`Mcp-Param-${name}`, header, value);
}

/** A list for ourselves, of all tools: a client may call tools that its list leaves out. */
const client: ClientConnection = {
	revision: negotiate(undefined),
	capabilities: {},
	clientInfo: { name: 'mctl' },
	sessionId: '',
	logLevel: () => undefined,
	notify: () => {},
};
const noClient = new CallContext(client, new IncomingCall('', 'tools/list', {}), {});
