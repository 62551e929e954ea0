/*
 * Who may use the dashboard: a browser with a cookie, or a program with the token.
 *
 * `mctl dashboard` gets a code that can be used once; the browser that brings it gets a
 * cookie. The cookie does not open `/mcp`. Browsers send cookies to every port of a host,
 * so the name of the cookie has the port, and the header `Sec-Fetch-Site` or `Origin`
 * must say that a page of this listener sends the request. Only hashes are stored.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate } from '../http/authenticate.ts';
import type { DashboardLimits } from './dashboard-limits.ts';

const SECRET_BYTES = 32;

/** The verdict about a request: it may enter, its sender is unknown, or another site sends it. */
export type EntryVerdict = 'ok' | 'unauthorized' | 'forbidden';

/** What is read of a request. */
export interface SentRequest {
	readonly headers: IncomingHttpHeaders;
	readonly socket: { readonly localPort?: number | undefined };
}

export interface AccessOptions {
	/** The check of `Authorization: Bearer`. */
	readonly hasToken: Authenticate;
	readonly limits: Pick<DashboardLimits, 'codeMs' | 'codes' | 'loginMs' | 'logins'>;
	/** Milliseconds. Default: the clock of the process. */
	readonly now?: (() => number) | undefined;
}

export class DashboardAccess {
	readonly #hasToken: Authenticate;
	readonly #limits: AccessOptions['limits'];
	readonly #now: () => number;
	/** When each code ends, by its hash. */
	readonly #codes = new Map<string, number>();
	/** When each login ends, by the hash of its cookie. */
	readonly #logins = new Map<string, number>();

	constructor({ hasToken, limits, now = () => performance.now() }: AccessOptions) {
		this.#hasToken = hasToken;
		this.#limits = limits;
		this.#now = now;
	}

	/** A code for one login. The oldest unused one ends when there are too many. */
	makeCode(): string {
		return this.#issue(this.#codes, this.#limits.codeMs, this.#limits.codes);
	}

	/** The value of a new cookie for a code; undefined for a code that was used, has ended or never was. */
	enter(code: string): string | undefined {
		const hash = hashOf(code);
		const endsAt = this.#codes.get(hash) ?? 0;
		this.#codes.delete(hash);
		if (endsAt <= this.#now()) return undefined;
		return this.#issue(this.#logins, this.#limits.loginMs, this.#limits.logins);
	}

	/** End the login of a request. */
	leave(request: SentRequest): void {
		this.#logins.delete(this.loginOf(request));
	}

	/** The id that the requests of one login share; another one for each browser. */
	loginOf(request: SentRequest): string {
		return hashOf(cookieValue(request.headers.cookie ?? '', cookieName(request)));
	}

	/** Whether a request for the page may enter. */
	forPage(request: SentRequest): EntryVerdict {
		const isKnown = this.#hasToken(request) !== undefined || this.#isLoggedIn(request);
		return isKnown ? 'ok' : 'unauthorized';
	}

	/** Whether a request for the API may enter. A request with a cookie must come from the page. */
	forApi(request: SentRequest, changesState: boolean): EntryVerdict {
		if (this.#hasToken(request) !== undefined) return 'ok';
		if (!this.#isLoggedIn(request)) return 'unauthorized';
		return isFromPage(request.headers, changesState) ? 'ok' : 'forbidden';
	}

	#isLoggedIn(request: SentRequest): boolean {
		// A lookup by hash takes the same time for every wrong value.
		const hash = this.loginOf(request);
		const now = this.#now();
		if ((this.#logins.get(hash) ?? 0) <= now) return false;
		this.#logins.delete(hash);
		this.#logins.set(hash, now + this.#limits.loginMs);
		return true;
	}

	/** The oldest is the first of the map. */
	#issue(issued: Map<string, number>, lifeMs: number, limit: number): string {
		const now = this.#now();
		for (const [hash, endsAt] of issued) if (endsAt <= now || issued.size >= limit) issued.delete(hash);
		const secret = randomBytes(SECRET_BYTES).toString('base64url');
		issued.set(hashOf(secret), now + lifeMs);
		return secret;
	}
}

/** The header that gives a browser its cookie. */
export function cookieHeader(value: string, request: SentRequest): string {
	const secure = 'encrypted' in request.socket ? '; Secure' : '';
	return `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** The header that takes the cookie away. */
export function noCookieHeader(request: SentRequest): string {
	return `${cookieName(request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
}

function cookieName({ socket }: SentRequest): string {
	return `orchestra_${socket.localPort ?? 0}`;
}

function cookieValue(header: string, name: string): string {
	for (const pair of header.split(';')) {
		const [key = '', value = ''] = pair.trim().split('=', 2);
		if (key === name) return value;
	}
	return '';
}

/**
 * Browsers set both headers, and a page cannot. `Origin` was compared with this listener before; a request that
 * changes something must have one of them.
 */
function isFromPage(headers: IncomingHttpHeaders, changesState: boolean): boolean {
	const site = headers['sec-fetch-site'];
	if (site !== undefined) return site === 'same-origin';
	return headers.origin !== undefined || !changesState;
}

function hashOf(text: string): string {
	return createHash('sha256').update(text).digest('base64');
}
