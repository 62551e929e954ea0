/*
 * The folders that the client works in. The working directory of the bridge says little:
 * VS Code starts the servers of the user's file in the home folder. So a client of the
 * legacy era that declares `roots` gets one request for them, after `initialized`. Requests
 * wait a moment for the answer, since the first list shall be that of the right project.
 */
import { isObject, parseJson } from '../wire/json.ts';
import { encodeRequest } from '../wire/json-rpc.ts';
import { ROOTS_LIMIT, ROOTS_MS } from './bridge-limits.ts';
import { type Head, isInitialize } from './message-head.ts';

const REQUEST_ID = '"bridge-roots"';

/** Called with the roots of a client that has some. Returns true when its hub is another one. */
export type OnRoots = (uris: readonly string[]) => boolean;

export interface ClientRootsOptions {
	readonly onRoots: OnRoots;
	readonly toClient: (text: string) => void;
	/** The answer is there, or did not come in time. */
	readonly onSettled: () => void;
}

export class ClientRoots {
	readonly #options: ClientRootsOptions;
	#isDeclared = false;
	#isRequested = false;
	#timer: NodeJS.Timeout | undefined;
	#isMoveDue = false;
	#waitsForHub = false;

	constructor(options: ClientRootsOptions) {
		this.#options = options;
	}

	/** Requests wait: for the answer, or for the hub that follows from it. */
	get holdsRequests(): boolean {
		return this.#timer !== undefined || this.#waitsForHub;
	}

	/** The present hub is that of another project. */
	get isMoveDue(): boolean {
		return this.#isMoveDue;
	}

	/** Track a message of the client, and ask it when it has initialized. True for the response, which is not for the hub. */
	take(text: string, head: Head): boolean {
		if (head.kind === 'response') return this.#takeResponse(text, head.id);
		if (head.kind === 'request' && isInitialize(head)) this.#isDeclared = declaresRoots(text);
		const isReady = head.kind === 'notification' && head.method === 'notifications/initialized';
		if (isReady && this.#isDeclared && !this.#isRequested) {
			this.#isRequested = true;
			this.#timer = setTimeout(() => this.#settle([]), ROOTS_MS);
			this.#options.toClient(encodeRequest(REQUEST_ID, 'roots/list', undefined));
		}
		return false;
	}

	/** The hub of another project was given up. */
	moved(): void {
		this.#isMoveDue = false;
	}

	/** A hub is connected. */
	attached(): void {
		this.#waitsForHub = false;
	}

	/** Wait no longer. */
	end(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	#takeResponse(text: string, id: string): boolean {
		if (!this.#isRequested || id !== REQUEST_ID) return false;
		this.#settle(urisOf(text));
		return true;
	}

	/** A late answer counts too, but does not hold up what runs already. */
	#settle(uris: readonly string[]): void {
		const isLate = this.#timer === undefined;
		this.end();
		this.#isMoveDue = uris.length > 0 && this.#options.onRoots(uris);
		this.#waitsForHub = this.#isMoveDue && !isLate;
		this.#options.onSettled();
	}
}

function declaresRoots(text: string): boolean {
	const { params } = Object(parseJson(text));
	const capabilities = isObject(params) ? params['capabilities'] : undefined;
	return isObject(capabilities) && isObject(capabilities['roots']);
}

/** None when the client refused. */
function urisOf(text: string): string[] {
	const { result } = Object(parseJson(text));
	const roots: unknown = isObject(result) ? result['roots'] : undefined;
	if (!Array.isArray(roots)) return [];
	return roots
		.slice(0, ROOTS_LIMIT)
		.flatMap((root: unknown) => (isObject(root) && typeof root['uri'] === 'string' ? [root['uri']] : []));
}
