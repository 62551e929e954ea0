/* The files of recordings: their names, and which recordings there are. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isCode, messageOf, OrchestraError } from '../errors.ts';
import { makeFolders } from '../files/make-folders.ts';
import { assertPrivate, makePrivate } from '../files/private-path.ts';
import { stateFolder } from '../files/state-folder.ts';
import type { Log } from '../log.ts';
import { percentDecoded } from '../printable.ts';
import {
	FILE_TIME_MS,
	RECORDING_NAME_CHARACTERS,
	RECORDINGS_BYTES,
	RECORDINGS_LIMIT,
} from './record-limits.ts';

/** `server.20260102T030405006Z.pid.part.ndjson`. */
const fileName = /^([^.]+)\.(\d{8}T\d{9}Z)\.(\d+)\.(\d+)\.ndjson$/;

/** A recording on disk. */
export interface RecordingFile {
	readonly file: string;
	readonly server: string;
	readonly startedAt: Date;
	/** When the last message was written. */
	readonly endedAt: Date;
	readonly bytes: number;
}

/** Where recordings are, unless a command names another folder. */
export function recordingsFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	return join(stateFolder(environment), 'recordings');
}

/** The same folder, to write to it: its mode is repaired with a warning. A folder that the user names keeps its mode. */
export function userRecordings(environment: Readonly<NodeJS.ProcessEnv>, log: Pick<Log, 'warn'>): string {
	const folder = recordingsFolder(environment);
	makePrivate(folder, 0o700, log);
	return folder;
}

/** The path of part `part` of a recording that starts now. */
export function recordingPath(folder: string, server: string, startedAt: Date, part: number): string {
	const stamp = startedAt.toISOString().replaceAll(/[-:.]/g, '');
	return join(folder, `${safeName(server)}.${stamp}.${process.pid}.${part}.ndjson`);
}

/** The recordings of a folder, the newest first; those of one server, when it is named. */
export function listRecordings(folder: string, server?: string): RecordingFile[] {
	return namesIn(folder)
		.flatMap((name): (RecordingFile & { part: number })[] => {
			const [, safe, stamp, , part] = fileName.exec(name) ?? [];
			if (safe === undefined || stamp === undefined) return [];
			if (server !== undefined && safe !== safeName(server)) return [];
			const found = statSync(join(folder, name), { throwIfNoEntry: false });
			if (!found?.isFile()) return [];
			const about = { server: percentDecoded(safe), startedAt: dateOf(stamp), endedAt: found.mtime };
			return [{ part: Number(part), file: join(folder, name), ...about, bytes: found.size }];
		})
		.sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime() || other.part - one.part)
		.map(({ part: _part, ...about }) => about);
}

/** A call of a server, as the journal has it. */
export interface TimedCall {
	readonly server: string;
	readonly startedAt: Date;
	readonly ms: number;
}

/** The recordings that may have a call: those of its server that were open while it ran. */
export function recordingsOfCall(folder: string, { server, startedAt, ms }: TimedCall): RecordingFile[] {
	const from = startedAt.getTime() - FILE_TIME_MS;
	const to = startedAt.getTime() + ms;
	return listRecordings(folder, server).filter(
		(recording) => recording.startedAt.getTime() <= to && recording.endedAt.getTime() >= from,
	);
}

/** Make the folder, private. Throws `bad_input` when it belongs to another user, `io` when it cannot be made. */
export function makeRecordingsFolder(folder: string): void {
	try {
		makeFolders(folder, 0o700);
	} catch (thrown) {
		throw new OrchestraError(
			'io',
			`the folder ${folder} for recordings cannot be made: ${messageOf(thrown)}`,
			{
				cause: thrown,
				hint: 'Name another folder with --to.',
			},
		);
	}
	assertPrivate(folder);
}

/** Remove the oldest recordings of a server, so that one more of `nextBytes` can be written. */
export function removeOldRecordings(folder: string, server: string, nextBytes: number): void {
	let bytes = nextBytes;
	for (const [at, recording] of listRecordings(folder, server).entries()) {
		bytes += recording.bytes;
		if (at + 1 >= RECORDINGS_LIMIT || bytes > RECORDINGS_BYTES) rmSync(recording.file, { force: true });
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (thrown) {
		if (isCode(thrown, 'ENOENT')) return [];
		throw OrchestraError.from(thrown, 'io');
	}
}

/** Without dots, which separate the parts of the file name. */
function safeName(server: string): string {
	return encodeURIComponent(server).replaceAll('.', '%2E').slice(0, RECORDING_NAME_CHARACTERS) || '_';
}

function dateOf(stamp: string): Date {
	const [, year, month, day, hour, minute, second, ms] =
		/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(stamp) ?? [];
	return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}
