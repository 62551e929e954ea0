/*
 * Read a recording. It may come from anywhere, so everything is checked: size, version,
 * and the form of each line. The error names the line.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { attempt, isCode, messageOf, OrchestraError } from '../errors.ts';
import { readRegularText } from '../files/regular-file.ts';
import { parseBoundedJson } from '../files/value-bounds.ts';
import { isObject } from '../wire/json.ts';
import { textAt } from '../wire/json-text.ts';
import { MESSAGE_LEVELS } from '../wire/wire-limits.ts';
import { READ_BYTES, READ_SLICE_LINES } from './record-limits.ts';
import { RECORDING_VERSION, type RecordedMessage, type RecordingHeader } from './recording-format.ts';

/** A recording in memory. */
export interface Recording {
	readonly file: string;
	readonly header: RecordingHeader;
	readonly messages: readonly RecordedMessage[];
}

/**
 * The recording, or all those of a folder in the order of their start: a client may use several connections. Throws as
 * `readRecording` does.
 */
export function readRecordings(path: string): Recording[] {
	if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [readRecording(path)];
	const names = readdirSync(path).filter((name) => name.endsWith('.ndjson'));
	let bytes = 0;
	const recordings = names.map((name) => {
		bytes += statSync(join(path, name)).size;
		if (bytes > READ_BYTES) throw tooMuch(path);
		return readRecording(join(path, name));
	});
	if (recordings.length === 0)
		throw new OrchestraError('bad_input', `there is no recording in the folder ${path}`, {
			hint: 'Make one with mctl record.',
		});
	return recordings.sort(
		(one, other) => startOf(one) - startOf(other) || one.header.part - other.header.part,
	);
}

/** Throws `bad_input` with the line that is wrong, or when there is no such file. */
function readRecording(file: string): Recording {
	const lines = textOf(file).split('\n');
	const isCut = lines.pop() !== '';
	const [first = '', ...rest] = isCut ? [...lines, ''] : lines;
	const header = readHeader(file, first);
	if (isCut) throw wrong(file, lines.length + 1, 'the last line is cut', CUT_HINT);
	return { file, header, messages: rest.map((line, at) => readMessageLine(file, line, at + 2)) };
}

/**
 * The messages of a recording within a time, in milliseconds since its start. Only their lines are parsed, in slices,
 * so that a large file does not block the event loop. Throws as `readRecording` does.
 */
export async function readRecordingPart(
	file: string,
	{ from, to }: { readonly from: number; readonly to: number },
): Promise<Recording> {
	const [first = '', ...rest] = textOf(file).split('\n');
	const header = readHeader(file, first);
	const start = Date.parse(header.startedAt);
	const messages: RecordedMessage[] = [];
	for (const [index, line] of rest.entries()) {
		const at = start + Number(/^\{"at":([\d.e+-]+),/.exec(line)?.[1]);
		if (!(at >= from && at <= to)) continue;
		messages.push(readMessageLine(file, line, index + 2));
		if (messages.length % READ_SLICE_LINES === 0) await setImmediate();
	}
	return { file, header, messages };
}

function startOf({ header }: Recording): number {
	return Date.parse(header.startedAt);
}

function tooMuch(folder: string): OrchestraError {
	return new OrchestraError('bad_input', `the recordings in ${folder} have more than ${READ_BYTES} bytes`, {
		hint: 'Name one of them.',
	});
}

const CUT_HINT = 'Remove the last line to use the rest.';

function textOf(file: string): string {
	try {
		return readRegularText(file, READ_BYTES);
	} catch (thrown) {
		if (OrchestraError.is(thrown)) throw thrown;
		const isMissing = isCode(thrown, 'ENOENT');
		const message = isMissing
			? `there is no recording ${file}`
			: `${file} cannot be read: ${messageOf(thrown)}`;
		throw new OrchestraError(isMissing ? 'bad_input' : 'io', message, {
			cause: thrown,
			hint: 'mctl replay without a file lists the recordings.',
		});
	}
}

function readHeader(file: string, line: string): RecordingHeader {
	const value = parsed(line);
	if (!isObject(value) || typeof value['recording'] !== 'number')
		throw wrong(file, 1, 'it is not the first line of a recording', 'Make one with mctl record.');
	const { recording: version, server, startedAt, part = 0 } = value;
	if (version !== RECORDING_VERSION)
		throw wrong(
			file,
			1,
			`the recording has version ${version}, and this program reads version ${RECORDING_VERSION}`,
			'Use the mctl that made it, or record again.',
		);
	if (typeof server !== 'string' || typeof startedAt !== 'string' || Number.isNaN(Date.parse(startedAt)))
		throw wrong(file, 1, 'server or startedAt is missing', 'Record again.');
	return { server, startedAt, part: typeof part === 'number' ? part : 0 };
}

function readMessageLine(file: string, line: string, number: number): RecordedMessage {
	const value = parsed(line);
	if (!isObject(value))
		throw wrong(
			file,
			number,
			`it is not a JSON object, or nested deeper than ${MESSAGE_LEVELS} levels`,
			'Record again.',
		);
	const { at, from, message, omitted, id } = value;
	if (typeof at !== 'number' || (from !== 'client' && from !== 'server'))
		throw wrong(file, number, 'at or from is missing', 'Record again.');
	if (typeof omitted === 'number')
		return { line: number, at, from, text: undefined, value: { id }, omittedBytes: omitted };
	if (!isObject(message) && !Array.isArray(message))
		throw wrong(file, number, 'message is not a JSON object or array', 'Record again.');
	return { line: number, at, from, text: textAt(line, 'message'), value: message };
}

/** Nesting is bounded: what compares messages recurses. */
function parsed(line: string): unknown {
	// The caller says which line it is.
	return attempt(() => parseBoundedJson(line, { depth: MESSAGE_LEVELS }));
}

function wrong(file: string, line: number, reason: string, hint: string): OrchestraError {
	return new OrchestraError('bad_input', `${file}:${line}: ${reason}`, { hint, data: { file, line } });
}
