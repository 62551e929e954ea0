/*
 * The tasks of a user on disk, so that they outlive their client, its connection and the hub.
 *
 * A folder for each principal, in it two files for each task. `<id>.json` is the record; only the
 * process that runs the task writes it. `<id>.end` is how it ended; it is created once, by
 * the first process that does, and never changed. So a record needs no lock, a reader sees the old text or the
 * new one, and a kill at any moment leaves a state that says what is known: a task whose process is
 * gone and that has no end has failed, with an unknown outcome, unless its server runs elsewhere:
 * then another process may take it.
 *
 * `<id>.in` is what other processes of the principal send to a task that is not theirs.
 */
import { appendFile, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { attempt, isCode, messageOf, OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { namesIn } from '../../files/names-in.ts';
import { readSpan } from '../../files/read-span.ts';
import type { Log } from '../../log.ts';
import { isObject } from '../../wire/json.ts';
import { encodeJson, JsonText } from '../../wire/json-text.ts';
import { PrincipalFolders, STORED_ID } from '../shared/principal-folders.ts';
import { isSameProcess, type ProcessIdentity } from '../shared/process-identity.ts';
import {
	TASK_HEAD_BYTES,
	TASK_INBOX_BYTES,
	TASK_LEFTOVER_MS,
	TASK_STORE_BYTES,
	TASK_SWEEP_MS,
	TASK_SWEPT_SHARE,
	TASKS_LIMIT,
} from './task-limits.ts';
import {
	endOf,
	failedEnd,
	isLasting,
	isLeft,
	isOver,
	type LastingRecord,
	recordOf,
	type TaskEnd,
	type TaskRecord,
	type TaskState,
} from './task-record.ts';

const RECORD = '.json';
const END = '.end';
const INBOX = '.in';
const KINDS = [RECORD, END, INBOX];
const LEFT = 'its hub has ended; the next one goes on with it';

export interface TaskStoreOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** Most tasks. Default `TASKS_LIMIT`. */
	readonly limit?: number | undefined;
	/** Most bytes of results. Default `TASK_STORE_BYTES`. */
	readonly limitBytes?: number | undefined;
}

export class TaskStore {
	readonly #folders: PrincipalFolders;
	readonly #log: Log;
	readonly #limit: number;
	readonly #limitBytes: number;
	#drafts = 0;
	#count = 0;
	#bytes = 0;
	#sweptAt = Number.NEGATIVE_INFINITY;

	constructor({ environment, log, limit = TASKS_LIMIT, limitBytes = TASK_STORE_BYTES }: TaskStoreOptions) {
		this.#folders = new PrincipalFolders(environment, 'tasks');
		this.#log = log;
		this.#limit = limit;
		this.#limitBytes = limitBytes;
	}

	/** Write the record of a new task. Rejects when there is no room, or with the error of the system. */
	async create(record: TaskRecord): Promise<void> {
		if (performance.now() - this.#sweptAt > TASK_SWEEP_MS || this.#count >= this.#limit) await this.#sweep();
		if (this.#count >= this.#limit) {
			throw new OrchestraError('io', `${this.#limit} tasks are stored, and none of them may be removed yet`, {
				hint: 'Cancel some: mctl tasks cancel ID. Or wait until they end.',
			});
		}
		this.#folders.make(record.principal);
		this.#count++;
		await this.save(record);
	}

	/** Replace the record of a task of this process. */
	async save(record: TaskRecord): Promise<void> {
		const path = this.#folders.path(record, RECORD);
		const draft = await this.#draft(path, encodeJson(record));
		try {
			await rename(draft, path);
		} catch (error) {
			await removeFile(draft);
			throw error;
		}
	}

	/** Store how a task ended. Returns the end that counts: the first one. */
	async finish(record: TaskRecord, end: TaskEnd, result?: JsonText): Promise<TaskEnd> {
		const text = `${encodeJson(end)}\n${result ? `${result.text}\n` : ''}`;
		const path = this.#folders.path(record, END);
		const draft = await this.#draft(path, text);
		try {
			await link(draft, path);
			this.#bytes += text.length;
		} catch (error) {
			if (isCode(error, 'EEXIST')) return (await readHead(path)) ?? end;
			if (isCode(error, 'ENOSPC', 'EDQUOT')) throw error;
			// A file system without hard links: the last one counts there.
			await rename(draft, path);
		} finally {
			await removeFile(draft);
		}
		if (this.#bytes > this.#limitBytes) await this.#sweep();
		return end;
	}

	/** Cancel a task of another process, which is notified to stop the call. It may have ended otherwise first. */
	async cancel(record: TaskRecord): Promise<TaskState> {
		await this.send(record, { cancel: true });
		return { record, end: await this.finish(record, { status: 'cancelled', at: new Date().toISOString() }) };
	}

	/** A task of a principal; undefined when there is none with this id. */
	async read(principal: string, id: string): Promise<TaskState | undefined> {
		if (!STORED_ID.test(id)) return undefined;
		const record = await readRecord(this.#folders.path({ principal, id }, RECORD));
		if (record === undefined || record.principal !== principal || record.id !== id) return undefined;
		const state = await this.#stateOf(record);
		if (isOver(state)) return undefined;
		if (state.end?.status !== 'completed') return state;
		const text = await readFile(this.#folders.path(record, END), 'utf8').catch(() => undefined);
		// Another process removed it just now.
		if (text === undefined) return undefined;
		const result = resultIn(text);
		return result ? { ...state, result } : { record, end: unreadableEnd(record) };
	}

	/** The tasks of a principal, newest first, without their results; of all of them without one. */
	async list(principal?: string): Promise<TaskState[]> {
		const states = (await this.#states(this.#folders.all(principal))).filter((state) => !isOver(state));
		return states.sort(({ record: one }, { record: other }) => (one.createdAt < other.createdAt ? 1 : -1));
	}

	/** Forget a task that no client knows of. */
	async remove(task: Pick<TaskRecord, 'principal' | 'id'>): Promise<void> {
		this.#count--;
		for (const kind of KINDS) await rm(this.#folders.path(task, kind), { force: true });
	}

	/** Send something to a task of another process. */
	async send({ principal, id }: Pick<TaskRecord, 'principal' | 'id'>, message: object): Promise<void> {
		const path = this.#folders.path({ principal, id }, INBOX);
		const line = `${encodeJson(message)}\n`;
		await withFolderLock(this.#folders.of(principal), async () => {
			if ((await sizeOf(path)) + line.length > TASK_INBOX_BYTES)
				throw new OrchestraError('bad_input', 'the process that runs the task has not read what it was sent');
			await appendFile(path, line, { mode: 0o600 });
		});
	}

	/** The messages that other processes sent to a task of this one, since the last time. */
	async receive({
		principal,
		id,
	}: Pick<TaskRecord, 'principal' | 'id'>): Promise<readonly Record<string, unknown>[]> {
		const path = this.#folders.path({ principal, id }, INBOX);
		if ((await sizeOf(path)) === 0) return [];
		const text = await withFolderLock(this.#folders.of(principal), async () => {
			const sent = await readFile(path, 'utf8');
			await rm(path);
			return sent;
		});
		return text.split('\n').flatMap((line) => {
			const message = attempt(() => JSON.parse(line) as unknown);
			return isObject(message) ? [message] : [];
		});
	}

	/** Take a task that its process left. Undefined when it has ended, or another process was faster. */
	async take({ principal, id }: TaskRecord, owner: ProcessIdentity): Promise<LastingRecord | undefined> {
		const path = this.#folders.path({ principal, id }, RECORD);
		return withFolderLock(this.#folders.of(principal), async () => {
			const record = await readRecord(path);
			const isFree = record && isLeft(record) && !(await readHead(this.#folders.path(record, END)));
			if (!isFree) return undefined;
			const own = { ...record, owner };
			await this.save(own);
			return own;
		});
	}

	async #states(folders: readonly string[]): Promise<TaskState[]> {
		const records = (await Promise.all(folders.map((folder) => recordsIn(folder)))).flat();
		return Promise.all(records.map((record) => this.#stateOf(record)));
	}

	/** A task without an end whose process is gone has failed, unless it goes on elsewhere. */
	async #stateOf(record: TaskRecord): Promise<TaskState> {
		const path = this.#folders.path(record, END);
		const end = await readHead(path);
		if (end || isSameProcess(record.owner)) return { record, end };
		if (isLasting(record)) return { record: { ...record, statusMessage: LEFT } };
		// It may have written the end just before.
		const found = await readHead(path);
		if (found) return { record, end: found };
		const lost = lostEnd(record);
		// On a full disk each reader finds the same.
		return { record, end: await this.finish(record, lost).catch(() => lost) };
	}

	async #sweep(): Promise<void> {
		this.#sweptAt = performance.now();
		try {
			await this.#removeOld();
		} catch (error) {
			this.#log.warn(`old tasks could not be removed: ${messageOf(error)}`);
		}
	}

	/** Remove what is too old, and the oldest that ended, while there are too many. */
	async #removeOld(): Promise<void> {
		const folders = this.#folders.all();
		const states = await this.#states(folders);
		const sized = await Promise.all(
			states.map(async (state) => ({ ...state, bytes: await sizeOf(this.#folders.path(state.record, END)) })),
		);
		this.#count = sized.length;
		this.#bytes = sized.reduce((sum, { bytes }) => sum + bytes, 0);
		const ended = sized
			.filter((state) => state.end !== undefined || isOver(state))
			.sort(({ record: one }, { record: other }) => (one.createdAt < other.createdAt ? -1 : 1));
		// All records were read to find the oldest, so a full store gets room for more than one task.
		const isFull = this.#count >= this.#limit || this.#bytes > this.#limitBytes;
		const share = isFull ? TASK_SWEPT_SHARE : 1;
		for (const { bytes, ...state } of ended) {
			const fits = this.#count <= Math.floor(this.#limit * share) && this.#bytes <= this.#limitBytes * share;
			if (fits && !isOver(state)) continue;
			this.#bytes -= bytes;
			await this.remove(state.record);
		}
		const known = new Set(states.map(({ record }) => record.id));
		for (const folder of folders) await removeLeftovers(folder, known);
	}

	async #draft(path: string, text: string): Promise<string> {
		const draft = `${path}.${process.pid}-${++this.#drafts}.draft`;
		try {
			await writeFile(draft, text, { mode: 0o600, flag: 'w' });
		} catch (error) {
			await removeFile(draft); // a part of it would fill the disk more
			throw error;
		}
		return draft;
	}
}

/** The end of a task whose process is gone. */
export function lostEnd({ tool }: Pick<TaskRecord, 'tool'>): TaskEnd {
	const message = `the hub that ran ${tool} ended before the call did; its outcome is unknown`;
	return failedEnd(message, { code: 'closed', outcome: 'unknown' });
}

/** The end of a task whose file was damaged. */
function unreadableEnd({ tool }: Pick<TaskRecord, 'tool'>): TaskEnd {
	return failedEnd(`the stored result of ${tool} cannot be read`, { code: 'io', outcome: 'unknown' });
}

/** The first line: how the task ended. The result follows, as it was written. */
async function readHead(path: string): Promise<TaskEnd | undefined> {
	const head = await readSpan(path, 0, TASK_HEAD_BYTES).catch(() => undefined);
	if (head === undefined) return undefined;
	try {
		const text = head.toString();
		const at = text.indexOf('\n');
		// The line of an error with much data is longer; written by this program, whole.
		const line = at === -1 ? ((await readFile(path, 'utf8')).split('\n', 1)[0] ?? '') : text.slice(0, at);
		return endOf(JSON.parse(line)) ?? unreadableEnd({ tool: 'the task' });
	} catch {
		// Cut off, or of a later version: there is an end, and it is not known which.
		return unreadableEnd({ tool: 'the task' });
	}
}

/** Undefined for a text that was cut off. */
function resultIn(text: string): JsonText | undefined {
	const json = text.slice(text.indexOf('\n') + 1, -1);
	const value = attempt(() => JSON.parse(json) as unknown);
	return isObject(value) ? new JsonText(json, value) : undefined;
}

/** Remove what killed processes were writing, and what belongs to no task that can be read. */
async function removeLeftovers(folder: string, known: ReadonlySet<string>): Promise<void> {
	for (const name of namesIn(folder)) {
		const [, pid] = /\.(\d+)-\d+\.draft$/.exec(name) ?? [];
		const isDraft = pid !== undefined && Number(pid) !== process.pid;
		const isUnknown = KINDS.includes(extname(name)) && !known.has(basename(name, extname(name)));
		const afterMs = isDraft ? TASK_SWEEP_MS : TASK_LEFTOVER_MS;
		if ((isDraft || isUnknown) && (await ageOf(join(folder, name))) > afterMs)
			await removeFile(join(folder, name));
	}
}

/** There may be none; and what cannot be removed now is removed later. */
async function removeFile(path: string): Promise<void> {
	await rm(path, { force: true }).catch(() => {});
}

async function readRecord(path: string): Promise<TaskRecord | undefined> {
	const text = await readFile(path, 'utf8').catch(() => undefined);
	return text === undefined ? undefined : recordOf(attempt(() => JSON.parse(text) as unknown));
}

async function recordsIn(folder: string): Promise<TaskRecord[]> {
	const names = namesIn(folder).filter((name) => name.endsWith(RECORD));
	const records = await Promise.all(names.map((name) => readRecord(join(folder, name))));
	return records.filter((record) => record !== undefined);
}

async function sizeOf(path: string): Promise<number> {
	return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function ageOf(path: string): Promise<number> {
	const found = await stat(path).catch(() => undefined);
	return found ? Date.now() - found.mtimeMs : 0;
}
