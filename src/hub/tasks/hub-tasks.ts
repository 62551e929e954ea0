/*
 * The tasks of a hub: its calls that became one, and the answers to the methods of tasks.
 *
 * A task is known to its principal alone: the user and the project for stdio and bridges, the token
 * over HTTP. Tasks of this process are answered from memory, all others from the store: those that
 * ended, those of an earlier process, those of another one that still runs.
 */
import { randomBytes } from 'node:crypto';
import type { Configuration } from '../../config/configuration.ts';
import { attempt, messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CallContext, ClientConnection } from '../../mcp/server/call-context.ts';
import type { InputResponses } from '../../mcp/server/input-requests.ts';
import { pageOf } from '../../mcp/server/paging.ts';
import type { FollowedTask, ProviderTasks } from '../../mcp/server/task-methods.ts';
import { type Answer, exactAnswer, type Result, type Tool } from '../../protocol/mcp-types.ts';
import { metaOf } from '../../protocol/meta.ts';
import { RELATED_TASK } from '../../protocol/tasks.ts';
import { abortable } from '../../rpc/abortable.ts';
import { pause } from '../../rpc/clock.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { JsonText } from '../../wire/json-text.ts';
import { HubCall } from '../calls/hub-call.ts';
import type { ResultSource } from '../results/result-source.ts';
import { ownIdentity, type ProcessIdentity } from '../shared/process-identity.ts';
import type { Source } from '../source.ts';
import type { TaskPlan } from './durable-call.ts';
import { LiveTask } from './live-task.ts';
import { TaskEnds } from './task-ends.ts';
import { TASK_FOLLOW_MS, TASK_INBOX_MS, TASK_PAGE } from './task-limits.ts';
import {
	type EndedTask,
	isLasting,
	isLeft,
	isOfProject,
	principalIn,
	type TaskEnd,
	type TaskRecord,
	type TaskState,
} from './task-record.ts';
import { elsewhereOf, type RecoveryWay, TaskRecovery } from './task-recovery.ts';
import { legacyTask, modernState } from './task-report.ts';
import { TaskRules } from './task-rules.ts';
import { lostEnd, TaskStore } from './task-store.ts';

export interface HubTasksOptions {
	readonly configuration: () => Configuration;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Shortens results for the clients that read them. */
	readonly results?: ResultSource | undefined;
	readonly log: Log;
}

export class HubTasks implements ProviderTasks {
	readonly store: TaskStore;
	readonly rules: TaskRules;
	readonly #options: HubTasksOptions;
	readonly #live = new Map<string, LiveTask>();
	readonly #unstored = new TaskEnds();
	/** This process. */
	readonly owner: ProcessIdentity = ownIdentity();
	#inbox: NodeJS.Timeout | undefined;
	#left: TaskRecovery | undefined;
	#isClosed = false;

	constructor(options: HubTasksOptions) {
		this.#options = options;
		this.store = new TaskStore(options);
		this.rules = new TaskRules(options.configuration);
	}

	get log(): Log {
		return this.#options.log;
	}

	get configuration(): Configuration {
		return this.#options.configuration();
	}

	/** Tasks of this process: those that run, and those that ended, by status. */
	readonly counts = { running: 0, ended: { completed: 0, failed: 0, cancelled: 0 } };

	async get(id: string, context: CallContext): Promise<Result> {
		const state = await this.find(id, context);
		return context.revision.era === 'legacy' ? legacyTask(state) : this.#modern(state, context);
	}

	async update(id: string, responses: InputResponses, context: CallContext): Promise<void> {
		const { record, end } = await this.find(id, context);
		const live = this.#live.get(id);
		if (live) live.update(responses);
		else if (end === undefined) await this.store.send(record, { update: responses });
	}

	async cancel(id: string, context: CallContext): Promise<Result> {
		const state = await this.find(id, context);
		if (state.end) {
			if (context.revision.era === 'modern') return {};
			throw rpcError(rpcCodes.invalidParams, `the task has ended already: it is ${state.end.status}`);
		}
		return legacyTask(await this.stop(state));
	}

	/** Cancel a task, wherever it runs. Returns its state then. */
	async stop({ record }: TaskState): Promise<TaskState> {
		if (isLeft(record)) await this.takeLeft();
		const live = this.#live.get(record.id);
		const end: TaskEnd = { status: 'cancelled', at: new Date().toISOString() };
		if (live) {
			live.cancel();
			await live.finish(end);
			return live.ended;
		}
		return this.store.cancel(record);
	}

