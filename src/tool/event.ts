/*
 * One event of a tool: a line of JSON on its stdout.
 *
 * The bytes of the line are retained beside the parsed event, because `--json` passes
 * them on untouched. An event of a type that we do not know is still an event; `knownEvent` types
 * the payloads of those that the protocol defines.
 */
import { isObject, type JsonObject, type JsonValue, parseJson } from '../wire/json.ts';
import { exactly } from '../wire/json-text.ts';

/** One event of any type. `knownEvent` gives it a typed payload. */
export interface ToolEvent {
	/** `started`, `log`, `result`, `error`, `progress`, `artifact`, or a word of the tool's own. */
	readonly type: string;
	/** ISO 8601, with milliseconds, in UTC. */
	readonly ts: string;
	readonly toolId: string;
	readonly payload: JsonObject;
	/** The bytes of the line, its end included. A tool's last line may have none. */
	readonly raw: Uint8Array;
	/** True when the runner added it. */
	readonly isSynthetic: boolean;
}

/** A line that is no event: not JSON at all, or JSON of another shape. */
export type StrayKind = 'malformed' | 'shape';

/** The codes of error events of the runner itself. */
type RunnerCode =
	| 'CONFIG_MISSING'
	| 'INPUT_INVALID'
	| 'TOOL_SPAWN'
	| 'TOOL_OUTCOME_UNKNOWN'
	| 'TOOL_CRASH'
	| 'TOOL_FAILED'
	| 'TOOL_NO_RESULT'
	| 'RUNNER_TIMEOUT'
	| 'RUNNER_MAX_OUTPUT_BYTES'
	| 'RUNNER_MAX_EVENTS'
	| 'RUNNER_CANCELED';

/** Read one line. */
export function readEvent(raw: Buffer): ToolEvent | StrayKind {
	const text = raw.toString('utf8');
	let value: unknown;
	try {
		value = parseJson(text);
	} catch {
		return 'malformed'; // the caller counts it and shows the line
	}
	if (!isObject(value) || !isObject(value['payload'])) return 'shape';
	const { type, ts, toolId, payload } = value;
	if (typeof type !== 'string' || typeof ts !== 'string' || typeof toolId !== 'string') return 'shape';
	// It came out of JSON.parse.
	const exact = exactly(payload, text, 'payload') as JsonObject;
	return { type, ts, toolId, payload: exact, raw, isSynthetic: false };
}

/** An error event of the runner. */
export function syntheticError(
	toolId: string,
	code: RunnerCode,
	payload: JsonObject & { message: string },
): ToolEvent {
	const { message, ...rest } = payload;
	const event = {
		type: 'error',
		ts: new Date().toISOString(),
		toolId,
		payload: { message, code, recoverable: false, ...rest },
	};
	return { ...event, raw: Buffer.from(`${JSON.stringify(event)}\n`), isSynthetic: true };
}

/** A field of a payload as text: strings as they are, anything else as JSON, nothing as ''. */
export function payloadText(payload: JsonObject, key: string): string {
	const value = payload[key];
	if (value === undefined) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}

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
