/*
 * Which sessions called, how often and when. A modern client has no connection of its own,
 * so it is shown by its calls.
 */
import type { StartedCall } from '../hub/call-feed.ts';
import type { ConnectedClient } from '../hub/connected-clients.ts';
import type { Revision } from '../protocol/revisions.ts';
import { isObject } from '../wire/json.ts';
import type { ClientRow } from './api-types.ts';

/** Sessions that are remembered; the one that has not called for longest is dropped. */
const SESSIONS_LIMIT = 256;
/** How long a session without a connection is shown after its last call, in milliseconds. */
const SHOWN_MS = 5 * 60_000;

interface Caller {
	readonly client: Pick<ClientRow, 'name' | 'version' | 'era' | 'revision'>;
	readonly since: number;
	calls: number;
	lastCallAt: number;
}

export class ClientCalls {
	readonly #callers = new Map<string, Caller>();

	/** A call began. */
	called({ context, startedAt, client: name }: StartedCall): void {
		const sessionId = context?.sessionId ?? '';
		const known = this.#callers.get(sessionId);
		if (known) {
			known.calls++;
			known.lastCallAt = startedAt.getTime();
			return;
		}
		const [oldest] = this.#callers.keys();
		if (this.#callers.size >= SESSIONS_LIMIT && oldest !== undefined) this.#callers.delete(oldest);
		const at = startedAt.getTime();
		const client = aboutClient(context?.clientInfo ?? { name }, context?.revision);
		this.#callers.set(sessionId, { client, since: at, calls: 1, lastCallAt: at });
	}

	/** The connected clients, and others that called a short time ago. */
	rows(connected: readonly ConnectedClient[], now: number): ClientRow[] {
		const rows = connected.map(({ sessionId, transport, since, client }): ClientRow => {
			const caller = this.#callers.get(sessionId);
			const about = caller?.client ?? aboutClient(client?.clientInfo, client?.revision);
			return { sessionId, transport, since, ...about, ...callsOf(caller) };
		});
		const shown = new Set(connected.map(({ sessionId }) => sessionId));
		for (const [sessionId, caller] of this.#callers) {
			if (shown.has(sessionId) || now - caller.lastCallAt > SHOWN_MS) continue;
			const { client, since } = caller;
			rows.push({ sessionId, transport: 'link', since, ...client, ...callsOf(caller) });
		}
		return rows;
	}
}

function callsOf(caller: Caller | undefined): Pick<ClientRow, 'calls' | 'lastCallAt'> {
	return { calls: caller?.calls ?? 0, lastCallAt: caller?.lastCallAt ?? null };
}

/** A client chooses its name freely. */
function aboutClient(info: unknown, revision: Revision | undefined): Caller['client'] {
	const { name, version } = isObject(info) ? info : {};
	const text = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 200) : null);
	return {
		name: text(name) ?? '',
		version: text(version),
		era: revision?.era ?? null,
		revision: revision?.version ?? null,
	};
}
