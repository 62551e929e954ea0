/*
 * Cancellation and progress in a protocol on top of JSON-RPC.
 *
 * JSON-RPC itself has neither. The Model Context Protocol has both, with the same
 * names in every revision, so it is the default. `plainDialect` has neither.
 */
import { isObject } from '../wire/json.ts';
import { type Id, idOf } from '../wire/json-rpc.ts';

/** The cancellation and progress messages of a protocol. */
export interface Dialect {
	/** The notification that cancels our request; undefined when `method` cannot be canceled. */
	cancelNotice(id: number, reason: string, method: string): { method: string; params: unknown } | undefined;
	/** The id of the peer's request that this notification cancels. `text` is the whole message. */
	canceledId(method: string, params: unknown, text: string): Id | undefined;
	/**
	 * `params` with a progress token added: a copy, unless they have a place for it. That is a token `undefined`, which
	 * says that nobody else uses the params.
	 */
	withProgressToken(params: unknown, token: number): unknown;
	/** The token that this notification reports progress for. */
	progressToken(method: string, params: unknown): unknown;
}

/** The Model Context Protocol, all revisions. */
export const mcpDialect: Dialect = {
	cancelNotice: (id, reason, method) =>
		// A client must not cancel the handshake.
		method === 'initialize'
			? undefined
			: { method: 'notifications/cancelled', params: { requestId: id, reason } },
	canceledId: (method, params, text) =>
		method === 'notifications/cancelled' && isObject(params)
			? idOf(params['requestId'], text, 'params', 'requestId')
			: undefined,
	withProgressToken(params, token) {
		const object = isObject(params) ? params : {};
		const meta = object['_meta'];
		if (isObject(meta) && 'progressToken' in meta && meta['progressToken'] === undefined) {
			meta['progressToken'] = token;
			return params;
		}
		return {
			...object,
			_meta: isObject(meta) ? { ...meta, progressToken: token } : { progressToken: token },
		};
	},
	progressToken: (method, params) =>
		method === 'notifications/progress' && isObject(params) ? params['progressToken'] : undefined,
};

/** Plain JSON-RPC: no cancellation, no progress. */
export const plainDialect: Dialect = {
	cancelNotice: () => undefined,
	canceledId: () => undefined,
	withProgressToken: (params) => params,
	progressToken: () => undefined,
};
