/*
 * A task that this process runs: the call goes on here, with or without its client.
 *
 * Client requests of the call wait in the record until a client answers them. Each change is written
 * to the store; the end is written before a client can read it.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { InputRequests, InputResponses } from '../../mcp/server/input-requests.ts';
import { type Answer, answerValue, type InputRequest } from '../../protocol/mcp-types.ts';
import { metaOf } from '../../protocol/meta.ts';
import { RELATED_TASK } from '../../protocol/tasks.ts';
import { redact } from '../../redact.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { deferred } from '../../rpc/deferred.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { toRpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { encodeJson, JsonText } from '../../wire/json-text.ts';
import { NO_PROCESS } from '../shared/process-identity.ts';
import {
	TASK_INPUTS_LIMIT,
	TASK_MESSAGE_CHARACTERS,
	TASK_RECORD_BYTES,
	TASK_RESULT_BYTES,
} from './task-limits.ts';
import { type EndedTask, failedEnd, type TaskEnd, type TaskRecord, type TaskState } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

/** One input request that waits. */
interface Waiting {
	readonly inputRequest: InputRequest;
	readonly answer: (response: unknown) => void;
	readonly giveUp: (reason: unknown) => void;
}

export interface LiveTaskDeps {
	readonly store: TaskStore;
	readonly log: Log;
	/** Ends the call. */
	readonly cancel: (reason: string) => void;
}

export class LiveTask {
	readonly #deps: LiveTaskDeps;
	readonly #changes = new Listeners<TaskState>();
	readonly #ended = deferred<EndedTask>();
	readonly #waiting = new Map<string, Waiting>();
	/** Requests of legacy clients that wait for the result: the input requests are sent on their way. */
	readonly #readers = new Set<CallContext>();
	/** Keys are never used twice. */
	readonly #keys = new Map<string, number>();
	/** Client requests of a task that an earlier process left: the server has not repeated them yet. */
	readonly #foreseen: Set<string>;
	/** Answers to those. */
	readonly #early = new Map<string, unknown>();
	#record: TaskRecord;
	#end: TaskEnd | undefined;
	#result: JsonText | undefined;
	#isStored = false;
	#isEnding = false;
	#isLeft = false;
	#saving: Promise<void> = Promise.resolve();

	constructor(record: TaskRecord, deps: LiveTaskDeps) {
		this.#record = record;
		this.#deps = deps;
		this.#foreseen = new Set(Object.keys(record.inputRequests ?? {}));
	}

