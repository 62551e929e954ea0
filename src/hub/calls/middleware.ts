/*
 * Middlewares: each wraps what answers lists and calls, and answers them itself. The life of a
 * call is one list of them (`hub.ts`).
 */
import type { CallContext } from '../../mcp/server/call-context.ts';
import { calls, renamed } from '../../mcp/server/methods.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import type { Answer, Awaitable } from '../../protocol/mcp-types.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import { clientName, type HubCall, type Target } from './hub-call.ts';

/** Who reads a list. */
export interface Reader {
	/** The name of the client. */
	readonly client: string;
	/** The context of its request. */
	readonly context?: CallContext | undefined;
	/** Whether what is known so far will do. Default: late sources are waited for. */
	readonly soFar?: boolean;
}

/** Answers lists and calls. */
export interface Handler {
	/** Without a reader: everything. */
	list(kind: ItemKind, reader?: Reader): Awaitable<MergedList<Item>>;
	request(call: HubCall): Awaitable<Answer>;
}

export type Middleware = (inner: Handler) => Handler;

/** A middleware of calls alone. */
export function aroundCalls(request: (call: HubCall, inner: Handler) => Awaitable<Answer>): Middleware {
	return (inner) => ({ ...inner, request: (call) => request(call, inner) });
}

/** Lists, and where calls go. */
export interface Targets extends Pick<Handler, 'list'> {
	/** Throws the error of the call when nothing has what it is about. */
	find(call: HubCall): Awaitable<Target>;
}

/** These middlewares as one, the outermost first. Absent ones are skipped. */
export function compose(...middlewares: readonly (Middleware | false | undefined)[]): Middleware {
	return (inner) => middlewares.reduceRight((handler, wrap) => (wrap ? wrap(handler) : handler), inner);
}

/** The reader with the context of a request; undefined without one. */
export function readerOf(context: CallContext | undefined): Reader | undefined {
	return context && { client: clientName(context), context };
}

/** The end of the life of a call: these lists, and calls sent to their targets. */
export function sentBy(targets: Targets): Handler {
	return { list: (kind, reader) => targets.list(kind, reader), request: send };
}

/** Send a call to its source: the end of its way. */
function send(call: HubCall): Awaitable<Answer> {
	const { source, name, way } = call.target;
	call.onSend?.();
	// Who chose the way knows the form of the result.
	if (way) return way.send() as Awaitable<Answer>;
	const { capability, otherwise } = calls[call.method];
	if (otherwise && !source.capabilities.includes(capability)) return otherwise;
	return source.request(renamed(call.request, name));
}
