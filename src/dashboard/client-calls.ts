/*
 * Which sessions called, how often and when. A modern client introduces itself with each
 * request only, so its name comes from its calls.
 */
import type { StartedCall } from '../hub/call-feed.ts';
import type { ConnectedClient } from '../hub/connected-clients.ts';
import type { Revision } from '../protocol/revisions.ts';
import { isObject } from '../wire/json.ts';
import type { ClientRow } from './api-types.ts';

/** Sessions that are remembered; the longest idle session is dropped. */
const SESSIONS_LIMIT = 256;

interface Caller {
	readonly client: Pick<ClientRow, 'name' | 'version' | 'era' | 'revision'>;
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
		this.#callers.set(sessionId, { client, calls: 1, lastCallAt: at });
	}

	/** The connected clients. */
	rows(connected: readonly ConnectedClient[]): ClientRow[] {
		return connected.map(({ sessionId, transport, since, client }): ClientRow => {
			const caller = this.#callers.get(sessionId);
			const about = caller?.client ?? aboutClient(client?.clientInfo, client?.revision);
			return { sessionId, transport, since, ...about, ...callsOf(caller) };
		});
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
