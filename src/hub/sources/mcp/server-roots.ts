/*
 * The roots of clients, for the processes of one MCP server.
 *
 * A process gets the roots of the client whose call is in flight, and is notified when
 * that client changes them. When it then asks outside a call, the same client answers; the
 * only client that is connected, when there was no call yet.
 */
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../../errors.ts';
import { Debounce } from '../../../files/debounce.ts';
import type { Log } from '../../../log.ts';
import type { RootsClient } from '../../../mcp/server/provider.ts';
import { isObject } from '../../../wire/json.ts';
import type { ConnectedClients } from '../../sessions/connected-clients.ts';
import { ROOTS_LATEST_MS, ROOTS_QUIET_MS } from '../source-limits.ts';
import { promoteModern } from './plain-call.ts';
import type { ServerProcess } from './process/server-process.ts';
import { relatedTaskOf, type ServerClientRequests } from './server-client-requests.ts';
import type { ServerRequest } from './server-deps.ts';

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
	readonly #clientRequests: ServerClientRequests;
	readonly #clients: ConnectedClients;
	readonly #log: Log;
	readonly #owners = new WeakMap<ServerProcess, RootsOwner>();

	constructor(clientRequests: ServerClientRequests, clients: ConnectedClients, log: Log) {
		this.#clientRequests = clientRequests;
		this.#clients = clients;
		this.#log = log;
	}

	/** Answer a request of a process. */
	answer(process: ServerProcess, request: ServerRequest): Promise<unknown> {
		promoteModern(process.calls.values());
		if (request.method === 'roots/list') return this.#list(process, request);
		const ask = (): Promise<unknown> =>
			this.#clientRequests.ask(this.#clientRequests.callOf(process.contexts, request), request);
		// The answer that made the task may be in the same chunk, and be handled later in this turn.
		return relatedTaskOf(request.params) === undefined ? ask() : setImmediate().then(ask);
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

	/** The session of a client has ended: these processes must not ask it any more, nor use its roots. */
	endSession(sessionId: string, processes: readonly ServerProcess[]): void {
		for (const process of processes) {
			const owner = this.#owners.get(process);
			if (owner?.sessionId !== sessionId) continue;
			owner.notification?.close();
			this.#owners.delete(process);
			this.#notify(process);
		}
	}

	async #list(process: ServerProcess, request: ServerRequest): Promise<unknown> {
		const owner = this.#owners.get(process);
		if (process.calls.size === 0) {
			if (owner?.client) return owner.client.listRoots();
			return owner?.roots ?? this.#ofOnlyClient(process);
		}
		const call = this.#clientRequests.callOf(process.contexts, request);
		const { sessionId } = call;
		const roots = await this.#clientRequests.ask(call, request);
		this.#owners.set(process, { ...(owner?.sessionId === sessionId && owner), sessionId, roots });
		return roots;
	}

	/** The roots of the only client, for a server that starts in the background. Among several none is the right one. */
	async #ofOnlyClient(process: ServerProcess): Promise<unknown> {
		const [only, ...others] = this.#clients.servedBy(process);
		const client = others.length === 0 ? only?.client : undefined;
		if (!only || !client?.listRoots || !isObject(client.capabilities?.['roots'])) return { roots: [] };
		const roots = await client.listRoots();
		this.#owners.set(process, { sessionId: only.sessionId, roots });
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
