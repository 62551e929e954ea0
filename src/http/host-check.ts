/*
 * Whether a request was meant for this listener.
 *
 * A page on another site can make a browser send requests to loopback, and with DNS
 * rebinding even read the replies. The browser still sends the name of that site in
 * `Host` and `Origin`, so both must name this listener.
 */
import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { KNOWN_ADDRESSES_LIMIT } from './http-limits.ts';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

export interface LocalAddress {
	readonly scheme: 'http' | 'https';
	/** The host that the listener is bound to. */
	readonly host: string;
	readonly port: number;
	/** Its names count as well. */
	readonly certificate?: X509Certificate | undefined;
}

/** Returns a check of `Host` and `Origin`; true when both name the listener. A missing `Origin` passes. */
export function hostCheck(listener: LocalAddress): (headers: IncomingHttpHeaders) => boolean {
	// A client repeats the same few values.
	const known = new Map<string, boolean>();
	const isNamed = (authority: string): boolean => {
		const before = known.get(authority);
		if (before !== undefined) return before;
		const verdict = isAuthorityOf(authority, listener);
		if (known.size < KNOWN_ADDRESSES_LIMIT) known.set(authority, verdict);
		return verdict;
	};
	const prefix = `${listener.scheme}://`;
	return ({ host = '', origin }) => {
		if (!isNamed(host)) return false;
		return origin === undefined || (origin.startsWith(prefix) && isNamed(origin.slice(prefix.length)));
	};
}

function isAuthorityOf(authority: string, listener: LocalAddress): boolean {
	const [, name, port] = /^(\[[\da-f:.]+\]|[^:[\]@/?#\s]+)(?::(\d{1,5}))?$/i.exec(authority) ?? [];
	if (name === undefined) return false;
	const given = port === undefined ? DEFAULT_PORTS[listener.scheme] : Number(port);
	return given === listener.port && isNameOf(name.toLowerCase(), listener);
}

function isNameOf(name: string, { host, certificate }: LocalAddress): boolean {
	if (certificate === undefined) return loopbackNames.has(name) || name === host.toLowerCase();
	const bare = name.replace(/^\[(.*)\]$/, '$1');
	const covered = isIP(bare) === 0 ? certificate.checkHost(bare) : certificate.checkIP(bare);
	return covered !== undefined;
}
