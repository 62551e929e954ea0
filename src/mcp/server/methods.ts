/*
 * The methods that reach a provider, in two closed tables: the lists, and the calls about one
 * item. Sessions of both eras, the hub and its sources read them; nothing else knows a
 * method by its name. Differences between the eras are handled by the sessions.
 */
import { OrchestraError } from '../../errors.ts';
import { isDeeperThan } from '../../files/value-bounds.ts';
import { type ItemKind, lists } from '../../protocol/item-lists.ts';
import type { Answer, Awaitable, Result, ServerCapabilities } from '../../protocol/mcp-types.ts';
import { HUB_ID, metaOf } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { MESSAGE_LEVELS } from '../../wire/wire-limits.ts';
import type { CallContext } from './call-context.ts';
import { pageOf } from './paging.ts';
import type {
	Call,
	CallMethod,
	CallOf,
	CallParams,
	CallToolParams,
	Capability,
	CompleteParams,
	Provider,
	ReadDirectoryParams,
} from './provider.ts';
import { answerTaskMethod, taskMethods } from './task-methods.ts';

export type Params = Readonly<Record<string, unknown>>;

/** One method that reaches a provider. */
interface CallRow<P> {
	/** The capability that a provider must declare, or the method does not exist. */
	readonly capability: Capability;
	/** Whether a modern result has a TTL. */
	readonly isCacheable: boolean;
	/** Whether the call may ask its client for input. */
	readonly isInteractive: boolean;
	/** Whether it must not be made twice. */
	readonly hasEffects: boolean;
	/** Whether a hub reports it: to its journal, and to listeners. */
	readonly isReported: boolean;
	/** Which URIs of the result a hub maps: those that it links to, of the contents that were read, of a skill, or of the files of a folder. */
	readonly mapped: 'links' | 'contents' | 'skill' | 'files';
	/** The result about an item of a source without the capability. Default: an error, as for an unknown item. */
	readonly otherwise?: Result;
	/** Check the params. Throws `bad_input`. */
	readonly read: (params: Params, context: CallContext) => P;
	/** The kind of the item that it is about. */
	readonly kindOf: (params: P) => ItemKind;
	/** The name or URI of the item. */
	readonly nameOf: (params: P) => string;
	/** The same about an item of another name. */
	readonly named: (params: P, name: string) => P;
	/** The members that replace those that the client sent, for a server that gets all of them. */
	readonly sent: (params: P, given: Params) => Params;
}

/** The calls. A method without a row does not compile. */
export const calls: { readonly [M in CallMethod]: CallRow<CallParams[M]> } = {
	'tools/call': {
		capability: 'tools',
		isCacheable: false,
		isInteractive: true,
		hasEffects: true,
		isReported: true,
		mapped: 'links',
		read: (params, context) => ({
			name: requiredText(params, 'name'),
			arguments: argumentsOf(params, context),
		}),
		kindOf: () => 'tools',
		nameOf: ({ name }) => name,
		named: (params, name) => ({ name, arguments: params.arguments }),
		sent: nameAndArguments,
	},
	'prompts/get': {
		capability: 'prompts',
		isCacheable: false,
		isInteractive: true,
		hasEffects: false,
		isReported: true,
		mapped: 'links',
		read: (params, context) => ({
			name: requiredText(params, 'name'),
			arguments: stringsOf(argumentsOf(params, context), 'arguments'),
		}),
		kindOf: () => 'prompts',
		nameOf: ({ name }) => name,
		named: (params, name) => ({ name, arguments: params.arguments }),
		sent: nameAndArguments,
	},
	'resources/read': {
		capability: 'resources',
		isCacheable: true,
		isInteractive: true,
		hasEffects: false,
		isReported: true,
		mapped: 'contents',
		read: (params) => ({ uri: textParam(params, 'uri') }),
		kindOf: () => 'resources',
		nameOf: ({ uri }) => uri,
		named: (_params, uri) => ({ uri }),
		sent: ({ uri }) => ({ uri }),
	},
	'completion/complete': {
		capability: 'completions',
		isCacheable: false,
		isInteractive: false,
		hasEffects: false,
		isReported: false,
		mapped: 'links',
		otherwise: { completion: { values: [], total: 0, hasMore: false } },
		read: completeParams,
		kindOf: ({ ref }) => (ref.type === 'ref/prompt' ? 'prompts' : 'templates'),
		nameOf: ({ ref }) => (ref.type === 'ref/prompt' ? ref.name : ref.uri) ?? '',
		named: ({ ref, ...params }, name) => ({
			...params,
			ref: { ...ref, [ref.type === 'ref/prompt' ? 'name' : 'uri']: name },
		}),
		sent: ({ ref }) => ({ ref }),
	},
	'skills/get': {
		capability: 'skills',
		isCacheable: true,
		isInteractive: false,
		hasEffects: false,
		isReported: true,
		mapped: 'skill',
		read: (params) => ({ uri: textParam(params, 'uri') }),
		kindOf: () => 'skills',
		nameOf: ({ uri }) => uri,
		named: (_params, uri) => ({ uri }),
		sent: ({ uri }) => ({ uri }),
	},
	'resources/directory/read': {
		capability: 'skills',
		isCacheable: true,
		isInteractive: false,
		hasEffects: false,
		isReported: true,
		mapped: 'files',
		read: directoryParams,
		kindOf: () => 'skills',
		nameOf: ({ uri }) => uri,
		named: (params, uri) => ({ ...params, uri }),
		sent: ({ uri }) => ({ uri }),
	},
};