	get state(): TaskState {
		return { record: this.#record, end: this.#end, result: this.#result };
	}

	get record(): TaskRecord {
		return this.#record;
	}

	/** Resolves when the end is stored. */
	get ended(): Promise<EndedTask> {
		return this.#ended.promise;
	}

	/** Call `listener` with each state, until the returned function is called. */
	readonly follow: Listeners<TaskState>['add'] = this.#changes.add;

	/** The server made a task of its own, or a worker accepted the call. */
	begunUpstream(upstream: string): void {
		this.#change({ upstream });
	}

	/** Take the status message of the server. It is stored, and shown with the task. */
	says(message: string): void {
		const statusMessage = redact(message.slice(0, 2 * TASK_MESSAGE_CHARACTERS)).slice(
			0,
			TASK_MESSAGE_CHARACTERS,
		);
		if (statusMessage !== this.#record.statusMessage) this.#change({ statusMessage });
	}

	/** Wait for the answers of a client. */
	async ask(requests: InputRequests, withdrawn?: AbortSignal): Promise<InputResponses> {
		const entries = Object.entries(requests);
		if (this.#waiting.size + entries.length > TASK_INPUTS_LIMIT)
			throw new OrchestraError('bad_input', `more than ${TASK_INPUTS_LIMIT} input requests of one task wait`);
		if (encodeJson(requests).length > TASK_RECORD_BYTES / TASK_INPUTS_LIMIT)
			throw new OrchestraError('bad_input', 'the input requests are too long for a task');
		const waits = entries.map(([key, inputRequest]) => ({ key, inputRequest, taskKey: this.#taskKey(key) }));
		const answers = waits.map(async ({ key, inputRequest, taskKey }) => [
			key,
			await this.#wait(taskKey, inputRequest),
		]);
		this.#show();
		// One listener for all: the signal may live as long as the call, which may ask often.
		const stop = onAbort(withdrawn, () => this.#withdraw(waits, withdrawn?.reason));
		try {
			return Object.fromEntries(await Promise.all(answers));
		} finally {
			stop();
		}
	}

	/** Answers of a client. Unknown keys, and those that were answered, are ignored. */
	update(responses: InputResponses): void {
		for (const [key, response] of Object.entries(responses)) {
			if (!isObject(response)) continue;
			this.#waiting.get(key)?.answer(response);
			this.#waiting.delete(key);
			if (this.#foreseen.delete(key)) this.#early.set(key, response);
		}
		this.#show();
	}

	/** End the call. The task is canceled unless it ends otherwise first. */
	cancel(reason = 'the task was canceled'): void {
		this.#deps.cancel(reason);
	}

	/** Send the input requests to a legacy client while its request waits for the result. */
	attach(reader: CallContext): () => void {
		this.#readers.add(reader);
		for (const key of this.#waiting.keys()) this.#send(key, reader);
		return () => void this.#readers.delete(reader);
	}

	/** The call ends as `work` does. */
	async run(work: Promise<Answer>): Promise<void> {
		try {
			await this.finish(...completionOf(await work));
		} catch (error) {
			await this.finish(failureOf(error));
		}
	}

	/** Store how it ended, once. Resolves when that is done, by whichever call. */
	async finish(end: TaskEnd, result?: JsonText): Promise<void> {
		if (this.#isLeft) return;
		if (this.#isEnding) return void (await this.#ended.promise);
		this.#isEnding = true;
		for (const { giveUp } of this.#waiting.values())
			giveUp(new OrchestraError('canceled', 'the task has ended'));
		this.#waiting.clear();
		await this.#saving;
		const counted = await this.#store(end, result).catch((error: unknown) => {
			const { id, tool } = this.#record;
			this.#deps.log.warn(`the end of task ${id} of ${tool} could not be stored: ${messageOf(error)}`);
			return this.#endsAs(end, result);
		});
		this.#ended.resolve({ record: this.#record, end: counted, result: this.#result });
		this.#changes.emit(this.state);
	}

	/** Whether other processes can read the end. If not, the clients of this one get it nevertheless. */
	get isStored(): boolean {
		return this.#isStored;
	}

	/** Try again to store the end. The folder may have been removed meanwhile, so the record is stored too. */
	async storeAgain(): Promise<void> {
		if (this.#end === undefined) return;
		try {
			await this.#deps.store.save(this.#record);
			await this.#store(this.#end, this.#result);
		} catch {
			// Still no room: that was logged.
		}
	}

	/** The result is too long to wait in memory for room on the disk. */
	dropResult(): void {
		const message = 'the result could not be stored: the disk had no room for it';
		if (this.#result) this.#end = failedEnd(message, NO_RESULT);
		this.#result = undefined;
	}

	/** No client reads an end before it is stored. Another process may have ended the task first. */
	async #store(end: TaskEnd, result: JsonText | undefined): Promise<TaskEnd> {
		const counted = await this.#deps.store.finish(this.#record, end, result);
		this.#isStored = true;
		return this.#endsAs(counted, result);
	}

	#endsAs(end: TaskEnd, result: JsonText | undefined): TaskEnd {
		this.#end = end;
		this.#result = end.status === 'completed' ? result : undefined;
		return end;
	}

	/** Whether the next hub goes on with it. */
	get isLeft(): boolean {
		return this.#isLeft;
	}

	/** This process ends, and the task does not: the next hub goes on with it. */
	async leave(): Promise<void> {
		if (this.#isEnding) return;
		this.#isEnding = true;
		this.#isLeft = true;
		await this.#saving;
		await this.#deps.store.save({ ...this.#record, owner: NO_PROCESS }).catch((error: unknown) => {
			this.#deps.log.warn(`task ${this.#record.id} could not be left to the next hub: ${messageOf(error)}`);
		});
	}

	/** The key of an input request in this task, where no key is used twice. */
	#taskKey(key: string): string {
		const used = (this.#keys.get(key) ?? 0) + 1;
		this.#keys.set(key, used);
		return used === 1 ? key : `${key}-${used}`;
	}

	#wait(key: string, inputRequest: InputRequest): Promise<unknown> {
		return new Promise((answer, giveUp) => {
			this.#foreseen.delete(key);
			const early = this.#early.get(key);
			if (early !== undefined) return answer(early);
			this.#waiting.set(key, { inputRequest, answer, giveUp });
			for (const reader of this.#readers) this.#send(key, reader);
		});
	}

	#withdraw(waits: readonly { taskKey: string }[], reason: unknown): void {
		for (const { taskKey } of waits) {
			this.#waiting.get(taskKey)?.giveUp(reason);
			this.#waiting.delete(taskKey);
		}
		this.#show();
	}

	/** One input request as a request to a legacy client; its refusal is the answer. */
	#send(key: string, reader: CallContext): void {
		const { inputRequest, giveUp } = this.#waiting.get(key) ?? {};
		if (inputRequest === undefined || reader.isCanceled) return;
		const { method, params } = inputRequest;
		const meta = { ...metaOf(params), [RELATED_TASK]: { taskId: this.#record.id } };
		reader.askAll({ [key]: { method, params: { ...params, _meta: meta } } }).then(
			(responses) => this.update(responses),
			(error: unknown) => {
				// Another request of the client may still ask.
				if (reader.isCanceled) return;
				if (this.#waiting.delete(key)) giveUp?.(error);
				this.#show();
			},
		);
	}

	/** The input requests that wait are part of the record. */
	#show(): void {
		const isWaiting = this.#waiting.size > 0;
		const requests = [...this.#waiting].map(([key, { inputRequest }]) => [key, inputRequest]);
		this.#change({
			status: isWaiting ? 'input_required' : 'working',
			inputRequests: isWaiting ? Object.fromEntries(requests) : undefined,
		});
	}

	#change(change: Partial<TaskRecord>): void {
		if (this.#isEnding) return;
		this.#record = { ...this.#record, ...change, updatedAt: new Date().toISOString() };
		const record = this.#record;
		this.#saving = this.#saving
			.then(() => (record === this.#record ? this.#deps.store.save(record) : undefined))
			.catch((error: unknown) => {
				this.#deps.log.warn(`the state of task ${record.id} could not be stored: ${messageOf(error)}`);
			});
		this.#changes.emit(this.state);
	}
}

function completionOf(answer: Answer): [TaskEnd, JsonText?] {
	const at = new Date().toISOString();
	const result = answer instanceof JsonText ? answer : new JsonText(encodeJson(answer));
	const isError = answerValue(result)['isError'] === true;
	if (result.text.length <= TASK_RESULT_BYTES) return [{ status: 'completed', at, isError }, result];
	const message = `the result has ${result.text.length} characters; a task may have ${TASK_RESULT_BYTES}`;
	return [failedEnd(message, NO_RESULT)];
}

/** The call ran, and its result cannot be given. */
const NO_RESULT = { code: 'bad_frame', outcome: 'ran' } as const;

function failureOf(thrown: unknown): TaskEnd {
	const at = new Date().toISOString();
	if (OrchestraError.is(thrown, 'canceled')) return { status: 'cancelled', at };
	const error = toRpcError(thrown);
	return { status: 'failed', at, statusMessage: error.message.split('\n')[0], error };
}
