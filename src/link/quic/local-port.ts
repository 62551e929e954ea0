/*
 * Does anybody on this machine still have a UDP port?
 *
 * A server's socket is shared by all peers, so the system does not tell it that a
 * peer's port is closed, as it tells a client. Linux lists the open ports, and a
 * peer on loopback is in that list for as long as its process lives.
 */
import { readFileSync } from 'node:fs';
import { type HostPort, isLoopback } from '../address.ts';

/** False when the port of a peer on loopback is closed; undefined when this system cannot tell. */
export function isLocalPortOpen({ host, port }: HostPort): boolean | undefined {
	if (process.platform !== 'linux' || !isLoopback(host)) return undefined;
	const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
	const table = readTable('/proc/net/udp');
	if (table === undefined) return undefined;
	// A socket for IPv6 may talk to IPv4 as well, so a port in either list is open.
	return hasPort(table, suffix) || hasPort(readTable('/proc/net/udp6') ?? '', suffix);
}

function readTable(path: string): string | undefined {
	try {
		return readFileSync(path, 'latin1');
	} catch {
		return undefined; // no /proc, or no IPv6
	}
}

/** Each line after the first: number, local address and port, remote address and port, … */
function hasPort(table: string, suffix: string): boolean {
	return table.split('\n').some((line, index) => index > 0 && line.trim().split(/\s+/)[1]?.endsWith(suffix));
}
