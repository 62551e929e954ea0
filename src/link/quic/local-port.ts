/*
 * Check whether a UDP port on this machine is open.
 *
 * A client's connected socket gets ECONNREFUSED when the peer's port closes; a
 * server's socket is shared by all peers and gets nothing. Linux lists the open
 * ports, and a peer on loopback is in that list while its process lives.
 */
import { readFileSync } from 'node:fs';
import { attempt } from '../../errors.ts';
import { type HostPort, isLoopback } from '../address.ts';

/** False when the port of a peer on loopback is closed; undefined when the system has no port list. */
export function isLocalPortOpen({ host, port }: HostPort): boolean | undefined {
	if (process.platform !== 'linux' || !isLoopback(host)) return undefined;
	const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
	const table = readTable('/proc/net/udp');
	if (table === undefined) return undefined;
	// An IPv6 socket may serve IPv4 too, so a port in either list is open.
	return hasPort(table, suffix) || hasPort(readTable('/proc/net/udp6') ?? '', suffix);
}

function readTable(path: string): string | undefined {
	// There may be no /proc, or no IPv6.
	return attempt(() => readFileSync(path, 'latin1'));
}

/** Each line after the first: number, local address and port, remote address and port, … */
function hasPort(table: string, suffix: string): boolean {
	return table.split('\n').some((line, index) => index > 0 && line.trim().split(/\s+/)[1]?.endsWith(suffix));
}
