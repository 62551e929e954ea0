/*
 * The roots of clients, for the processes of one MCP server.
 *
 * A process gets the roots of the client whose call is in flight, and is notified when
 * that client changes them. When it then asks outside a call, the same client answers.
 */
import { messageOf } from '../../../errors.ts';
import { Debounce } from '../../../files/debounce.ts';
import type { Log } from '../../../log.ts';
import type { RootsClient } from '../../../mcp/server/provider.ts';
import type { ServerProcess } from './server-process.ts';
import type { ServerQuestions } from './server-questions.ts';

/** Changes of a client within this time are one notification, in milliseconds. */
const ROOTS_QUIET_MS = 50;
/** Longest delay of the notification. */
const ROOTS_LATEST_MS = 500;

/** The client whose roots a process has. */
interface RootsOwner {
	readonly sessionId: string;
	/** The last answer. */
	readonly roots: unknown;
	/** Set with the first change. */
	client?: RootsClient;
	notification?: Debounce;
}

export class ServerRoots {
	readonly #questions: ServerQuestions;
	readonly #log: Log;
	readonly #owners = new WeakMap<ServerProcess, RootsOwner>();

	constructor(questions: ServerQuestions, log: Log) {
		this.#questions = questions;
		this.#log = log;
	}

	/** Answer a request of a process. */
	answer(process: ServerProcess, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
		if (method === 'roots/list') return this.#list(process, params, signal);
		return this.#questions.ask([...process.calls.values()], method, params, signal);
	}

	/** The roots of a client changed: notify those of the processes that have them. */
	changed(client: RootsClient, processes: readonly ServerProcess[]): void {
		for (const process of processes) {
			const owner = this.#owners.get(process);
			if (owner?.sessionId !== client.sessionId) continue;
			owner.client = client;
			owner.notification ??= new Debounce(() => this.#notify(process), {
				quietMs: ROOTS_QUIET_MS,
				latestMs: ROOTS_LATEST_MS,
			});
			owner.notification.touch();
		}
	}

	/** The session of a client has ended: these processes must not ask it any more. */
	endSession(sessionId: string, processes: readonly ServerProcess[]): void {
		for (const process of processes) {
			const owner = this.#owners.get(process);
			if (owner?.sessionId !== sessionId) continue;
			owner.notification?.close();
			this.#owners.delete(process);
		}
	}

	async #list(process: ServerProcess, params: unknown, signal: AbortSignal): Promise<unknown> {
		const [call] = process.calls.values();
		const owner = this.#owners.get(process);
		if (call === undefined) {
			if (owner?.client) return owner.client.listRoots();
			// A server that starts in the background has no client, so it has no roots either.
			return owner?.roots ?? { roots: [] };
		}
		const { sessionId } = call;
		const roots = await this.#questions.ask([...process.calls.values()], 'roots/list', params, signal);
		this.#owners.set(process, { ...(owner?.sessionId === sessionId && owner), sessionId, roots });
		return roots;
	}

	#notify({ connection }: ServerProcess): void {
		if (connection?.era !== 'legacy') return;
		try {
			connection.notify('notifications/roots/list_changed');
		} catch (error) {
			this.#log.debug(`the server was not notified of changed roots: ${messageOf(error)}`);
		}
	}
}