/** The name or URI that a call is about. */
export function targetName<M extends CallMethod>(call: CallOf<M>): string {
	return calls[call.method].nameOf(call.params);
}

/** The kind of the item that a call is about. */
export function targetKind<M extends CallMethod>(call: CallOf<M>): ItemKind {
	return calls[call.method].kindOf(call.params);
}

/** The members of a call that replace those that its client sent. */
export function sentMembers<M extends CallMethod>({ method, params, context }: CallOf<M>): Params {
	return calls[method].sent(params, context.params);
}

/** The same call about an item of another name. */
export function renamed<M extends CallMethod>(call: CallOf<M>, name: string): Call {
	const { method, params, context } = call;
	// The params are those of the method: both are of one row.
	return { method, params: calls[method].named(params, name), context } as CallOf<CallMethod> as Call;
}

/** A function for each method that is answered. */
export type CallAnswers = {
	readonly [M in CallMethod]?: (params: CallParams[M], context: CallContext) => Awaitable<Result>;
};

/** Answer a call by the function of its method. Throws "method not found" when there is none. */
export function answerBy<M extends CallMethod>(answers: CallAnswers, call: CallOf<M>): Awaitable<Result> {
	const { method, params, context } = call;
	const answer = answers[method];
	if (answer === undefined) throw methodNotFound(method);
	return answer(params, context);
}

/** A method, for the sessions of both eras. */
export interface Method {
	readonly isCacheable: boolean;
	readonly isInteractive: boolean;
	/** Throws "method not found" when the provider neither declares the capability nor answers all. */
	readonly answer: Answerer;
}

type Answerer = (provider: Provider, params: Params, context: CallContext) => Awaitable<Answer>;

/** Every method of the tables. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
	...entriesOf(lists).map(([kind, { method, capability }]): [string, Method] => {
		const answer = ifDeclared(method, capability, (...request) => answerList(kind, ...request));
		return [method, { isCacheable: true, isInteractive: false, answer }];
	}),
	...entriesOf(calls).map(([method, { isCacheable, isInteractive, capability }]): [string, Method] => {
		const answer = ifDeclared(method, capability, (...request) => answerCall(method, ...request));
		return [method, { isCacheable, isInteractive, answer }];
	}),
	...Object.keys(taskMethods).map((name): [string, Method] => {
		const answer: Answerer = ({ tasks }, ...request) => answerTaskMethod(name, tasks, ...request);
		return [name, { isCacheable: false, isInteractive: false, answer }];
	}),
]);

function ifDeclared(method: string, capability: Capability, answer: Answerer): Answerer {
	return (provider, params, context) => {
		if (provider.answersAll) return answer(provider, params, context);
		return after(provider.capabilities, (declared) => {
			if (!declared.includes(capability)) throw methodNotFound(method);
			return answer(provider, params, context);
		});
	};
}

function answerList(
	kind: ItemKind,
	provider: Provider,
	params: Params,
	context: CallContext,
): Awaitable<Result> {
	const { field, key, pageItems } = lists[kind];
	return after(provider.list(kind, context), (list) => {
		const { items, ...rest } = pageOf(list, params['cursor'], (item) => String(item[key]), pageItems);
		return { [field]: items, ...rest, ...hubOf(provider, params) };
	});
}

function answerCall(
	method: CallMethod,
	provider: Provider,
	params: Params,
	context: CallContext,
): Awaitable<Answer> {
	// The params are those of the method: both are of one row.
	const call = { method, params: calls[method].read(params, context), context } as Call;
	return provider.request(call);
}

/** The keys of these tables are those of their types. */
function entriesOf<T extends object>(table: T): [keyof T, T[keyof T]][] {
	return Object.entries(table) as [keyof T, T[keyof T]][];
}

/** The capabilities of a provider, for the answer to `initialize` and `server/discover`. */
export function providerCapabilities(
	provider: Provider,
	era: Revision['era'],
	clientInfo: unknown,
): Awaitable<Result> {
	return after(declaredCapabilities(provider, era), (capabilities) =>
		after(provider.instructions?.(clientInfo), (instructions) =>
			instructions === undefined ? { capabilities } : { capabilities, instructions },
		),
	);
}

