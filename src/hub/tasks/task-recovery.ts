/*
 * Tasks that an earlier process left. It followed the task of a server elsewhere, or the call at a worker of the
 * fabric, which goes on without it: the next hub of the project takes the task and follows it to its end.
 *
 * Nothing is called again. When the server is not configured any more, or has another address, the
 * task has failed with an unknown outcome.
 */
import { TASK_MAX_MS } from '../../config/defaults.ts';
import { OrchestraError } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import { CallContext, type ClientConnection } from '../../mcp/server/call-context.ts';
import type { Durability } from '../../mcp/server/call-observers.ts';
import { type Asking, requireCapabilities } from '../../mcp/server/input-requests.ts';
import { modernRevision, modernVersions, negotiate } from '../../protocol/revisions.ts';
import { LEGACY_TASKS_VERSION } from '../../protocol/tasks.ts';
import { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { HubCall, type Target } from '../calls/hub-call.ts';
import type { Handler } from '../calls/middleware.ts';
import { able, type Source } from '../source.ts';
import type { HubTasks } from './hub-tasks.ts';
import { LiveTask } from './live-task.ts';
import { TASK_CAPABILITIES_BYTES } from './task-limits.ts';
import { isLeft, isOfProject, type LastingRecord, type TaskElsewhere } from './task-record.ts';
import { lostEnd } from './task-store.ts';

/** Where calls go that were allowed and sent. */
export interface RecoveryWay {
	readonly sources: () => readonly Source[];
	readonly life: Handler;
}

export class TaskRecovery {
	readonly #tasks: HubTasks;
	readonly #way: RecoveryWay;
	#taking: Promise<void> | undefined;

	constructor(tasks: HubTasks, way: RecoveryWay) {
		this.#tasks = tasks;
		this.#way = way;
	}

	/** Take all of this project. */
	take(): Promise<void> {
		this.#taking ??= this.#takeAll().finally(() => {
			this.#taking = undefined;
		});
		return this.#taking;
	}

	async #takeAll(): Promise<void> {
		const { store, configuration } = this.#tasks;
		const { root } = configuration;
		for (const { record, end } of await store.list()) {
			if (!isOfProject(record.principal, root) || !isLeft(record)) continue;
			if (end === undefined) await this.#follow(record);
			else if (end.status === 'cancelled') await this.#passCancellation(record);
		}
	}

	async #follow(left: LastingRecord): Promise<void> {
		const { store, owner, log } = this.#tasks;
		const record = await store.take(left, owner);
		if (record === undefined) return;
		const task = this.#run(record);
		if (task === undefined) return void (await store.finish(record, lostEnd(record)));
		this.#tasks.add(task);
		log.info(`goes on with the task ${record.id} of ${record.server}, which an earlier hub left`);
	}

	/** It was canceled while no hub ran, so the server does not know yet. The process that reads that notifies the server. */
	async #passCancellation(record: LastingRecord): Promise<void> {
		const sent = await this.#tasks.store.receive(record);
		if (sent.some(({ cancel }) => cancel === true)) this.#run(record)?.cancel();
	}

	/** Undefined when its server is not there any more. */
	#run(record: LastingRecord): LiveTask | undefined {
		const { store, log } = this.#tasks;
		const { sources, life } = this.#way;
		const source = sources().find(({ id }) => id === record.server);
		if (source === undefined || addressOf(source) !== record.elsewhere.address) return undefined;
		const incoming = new IncomingCall(`"${record.id}"`, 'tools/call', { name: record.tool, arguments: {} });
		const task = new LiveTask(record, { store, log, cancel: (reason) => incoming.cancel(reason) });
		const call = this.#callOf(record, { task, incoming, source });
		void task.run((async () => life.request(call))());
		return task;
	}

	#callOf(
		record: LastingRecord,
		{ task, incoming, source }: { task: LiveTask; incoming: IncomingCall; source: Source },
	): HubCall {
		const { tool, client, form, createdAt, upstream, elsewhere } = record;
		const { maxMs = TASK_MAX_MS } = this.#tasks.configuration.tasks;
		const isTask = form !== 'kept';
		const durable: Durability = {
			isTask,
			isOpen: isTask,
			// A clock that was set back does not add to it.
			maxMs: Math.min(maxMs, Math.max(0, Date.parse(createdAt) + maxMs - Date.now())),
			sentAs: upstream,
			get isLeft() {
				return task.isLeft;
			},
			begunUpstream: () => {}, // the record has it
			runsElsewhere: () => {},
			says: (message) => task.says(message),
		};
		const asker: Asking['asker'] = {
			async ask(requests, { clientCapabilities }, signal) {
				if (!isTask) throw new OrchestraError('closed', `the client of ${tool} is gone`);
				requireCapabilities(requests, clientCapabilities);
				return task.ask(requests, signal);
			},
		};
		const context = new CallContext(clientOf(record), incoming, {}, { asker });
		context.durable = durable;
		const params = { name: tool, arguments: {} };
		const call = new HubCall({ method: 'tools/call', params, context }, client);
		call.target = { source, name: elsewhere.name };
		return call;
	}
}

/** Where the server has the task, for its record; undefined when the task ends with the hub. */
export function elsewhereOf(
	{ source, name }: Target,
	{ clientCapabilities: capabilities }: CallContext,
): TaskElsewhere | undefined {
	const address = addressOf(source);
	if (address === undefined || encodeJson(capabilities).length > TASK_CAPABILITIES_BYTES) return undefined;
	return { address, name, capabilities };
}

/** The digest: an address may have secrets. */
function addressOf(source: Source): string | undefined {
	const { address } = able(source, 'address') ?? {};
	return address === undefined ? undefined : sha256(address);
}

/** The client that made the call, which is not there. */
function clientOf({ form, client, sessionId, elsewhere }: LastingRecord): ClientConnection {
	const modern = form === 'modern' ? modernRevision(modernVersions[0]) : undefined;
	return {
		revision: modern ?? negotiate(LEGACY_TASKS_VERSION),
		capabilities: elsewhere.capabilities,
		clientInfo: { name: client, version: '' },
		sessionId,
		logLevel: () => undefined,
		notify: () => {}, // no listener
	};
}
