/*
 * The pages that an MCP server asked clients to open (elicitation of mode `url`), so that
 * its notification that a user is done with one reaches the client that got it. Only legacy
 * revisions have this notification.
 */
import { attempt } from '../../../errors.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import { BoundedMap } from '../../../rpc/bounded-map.ts';
import { isObject } from '../../../wire/json.ts';
import { OPENED_PAGES_LIMIT } from '../source-limits.ts';

export class UrlElicitations {
	/** Keyed by elicitation id. */
	readonly #clients = new BoundedMap<string, CallContext['clientNotifier']>(OPENED_PAGES_LIMIT);

	/** The client of a call got these. */
	opened({ revision, clientNotifier }: CallContext, elicitations: readonly unknown[]): void {
		if (revision.era === 'modern') return;
		for (const elicitation of elicitations) {
			const id = isObject(elicitation) ? elicitation['elicitationId'] : undefined;
			if (typeof id !== 'string') continue;
			this.#clients.set(id, clientNotifier);
		}
	}

	/** The params of `notifications/elicitation/complete`. */
	done(params: unknown): void {
		const id = isObject(params) ? params['elicitationId'] : undefined;
		if (typeof id !== 'string') return;
		const notify = this.#clients.get(id);
		this.#clients.delete(id);
		// The client has disconnected.
		attempt(() => notify?.('notifications/elicitation/complete', params));
	}
}