/** The capabilities of a provider that are declared to clients: it reports changes when it can be watched. */
export function declaredCapabilities(
	provider: Provider,
	era: Revision['era'],
): Awaitable<ServerCapabilities> {
	const isWatched = provider.watch !== undefined;
	const extensions = provider.extensions?.(era) ?? {};
	const lists = isWatched ? { listChanged: true } : {};
	const updates = provider.subscribeResource ? { subscribe: true } : {};
	return after(provider.capabilities, (capabilities) => ({
		...(capabilities.includes('tools') && { tools: lists }),
		...(capabilities.includes('prompts') && { prompts: lists }),
		...(capabilities.includes('resources') && { resources: { ...lists, ...updates } }),
		...(capabilities.includes('completions') && { completions: {} }),
		...(isWatched && { logging: {} }),
		...(Object.keys(extensions).length > 0 && { extensions }),
	}));
}

/** Apply `use` to a value or to the result of a promise; synchronous for a value. */
export function after<T, R>(value: Awaitable<T>, use: (value: T) => R | Promise<R>): Awaitable<R> {
	return value instanceof Promise ? value.then(use) : use(value);
}

/** Run `work`; when it throws or rejects, call `onFail` first and rethrow. */
export function unlessFailing<T>(work: () => Awaitable<T>, onFail: () => void): Awaitable<T> {
	return whenEnded(work, (end) => {
		if ('thrown' in end) onFail();
	});
}

/** The outcome of a call: its result, or what was thrown. */
export type Ended<T> = { readonly result: T } | { readonly thrown: unknown };

/** Do `work`; `onEnd` gets its end before its caller does. Synchronous for a value. */
export function whenEnded<T>(work: () => Awaitable<T>, onEnd: (end: Ended<T>) => void): Awaitable<T> {
	const fail = (thrown: unknown): never => {
		onEnd({ thrown });
		throw thrown;
	};
	const give = (result: T): T => {
		onEnd({ result });
		return result;
	};
	let value: Awaitable<T>;
	try {
		value = work();
	} catch (error) {
		return fail(error);
	}
	return value instanceof Promise ? value.then(give, fail) : give(value);
}

/** A required, non-empty string among the params. Throws `bad_input` naming it. */
export function requiredText(params: Params, name: string): string {
	const value = params[name];
	if (typeof value === 'string' && value !== '') return value;
	throw new OrchestraError(
		'bad_input',
		value === undefined || value === ''
			? `missing required parameter: ${name}`
			: `parameter ${name} must be a string`,
	);
}

/** A hub that lists gets the id of the hub that answers. */
function hubOf({ hubId }: Provider, params: Params): Result {
	return hubId === undefined || metaOf(params)[HUB_ID] === undefined ? {} : { _meta: { [HUB_ID]: hubId } };
}

function directoryParams(params: Params): ReadDirectoryParams {
	const uri = textParam(params, 'uri');
	return params['cursor'] === undefined ? { uri } : { uri, cursor: textParam(params, 'cursor') };
}

function completeParams(params: Params): CompleteParams {
	const ref = objectParam(params, 'ref');
	const argument = objectParam(params, 'argument');
	const given = objectParam(objectParam(params, 'context'), 'arguments');
	const { name, uri } = ref;
	return {
		ref: {
			type: requiredText(ref, 'type'),
			...(typeof name === 'string' ? { name } : {}),
			...(typeof uri === 'string' ? { uri } : {}),
		},
		argument: { name: requiredText(argument, 'name'), value: textParam(argument, 'value') },
		context: stringsOf(given, 'context.arguments'),
	};
}

/** Arguments that the client did not send, and that are empty, are not sent either. */
function nameAndArguments({ name, arguments: input }: CallToolParams, given: Params): Params {
	const isGiven = 'arguments' in given || Object.keys(input).length === 0;
	return isGiven ? { name } : { name, arguments: input };
}

/** A required string that may be empty. */
function textParam(params: Params, name: string): string {
	return params[name] === '' ? '' : requiredText(params, name);
}

function objectParam(params: Params, name: string): Record<string, unknown> {
	const value = params[name];
	if (value === undefined || value === null) return {};
	if (isObject(value)) return value;
	throw new OrchestraError('bad_input', `parameter ${name} must be an object`);
}

/** The arguments of a call. `null`, which clients in Go send, counts as absent; servers that get the params next may refuse it. */
function argumentsOf(params: Params, { text }: CallContext): Record<string, unknown> {
	// The params were parsed for this request.
	if (params['arguments'] === null) delete (params as Record<string, unknown>)['arguments'];
	const input = objectParam(params, 'arguments');
	// Each level has two characters at least.
	const mayBeDeep = text === '' || text.length > 2 * MESSAGE_LEVELS;
	if (mayBeDeep) assertShallow(input);
	return input;
}

/** Throws `bad_input` for arguments that are nested deeper than a message may be. */
export function assertShallow(input: object): void {
	if (!isDeeperThan(input, MESSAGE_LEVELS)) return;
	throw new OrchestraError('bad_input', `the arguments are nested deeper than ${MESSAGE_LEVELS} levels`, {
		hint: 'Flatten them, or pass the deep part as a string of JSON.',
	});
}

function stringsOf(values: Record<string, unknown>, where: string): Record<string, string> {
	for (const [name, value] of Object.entries(values)) {
		if (typeof value !== 'string') throw new OrchestraError('bad_input', `${where}.${name} must be a string`);
	}
	// The loop checked every value.
	return values as Record<string, string>;
}
