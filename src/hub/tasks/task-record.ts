/*
 * What is stored of a task: a record, written before the client learns of the task, and its end,
 * written once. Both are files of their own (`task-store.ts`).
 */
import type { ErrorCode } from '../../errors.ts';
import type { InputRequests } from '../../mcp/server/input-requests.ts';
import type { TaskStatus } from '../../protocol/tasks.ts';
import { isObject } from '../../wire/json.ts';
import { type RpcErrorObject, rpcCodes } from '../../wire/json-rpc.ts';
import type { JsonText } from '../../wire/json-text.ts';
import { isSameProcess, type ProcessIdentity } from '../shared/process-identity.ts';

/** The kind of client that the task was made for: modern, legacy, or without tasks (`tasks.keep`). */
export type TaskForm = 'modern' | 'legacy' | 'kept';

/** A task that has not ended. */
export interface TaskRecord {
	/** Opaque and unguessable. */
	readonly id: string;
	/** Who may use it. */
	readonly principal: string;
	/** The source that runs it. */
	readonly server: string;
	/** The name that clients use for the tool. */
	readonly tool: string;
	/** The name of the client. */
	readonly client: string;
	readonly sessionId: string;
	readonly form: TaskForm;
	/** ISO 8601. */
	readonly createdAt: string;
	readonly updatedAt: string;
	/** How long it is readable, at least. */
	readonly ttlMs: number;
	/** The process that runs it. */
	readonly owner: ProcessIdentity;
	/** Whether the tool has an output schema. */
	readonly isStructured?: boolean | undefined;
	/** The id of the task at the server, when the server made one; the call at the worker that accepted it. */
	readonly upstream?: string | undefined;
	/** Where the task is, when a server elsewhere has it. */
	readonly elsewhere?: TaskElsewhere | undefined;
	readonly status: Extract<TaskStatus, 'working' | 'input_required'>;
	readonly statusMessage?: string | undefined;
	/** The client requests that wait. */
	readonly inputRequests?: InputRequests | undefined;
}

/** The facts with which a later hub goes on with a task. */
export interface TaskElsewhere {
	/** The digest of the address of the server. */
	readonly address: string;
	/** The source's own name of the tool. */
	readonly name: string;
	/** The capabilities of the client. */
	readonly capabilities: Readonly<Record<string, unknown>>;
}

/** A task that goes on at its server when its hub ends. */
export type LastingRecord = TaskRecord & { readonly upstream: string; readonly elsewhere: TaskElsewhere };

/** How a task ended. The result of a completed one is beside it: lists do not read it. */
export type TaskEnd = { readonly at: string; readonly statusMessage?: string | undefined } & (
	| { readonly status: 'completed'; readonly isError: boolean }
	| { readonly status: 'failed'; readonly error: RpcErrorObject }
	| { readonly status: 'cancelled' }
);

/** The end of a task without a result to give. @param data for clients: the code, and whether the call `ran` or the outcome is `unknown` */
export function failedEnd(
	message: string,
	data: { readonly code: ErrorCode; readonly outcome: 'ran' | 'unknown' },
): TaskEnd {
	const error = { code: rpcCodes.internal, message, data };
	return { status: 'failed', at: new Date().toISOString(), statusMessage: message, error };
}

/** A task as it is now. */
export interface TaskState {
	readonly record: TaskRecord;
	readonly end?: TaskEnd | undefined;
	/** The result of a completed task, except in lists. */
	readonly result?: JsonText | undefined;
}

/** A task that has ended. */
export type EndedTask = TaskState & { readonly end: TaskEnd };

/** A record from a file; undefined when it is none. */
export function recordOf(value: unknown): TaskRecord | undefined {
	if (!isObject(value)) return undefined;
	const { owner, ttlMs } = value;
	const isRecord =
		stringFields.every((name) => typeof value[name] === 'string') &&
		typeof ttlMs === 'number' &&
		isObject(owner) &&
		typeof owner['pid'] === 'number' &&
		typeof owner['startTime'] === 'string';
	// Written by this program, and checked as far as the reader depends on it.
	return isRecord ? (value as unknown as TaskRecord) : undefined;
}

/** An end from a file; undefined when it is none. */
export function endOf(value: unknown): TaskEnd | undefined {
	if (!isObject(value) || typeof value['at'] !== 'string') return undefined;
	const { status, error } = value;
	const isEnd = status === 'failed' ? isObject(error) : status === 'completed' || status === 'cancelled';
	// Written by this program, and checked as far as the reader depends on it.
	return isEnd ? (value as unknown as TaskEnd) : undefined;
}

const stringFields = [
	'id',
	'principal',
	'server',
	'tool',
	'client',
	'sessionId',
	'form',
	'createdAt',
	'updatedAt',
	'status',
];

/** Whether a later hub can go on with it: the server runs elsewhere, and made a task of the call. */
export function isLasting(record: TaskRecord): record is LastingRecord {
	return record.upstream !== undefined && isObject(record.elsewhere);
}

/** Whether it lasts, and its hub has ended. */
export function isLeft(record: TaskRecord): record is LastingRecord {
	return isLasting(record) && !isSameProcess(record.owner);
}

/**
 * Whether a task may be removed. The time of one that ended counts from its end: a client may have requested less
 * than the call took. One that runs has no end, and one that was left counts from its creation.
 */
export function isOver({ record, end }: TaskState): boolean {
	if (end === undefined && isSameProcess(record.owner)) return false;
	// A time that cannot be read is over.
	return !(Date.parse(end?.at ?? record.createdAt) + record.ttlMs >= Date.now());
}

/** The user of this process, in a project. */
export function principalOf(root: string): string {
	return `user:${process.getuid?.() ?? ''} project:${root}`;
}

/** Who a client is in a project: by what its transport says of it, and as this user. */
export function principalIn(
	root: string,
	{ principal }: { readonly principal?: string | undefined },
): string {
	return principal === undefined ? principalOf(root) : `${principal} ${principalOf(root)}`;
}

/** Whether a principal is the user in this project, by whichever way. */
export function isOfProject(principal: string, root: string): boolean {
	return principal.endsWith(principalOf(root));
}
