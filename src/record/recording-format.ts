/*
 * The format of a recording: NDJSON. The first line describes the recording; each other
 * line is one message of the conversation between a client and an MCP server.
 *
 *     {"recording":1,"server":"files","startedAt":"2026-01-02T03:04:05.000Z","part":0}
 *     {"at":0.2,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize",…}}
 *     {"at":9.7,"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{…}}}
 *
 * Secrets are replaced before a line is written. A message above the limit is left out,
 * and its line has `omitted`, its size, instead.
 */

/** The version that is written and read. */
export const RECORDING_VERSION = 1;

export type Side = 'client' | 'server';

/** The first line. */
export interface RecordingHeader {
	readonly server: string;
	/** ISO 8601. */
	readonly startedAt: string;
	/** The number of this file of a recording that has several, from 0. */
	readonly part: number;
}

/** A line with a message. */
export interface RecordedMessage {
	/** The number of the line in the file, from 1. */
	readonly line: number;
	/** Milliseconds since the start. */
	readonly at: number;
	readonly from: Side;
	/** The message as JSON text; undefined when it was left out. */
	readonly text: string | undefined;
	/** The message as a value; of an omitted message, its id only. */
	readonly value: unknown;
	/** The size of a message that was left out. */
	readonly omittedBytes?: number | undefined;
}

export function headerLine({ server, startedAt, part }: RecordingHeader): string {
	return `${JSON.stringify({ recording: RECORDING_VERSION, server, startedAt, part })}\n`;
}

/** @param text one JSON value without line breaks */
export function messageLine(at: number, from: Side, text: string): string {
	return `{"at":${rounded(at)},"from":"${from}","message":${text}}\n`;
}

/** @param id of the message as JSON text; undefined for a notification */
export function omittedLine(at: number, from: Side, bytes: number, id: string | undefined): string {
	const known = id === undefined ? '' : `,"id":${id}`;
	return `{"at":${rounded(at)},"from":"${from}","omitted":${bytes}${known}}\n`;
}

function rounded(ms: number): number {
	return Math.round(Math.max(0, ms) * 1000) / 1000;
}
