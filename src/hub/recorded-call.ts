/* The facts about a call for the journal. */
import { OrchestraError } from '../errors.ts';
import type { CallContext } from '../mcp/server/call-context.ts';
import { isObject } from '../wire/json.ts';
import type { Backend } from './backends/backend.ts';

/** A call that is written to the journal. */
export interface RecordedCall {
	readonly method: string;
	readonly name: string;
	readonly backend: Backend;
	/** The name of the client. */
	readonly client: string;
}

/** A route led to a backend without this method: a bug of the hub. */
export function missing(backend: Backend, method: string): never {
	throw new OrchestraError('internal', `${backend.id} does not support ${method}`);
}

/** The name of the client of a call; empty when it is unknown. */
export function clientName({ clientInfo }: CallContext): string {
	const name = isObject(clientInfo) ? clientInfo['name'] : undefined;
	return typeof name === 'string' ? name : '';
}