	async result(id: string, context: CallContext): Promise<Answer> {
		const state = await this.#ended(id, context);
		const { end } = state;
		if (end.status === 'failed') throw rpcError(end.error.code, end.error.message, end.error.data);
		if (end.status === 'cancelled') throw rpcError(rpcCodes.internal, 'the task was canceled');
		const answer = exactAnswer(await this.readable(state, context));
		return { ...answer, _meta: { ...metaOf({ _meta: answer['_meta'] }), [RELATED_TASK]: { taskId: id } } };
	}

	async list(cursor: unknown, { principal, sessionId }: CallContext): Promise<Result> {
		const tasks = await this.stored({ principal });
		const own = tasks
			.filter(({ record }) => record.form === 'legacy' && record.sessionId === sessionId)
			.map(legacyTask)
			.sort((one, other) => (String(one['taskId']) < String(other['taskId']) ? -1 : 1));
		const { items, ...rest } = pageOf(own, cursor, ({ taskId }) => String(taskId), TASK_PAGE);
		return { tasks: items, ...rest };
	}

	async follow(
		id: string,
		client: ClientConnection,
		listener: (state: FollowedTask) => void,
	): Promise<(() => void) | undefined> {
		const state = await this.find(id, client).catch(() => undefined);
		if (state === undefined) return undefined;
		// The state of a task is what its listeners get.
		const notify = (now: TaskState): void => listener(modernState(now) as FollowedTask);
		notify(state);
		return this.#live.get(id)?.follow(notify) ?? this.#followForeign(state, notify);
	}

