/*
 * The `requestState` that a client returns with its answers.
 *
 * The client is not trusted: the state is signed with a key that never leaves this
 * process, expires, and is bound to the request that it was issued for.
 */
import type * as NodeCrypto from 'node:crypto';
import { sha256 } from '../../files/sha256.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { CLIENT_ANSWER_MS } from '../mcp-limits.ts';

const KEY_BYTES = 32;

/** The signed content: the id of a suspended call, or the state of a provider. */
export type StatePayload = { suspended: string } | { state: string | null };

export class RequestStates {
	readonly #now: () => number;
	#key: Buffer | undefined;

	constructor(now: () => number = Date.now) {
		this.#now = now;
	}

	/** A signed state for the client to return with the same `request`. */
	seal(payload: StatePayload, request: string): string {
		const expires = this.#now() + CLIENT_ANSWER_MS;
		const body = Buffer.from(JSON.stringify({ ...payload, expires, request: sha256(request) })).toString(
			'base64url',
		);
		return `${body}.${this.#sign(body)}`;
	}

	/** The payload of `state`. Throws -32602 when its signature is wrong, it expired or it belongs to another request. */
	open(state: string, request: string): StatePayload {
		const [body = '', signature = '', ...rest] = state.split('.');
		if (rest.length > 0 || !isSame(signature, this.#sign(body)))
			throw refused('it was not issued by this server, or was changed');
		const payload: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
		if (!isObject(payload) || Number(payload['expires']) < this.#now()) throw refused('it has expired');
		if (payload['request'] !== sha256(request)) throw refused('it belongs to another request');
		if (typeof payload['suspended'] === 'string') return { suspended: payload['suspended'] };
		return { state: typeof payload['state'] === 'string' ? payload['state'] : null };
	}

	#sign(body: string): string {
		this.#key ??= crypto().randomBytes(KEY_BYTES);
		return crypto().createHmac('sha256', this.#key).update(body).digest('base64url');
	}
}

function refused(why: string): Error {
	return rpcError(rpcCodes.invalidParams, `requestState was refused: ${why}`);
}

function isSame(left: string, right: string): boolean {
	const [a, b] = [Buffer.from(left), Buffer.from(right)];
	return a.length === b.length && crypto().timingSafeEqual(a, b);
}

/** Loaded on first use: it would make up much of the startup time, and most servers never need it. */
function crypto(): typeof NodeCrypto {
	return process.getBuiltinModule('node:crypto');
}
