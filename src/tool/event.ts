/*
 * One event of a tool: a line of JSON on its stdout.
 *
 * The bytes of the line are kept beside what they mean, because `--json` passes
 * them on untouched. An event of a type that we do not know is still an event.
 */
import { isObject, type JsonObject, parseJson } from '../wire/json.ts';
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

/** What the runner itself reports, as the code of an error event. */
export type RunnerCode =
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