	/** Follow the tasks that an earlier process left. Rejects when they cannot be read. */
	async takeLeft(): Promise<void> {
		if (!this.#isClosed) await this.#left?.take();
	}

	/** Where calls go whose tasks an earlier process left. */
	connect(way: RecoveryWay): void {
		this.#left = new TaskRecovery(this, way);
	}

	/** Tasks of servers elsewhere are left to the next hub. The others end here: their outcome is unknown. */
	async close(): Promise<void> {
		this.#isClosed = true;
		clearInterval(this.#inbox);
		const running = [...this.#live.values()];
		await Promise.all(
			running.map((task) => (isLasting(task.record) ? task.leave() : task.finish(lostEnd(task.record)))),
		);
		await this.#unstored.close();
	}

	/** Record the task that a call becomes. Rejects when it cannot be stored. */
	async start(
		call: HubCall,
		{ form, ttlMs }: TaskPlan,
		{ cancel, upstream }: { cancel: (reason: string) => void; upstream: string | undefined },
	): Promise<LiveTask> {
		const { context, name, client, backend, tool, target } = call;
		const now = new Date().toISOString();
		const record: TaskRecord = {
			id: randomBytes(16).toString('hex'),
			principal: this.#principal(context),
			server: backend,
			tool: name,
			client,
			sessionId: context.sessionId,
			form,
			createdAt: now,
			updatedAt: now,
			ttlMs,
			owner: this.owner,
			upstream,
			elsewhere: elsewhereOf(target, context),
			isStructured: tool?.outputSchema !== undefined,
			status: 'working',
		};
		if (this.#isClosed) throw new OrchestraError('closed', 'the hub is closing');
		await this.store.create(record);
		const task = new LiveTask(record, { store: this.store, log: this.log, cancel });
		this.add(task);
		if (form === 'legacy') task.follow((state) => notifyStatus(context.clientNotifier, state));
		return task;
	}

	/** A task runs here from now on. */
	add(task: LiveTask): void {
		const { id } = task.record;
		this.#live.set(id, task);
		this.counts.running++;
		void task.ended.then(({ end }) => {
			this.counts.ended[end.status]++;
			if (!task.isStored) this.#unstored.add(task);
			this.#forget(id);
		});
		this.#inbox ??= setInterval(() => void this.#readInboxes(), TASK_INBOX_MS).unref();
	}

	#forget(id: string): void {
		if (this.#live.delete(id)) this.counts.running--;
	}

	/** Remove the record: no client needs it. */
	discard({ record }: LiveTask): void {
		this.#forget(record.id);
		this.store.remove(record).catch((error: unknown) => {
			this.log.warn(`the record of a call could not be removed: ${messageOf(error)}`);
		});
	}

	/** Read the messages that other processes of the principal sent. */
	async #readInboxes(): Promise<void> {
		if (this.#live.size === 0) {
			clearInterval(this.#inbox);
			this.#inbox = undefined;
		}
		for (const task of [...this.#live.values()]) {
			for (const { update, cancel } of await this.#sentTo(task)) {
				if (isObject(update)) task.update(update);
				if (cancel === true) task.cancel();
			}
		}
	}

	/** The messages that wait for the task. One that cannot be read now waits on. */
	#sentTo({ record }: LiveTask): Promise<readonly Record<string, unknown>[]> {
		return this.store.receive(record).catch((error: unknown) => {
			this.log.warn(`what was sent to task ${record.id} could not be read: ${messageOf(error)}`);
			return [];
		});
	}

	/** Look at a task of another process from time to time. */
	#followForeign(first: TaskState, notify: (state: TaskState) => void): () => void {
		let last = first;
		const timer = setInterval(async () => {
			const { principal, id } = first.record;
			// What cannot be read now is looked at again.
			const now = await this.store.read(principal, id).catch(() => last);
			if (now === undefined || now.end) clearInterval(timer);
			if (now === undefined || (now.record.updatedAt === last.record.updatedAt && !now.end)) return;
			last = now;
			notify(now);
		}, TASK_FOLLOW_MS).unref();
		if (first.end) clearInterval(timer);
		return () => clearInterval(timer);
	}

	/** Resolves when the task has ended; its input requests are sent to the client meanwhile. */
	async #ended(id: string, context: CallContext): Promise<EndedTask> {
		for (;;) {
			const state = await this.find(id, context);
			if (isEnded(state)) return state;
			const live = this.#live.get(id);
			if (live) return endWhileAttached(live, context);
			await pause(TASK_FOLLOW_MS, context.signal);
		}
	}

	/** Throws -32602 for a task that the principal does not have. */
	async find(id: string, client: Pick<ClientConnection, 'principal'>): Promise<TaskState> {
		const principal = this.#principal(client);
		const state = this.#current(id, principal) ?? (await this.store.read(principal, id));
		if (state && state.end === undefined && isLeft(state.record)) {
			await this.takeLeft();
			return this.#current(id, principal) ?? state;
		}
		if (state) return state;
		throw rpcError(rpcCodes.invalidParams, 'unknown task: it does not exist, or its time is over');
	}

	#current(id: string, principal: string): TaskState | undefined {
		const known = this.#known(id);
		return known?.record.principal === principal ? known.state : undefined;
	}

	/** The tasks of this project, newest first, of whichever client. */
	async all(): Promise<TaskState[]> {
		const { root } = this.configuration;
		const states = await this.store.list();
		return states
			.filter(({ record }) => isOfProject(record.principal, root))
			.map((state) => this.#known(state.record.id)?.state ?? state);
	}

	/** The tasks of the principal of the request, newest first. */
	async stored(client: Pick<ClientConnection, 'principal'>): Promise<TaskState[]> {
		const states = await this.store.list(this.#principal(client));
		return states.map((state) => this.#known(state.record.id)?.state ?? state);
	}

	/** A task of this process that runs, or whose end is not stored. */
	#known(id: string): LiveTask | undefined {
		return this.#live.get(id) ?? this.#unstored.get(id);
	}

	async #modern(state: TaskState, context: CallContext): Promise<Result> {
		if (state.end?.status !== 'completed') return modernState(state);
		return { ...modernState(state), result: await this.readable(state, context) };
	}

	/** The result of a completed task as its reader would have got it from the call. */
	async readable({ record, result = EMPTY }: TaskState, context: CallContext): Promise<Answer> {
		const { results } = this.#options;
		return results ? results.answers.shorten(result, readingOf(record, context, results)) : result;
	}

	#principal(client: Pick<ClientConnection, 'principal'>): string {
		return principalIn(this.configuration.root, client);
	}
}

/** The answer for a result whose file was removed meanwhile. */
const EMPTY = new JsonText('{"content":[]}');

/** The client of a request gets the input requests of the task while it waits for the end. */
async function endWhileAttached(task: LiveTask, context: CallContext): Promise<EndedTask> {
	const detach = task.attach(context);
	try {
		return await abortable(() => task.ended, context.signal);
	} finally {
		detach();
	}
}

function isEnded(state: TaskState): state is EndedTask {
	return state.end !== undefined;
}

/** Notify a legacy client of the status; the client may be gone. */
function notifyStatus(notify: (method: string, params: unknown) => void, state: TaskState): void {
	attempt(() => notify('notifications/tasks/status', legacyTask(state)));
}

/** The call, as far as the shortening of its result depends on it, with the context of who reads it. */
function readingOf({ tool, isStructured }: TaskRecord, context: CallContext, source: Source): HubCall {
	const call = new HubCall({ method: 'tools/call', params: { name: tool, arguments: {} }, context });
	const item: Tool = { name: tool, inputSchema: {}, ...(isStructured && { outputSchema: {} }) };
	call.target = { source, name: tool, item };
	return call;
}
