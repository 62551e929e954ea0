/*
 * How a protocol on top of JSON-RPC spells cancellation and progress.
 *
 * JSON-RPC itself has neither. The Model Context Protocol has both, under these
 * names in every revision, so it is the default; a peer that knows of no such
 * thing is given `plainDialect`.
 */
import { isObject } from '../wire/json.ts';
import { exactly, type Id } from '../wire/json-rpc.ts';

export interface Dialect {
	/** The notification that asks the peer to give up our request; undefined when there is none for `method`. */
	cancelNotice(id: Id, reason: string, method: string): { method: string; params: unknown } | undefined;
	/** The id of the peer's request that this notification gives up. `text` is the whole message. */
	canceledId(method: string, params: unknown, text: string): unknown;
	/** Give the params of a request back the digits that the peer must see again. `text` is the whole message. */
	restore(params: unknown, text: string): void;
	/** `params` with a request for progress in it. */
	withProgressToken(params: unknown, token: number): unknown;
	/** The token that this notification reports progress for. */
	progressToken(method: string, params: unknown): unknown;
}

export const mcpDialect: Dialect = {
	cancelNotice: (id, reason, method) =>
		// A client must not cancel the handshake.
		method === 'initialize'
			? undefined
			: { method: 'notifications/cancelled', params: { requestId: id, reason } },
	canceledId: (method, params, text) =>
		method === 'notifications/cancelled' && isObject(params)
			? exactly(params['requestId'], text, 'params', 'requestId')
			: undefined,
	restore(params, text) {
		const meta = isObject(params) ? params['_meta'] : undefined;
		if (!isObject(meta) || typeof meta['progressToken'] !== 'number') return;
		meta['progressToken'] = exactly(meta['progressToken'], text, 'params', '_meta', 'progressToken');
	},
	withProgressToken(params, token) {
		const object = isObject(params) ? params : {};
		const meta = isObject(object['_meta']) ? object['_meta'] : {};
		return { ...object, _meta: { ...meta, progressToken: token } };
	},
	progressToken: (method, params) =>
		method === 'notifications/progress' && isObject(params) ? params['progressToken'] : undefined,
};

/** JSON-RPC and nothing else. */
export const plainDialect: Dialect = {
	cancelNotice: () => undefined,
	canceledId: () => undefined,
	restore: () => {},
	withProgressToken: (params) => params,
	progressToken: () => undefined,
};
