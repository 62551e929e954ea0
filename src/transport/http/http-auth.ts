/*
 * The interface between the HTTP client and authorization.
 *
 * The client sends a token and reports a refusal; how a token is obtained, stored and
 * refreshed is not its business. Implemented by the OAuth layer, and by a fake in tests.
 */
import type { Challenge } from './challenges.ts';

/** A request that the server refused for lack of authorization: 401, or 403 with `insufficient_scope`. */
export interface Unauthorized {
	readonly status: 401 | 403;
	/** The URL of the server, as configured. */
	readonly url: string;
	/** Every challenge of every `WWW-Authenticate` header, in their order; may be empty. */
	readonly challenges: readonly Challenge[];
	/** The token that was refused; undefined when none was sent. A hook that has a newer one just says `retry`. */
	readonly token: string | undefined;
}

/** Supplies the bearer token of one server. Called concurrently: several requests may be refused at once. */
export interface HttpAuth {
	/** Headers of the next request, beside the token. A rejection fails the request that asked. Every 403 is a refusal then. */
	headers?(): Promise<Readonly<Record<string, string>>>;
	/** The token for the next request; undefined: send none. A rejection fails the request that asked. */
	token(): Promise<string | undefined>;
	/**
	 * Get a new token if possible. `retry`: the request is sent once more, with what `token()` then returns. `fail`: the
	 * call fails with the hint to run `mctl auth`. A rejection with an `OrchestraError` is the error of the call.
	 */
	onUnauthorized(refusal: Unauthorized): Promise<'retry' | 'fail'>;
}
