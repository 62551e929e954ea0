/* A call as the journal knows it. */
import type { CallContext } from '../mcp/server/call-context.ts';
import { isObject } from '../wire/json.ts';
import type { Backend } from './backends/backend.ts';

/** What the journal says of a call. */
export interface RecordedCall {
	readonly method: string;
	readonly name: string;
	readonly backend: Backend;
	/** Who made it. */
	readonly client: string;
}

/** The name that the client of a call gave; empty when it gave none. */
export function clientName({ clientInfo }: CallContext): string {
	const name = isObject(clientInfo) ? clientInfo['name'] : undefined;
	return typeof name === 'string' ? name : '';
}
