/*
 * The state that travels through the client and back while a call waits for it.
 *
 * The client is not trusted with it: it is signed with a key that never leaves this
 * process, expires, and is bound to the request it belongs to.
 */
import type * as NodeCrypto from 'node:crypto';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';

/** How long a client may take to come back, in milliseconds. */
export const STATE_TTL_MS: number = 10 * 60 * 1000;

const KEY_BYTES = 32;

/** What the state carries: the id of a parked call, or the state of a provider. */
export type Carried = { parked: string } | { state: string | null };

export class RequestStates {
	readonly #now: () => number;
	#key: Buffer | undefined;

	constructor(now: () => number = Date.now) {
		this.#now = now;
	}

	/** A state for the client to bring back. `request` is what it must belong to. */
	seal(carried: Carried, request: string): string {
		const expires = this.#now() + STATE_TTL_MS;
		const body = Buffer.from(JSON.stringify({ ...carried, expires, request: digest(request) })).toString(
			'base64url',
		);
		return `${body}.${this.#sign(body)}`;
	}

	/** What `state` carries. Throws -32602 when it is not ours, is too old or belongs to another request. */
	open(state: string, request: string): Carried {
		const [body = '', signature = '', ...rest] = state.split('.');
		if (rest.length > 0 || !isSame(signature, this.#sign(body)))
			throw refused('it was not issued by this server, or was changed');
		const carried: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
		if (!isObject(carried) || Number(carried['expires']) < this.#now()) throw refused('it has expired');
		if (carried['request'] !== digest(request)) throw refused('it belongs to another request');
		if (typeof carried['parked'] === 'string') return { parked: carried['parked'] };
		return { state: typeof carried['state'] === 'string' ? carried['state'] : null };
	}

	#sign(body: string): string {
		this.#key ??= crypto().randomBytes(KEY_BYTES);
		return crypto().createHmac('sha256', this.#key).update(body).digest('base64url');
	}
}

function refused(why: string): Error {
	return rpcError(rpcCodes.invalidParams, `requestState was refused: ${why}`);
}

function digest(request: string): string {
	return crypto().createHash('sha256').update(request).digest('base64url');
}

function isSame(left: string, right: string): boolean {
	const [a, b] = [Buffer.from(left), Buffer.from(right)];
	return a.length === b.length && crypto().timingSafeEqual(a, b);
}

/** Loaded when a call first asks: it is a good part of the start of a server, and most never need it. */
function crypto(): typeof NodeCrypto {
	return process.getBuiltinModule('node:crypto');
}
