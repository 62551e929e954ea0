/*
 * The client requests of a server to its client: elicitation, sampling and roots.
 *
 * A legacy server asks with a request, a modern one inside the result of a call; the
 * same handlers answer both. A capability is declared only for a handler that exists.
 */
import { OrchestraError } from '../../errors.ts';
import type {
	ClientMethods,
	CreateMessageParams,
	CreateMessageResult,
	ElicitParams,
	ElicitResult,
	ListRootsResult,
} from '../../protocol/client-methods.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';

/** The client request that is being answered. */
export interface ClientRequestContext {
	/** Aborted when the answer is no longer needed. */
	readonly signal: AbortSignal;
}

/** Answers to the client requests of a server. */
export interface ClientHandlers {
	/** Asks the user for input. To accept pages to open, add `elicitation: { form: {}, url: {} }` to `capabilities`. */
	elicit?: ((params: ElicitParams, context: ClientRequestContext) => Awaitable<ElicitResult>) | undefined;
	/** Generates a message with a model. */
	sample?:
		| ((params: CreateMessageParams, context: ClientRequestContext) => Awaitable<CreateMessageResult>)
		| undefined;
	/** The folders that the client works in. */
	roots?: ((context: ClientRequestContext) => Awaitable<ListRootsResult['roots']>) | undefined;
}

/** The capabilities of a client with these handlers. */
export function capabilitiesOf({ elicit, sample, roots }: ClientHandlers): Record<string, unknown> {
	return {
		...(elicit && { elicitation: { form: {} } }),
		...(sample && { sampling: {} }),
		...(roots && { roots: {} }),
	};
}

/** Answer a client request. Throws -32601 for a method without a handler. */
export async function answerRequest(
	handlers: ClientHandlers,
	method: string,
	params: unknown,
	signal: AbortSignal,
): Promise<object> {
	const { elicit, sample, roots } = handlers;
	if (method === 'elicitation/create' && elicit) return elicit(checkedParams(method, params), { signal });
	if (method === 'sampling/createMessage' && sample) return sample(checkedParams(method, params), { signal });
	if (method === 'roots/list' && roots) return { roots: await roots({ signal }) };
	throw methodNotFound(method);
}

/** The handler gets the params of the server unchecked, as its types declare them. */
function checkedParams<Method extends keyof ClientMethods>(
	method: Method,
	params: unknown,
): ClientMethods[Method]['params'] {
	if (typeof params !== 'object' || params === null)
		throw new OrchestraError('bad_input', `${method} needs params`);
	return params as ClientMethods[Method]['params'];
}
