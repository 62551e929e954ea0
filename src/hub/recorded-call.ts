/* The facts about a call for the journal. */
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

/** The name of the client of a call; empty when it is unknown. */
export function clientName({ clientInfo }: CallContext): string {
	const name = isObject(clientInfo) ? clientInfo['name'] : undefined;
	return typeof name === 'string' ? name : '';
}
