/*
 * Finds one call of the hub in the recordings of its server: by name, arguments and time.
 *
 * A recording has the messages to the server and no number of the hub. Calls with the
 * same arguments are distinguished by the time at which they began.
 */
import { redactArguments } from '../named-secrets.ts';
import { canonicalJson } from '../wire/canonical-json.ts';
import { isObject } from '../wire/json.ts';
import { conversationOf, type RecordedExchange } from './exchanges.ts';
import { type Recording, readRecordingPart } from './read-recording.ts';
import { RECORDED_CLOCK_MS } from './record-limits.ts';
import { recordingsOfCall, type TimedCall } from './recording-files.ts';

/** A call of a tool. */
export interface SoughtCall extends TimedCall {
	/** The name that the server uses for the tool. */
	readonly tool: string;
	/** The arguments with secrets replaced; undefined when they are not known. */
	readonly arguments: unknown;
}

/** The request and its answer; undefined when no recording has it, `several` when more than one may be it. */
export async function findRecordedCall(
	folder: string,
	call: SoughtCall,
): Promise<RecordedExchange | 'several' | undefined> {
	const began = call.startedAt.getTime();
	const time = { from: began - RECORDED_CLOCK_MS, to: began + call.ms + RECORDED_CLOCK_MS };
	for (const { file } of recordingsOfCall(folder, call)) {
		const found = findIn(await readRecordingPart(file, time), call);
		if (found !== undefined) return found;
	}
	return undefined;
}

function findIn(recording: Recording, call: SoughtCall): RecordedExchange | 'several' | undefined {
	const times = new Map(recording.messages.map(({ line, at }) => [line, at]));
	const start = Date.parse(recording.header.startedAt);
	const distance = ({ line }: RecordedExchange): number =>
		Math.abs(start + (times.get(line) ?? 0) - call.startedAt.getTime());
	const found = conversationOf(recording)
		.exchanges.filter((exchange) => exchange.isSettled && isCallOf(exchange, call))
		.toSorted((one, other) => distance(one) - distance(other));
	return call.arguments === undefined && found.length > 1 ? 'several' : found[0];
}

function isCallOf({ method, params }: RecordedExchange, call: SoughtCall): boolean {
	if (method !== 'tools/call' || !isObject(params) || params['name'] !== call.tool) return false;
	if (call.arguments === undefined) return true;
	return canonicalJson(redactArguments(params['arguments'] ?? {})) === canonicalJson(call.arguments);
}
