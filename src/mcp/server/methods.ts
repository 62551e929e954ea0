/*
 * The methods that both eras share: read the params, call the provider, build the
 * result. Differences between the eras are handled by the callers.
 */
import { OrchestraError } from '../../errors.ts';
import type { Awaitable, Result } from '../../protocol/mcp-types.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import type { CallContext } from './call-context.ts';
import { pageOf } from './paging.ts';
import type { Provider } from './provider.ts';

export type Params = Readonly<Record<string, unknown>>;

export interface Method {
	/** Whether a modern result has a TTL. */
	readonly isCacheable: boolean;
	/** Whether the call may ask its client for input. */
	readonly isInteractive: boolean;
	readonly answer: (provider: Provider, params: Params, context: CallContext) => Awaitable<Result>;
}

const plain = { isCacheable: false, isInteractive: false };
const list = { isCacheable: true, isInteractive: false };
const interactive = { isCacheable: false, isInteractive: true };

export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
	['tools/list', { ...list, answer: listTools }],
	['tools/call', { ...interactive, answer: callTool }],
	['prompts/list', { ...list, answer: listPrompts }],
	['prompts/get', { ...interactive, answer: getPrompt }],
	['resources/list', { ...list, answer: listResources }],
	['resources/templates/list', { ...list, answer: listResourceTemplates }],
	['resources/read', { isCacheable: true, isInteractive: true, answer: readResource }],
	['completion/complete', { ...plain, answer: complete }],
]);

/** What a provider offers, for the answer to `initialize` and `server/discover`. */
export function providerOffer(provider: Provider): Awaitable<Result> {
	return after(provider.capabilities(), (capabilities) =>
		after(provider.instructions, (instructions) =>
			instructions === undefined ? { capabilities } : { capabilities, instructions },
		),
	);
}

/** Apply `use` to a value or to the result of a promise; synchronous for a value. */
export function after<T, R>(value: Awaitable<T>, use: (value: T) => R | Promise<R>): Awaitable<R> {
	return value instanceof Promise ? value.then(use) : use(value);
}

/** Run `work`; when it throws or rejects, call `onFail` first and rethrow. */
export function unlessFailing<T>(work: () => Awaitable<T>, onFail: () => void): Awaitable<T> {
	const fail = (error: unknown): never => {
		onFail();
		throw error;
	};
	try {
		const value = work();
		return value instanceof Promise ? value.catch(fail) : value;
	} catch (error) {
		return fail(error);
	}
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

function listTools(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.listTools) throw methodNotFound('tools/list');
	return after(provider.listTools(context), (tools) => {
		const { items, ...rest } = pageOf(tools, params['cursor'], ({ name }) => name);
		return { tools: items, ...rest };
	});
}

function callTool(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.callTool) throw methodNotFound('tools/call');
	return provider.callTool(
		{ name: requiredText(params, 'name'), arguments: objectParam(params, 'arguments') },
		context,
	);
}

function listPrompts(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.listPrompts) throw methodNotFound('prompts/list');
	return after(provider.listPrompts(context), (prompts) => {
		const { items, ...rest } = pageOf(prompts, params['cursor'], ({ name }) => name);
		return { prompts: items, ...rest };
	});
}

function getPrompt(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.getPrompt) throw methodNotFound('prompts/get');
	const name = requiredText(params, 'name');
	return provider.getPrompt(
		{ name, arguments: textsOf(objectParam(params, 'arguments'), 'arguments') },
		context,
	);
}

function listResources(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.listResources) throw methodNotFound('resources/list');
	return after(provider.listResources(context), (resources) => {
		const { items, ...rest } = pageOf(resources, params['cursor'], ({ uri }) => uri);
		return { resources: items, ...rest };
	});
}

function listResourceTemplates(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.listResources) throw methodNotFound('resources/templates/list');
	return after(provider.listResourceTemplates?.(context) ?? [], (templates) => {
		const { items, ...rest } = pageOf(templates, params['cursor'], ({ uriTemplate }) => uriTemplate);
		return { resourceTemplates: items, ...rest };
	});
}

function readResource(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.readResource) throw methodNotFound('resources/read');
	return provider.readResource(textParam(params, 'uri'), context);
}

function complete(provider: Provider, params: Params, context: CallContext): Awaitable<Result> {
	if (!provider.complete) throw methodNotFound('completion/complete');
	const ref = objectParam(params, 'ref');
	const argument = objectParam(params, 'argument');
	const given = objectParam(objectParam(params, 'context'), 'arguments');
	const { name, uri } = ref;
	return provider.complete(
		{
			ref: {
				type: requiredText(ref, 'type'),
				...(typeof name === 'string' ? { name } : {}),
				...(typeof uri === 'string' ? { uri } : {}),
			},
			argument: { name: requiredText(argument, 'name'), value: textParam(argument, 'value') },
			context: textsOf(given, 'context.arguments'),
		},
		context,
	);
}

/** A required string that may be empty. */
function textParam(params: Params, name: string): string {
	return params[name] === '' ? '' : requiredText(params, name);
}

function objectParam(params: Params, name: string): Record<string, unknown> {
	const value = params[name];
	if (value === undefined) return {};
	if (isObject(value)) return value;
	throw new OrchestraError('bad_input', `parameter ${name} must be an object`);
}

function textsOf(values: Record<string, unknown>, where: string): Record<string, string> {
	for (const [name, value] of Object.entries(values)) {
		if (typeof value !== 'string') throw new OrchestraError('bad_input', `${where}.${name} must be a string`);
	}
	// The loop checked every value.
	return values as Record<string, string>;
}
