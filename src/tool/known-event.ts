/* The events that the protocol defines, with payloads of their own types: for programs that switch on them. */
import type { JsonObject, JsonValue } from '../wire/json.ts';
import type { ToolEvent } from './event.ts';

/** An event of the protocol whose payload has what the protocol asks for. `type` tells which payload it is. */
export type KnownToolEvent =
	| Known<'started', JsonObject>
	| Known<'log', JsonObject & { level: 'debug' | 'info' | 'warn' | 'error'; message: string }>
	| Known<'result', JsonObject>
	| Known<'error', JsonObject & { message: string; code?: string; recoverable?: boolean }>
	| Known<'progress', JsonObject & { progress: number; total?: number; message?: string }>
	| Known<'artifact', JsonObject & { path: string; mimeType?: string; name?: string }>;

type Known<Type extends string, Payload> = Omit<ToolEvent, 'type' | 'payload'> & {
	readonly type: Type;
	readonly payload: Payload;
};

type Check = (payload: JsonObject) => boolean;
type Kind = 'string' | 'number' | 'boolean';

const levels: readonly JsonValue[] = ['debug', 'info', 'warn', 'error'];

const checks: Readonly<Record<KnownToolEvent['type'], Check>> = {
	started: () => true,
	result: () => true,
	log: ({ level = null, message }) => levels.includes(level) && typeof message === 'string',
	error: (payload) => has(payload, { message: 'string' }, { code: 'string', recoverable: 'boolean' }),
	progress: (payload) => has(payload, { progress: 'number' }, { total: 'number', message: 'string' }),
	artifact: (payload) => has(payload, { path: 'string' }, { mimeType: 'string', name: 'string' }),
};

/** The event with the type of its payload; undefined for a type of the tool's own, or a payload that breaks the protocol. */
export function knownEvent(event: ToolEvent): KnownToolEvent | undefined {
	const check = Object.hasOwn(checks, event.type) ? checks[event.type as KnownToolEvent['type']] : undefined;
	// The payload was just checked.
	return check?.(event.payload) === true ? (event as KnownToolEvent) : undefined;
}

function has(payload: JsonObject, required: Record<string, Kind>, optional: Record<string, Kind>): boolean {
	const isKind = (key: string, kind: Kind): boolean => typeof payload[key] === kind;
	return (
		Object.entries(required).every(([key, kind]) => isKind(key, kind)) &&
		Object.entries(optional).every(([key, kind]) => payload[key] === undefined || isKind(key, kind))
	);
}
