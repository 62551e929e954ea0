/* Parse and format `host:port`, and resolve host names. */
import { isIPv4, isIPv6 } from 'node:net';
import { messageOf, OrchestraError } from '../errors.ts';

export interface HostPort {
	host: string;
	port: number;
}

export const LARGEST_PORT = 65_535;

/** Parse `host:port`, `[::1]:port` or `:port` (loopback). Throws `bad_input`. */
export function parseAddress(text: string): HostPort {
	const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
	const port = Number(match?.[3]);
	if (!match || port > LARGEST_PORT) {
		throw new OrchestraError('bad_input', `"${text}" is not an address`, {
			hint: 'Write host:port, for example localhost:9100 or [::1]:9100.',
		});
	}
	return { host: match[1] || match[2] || 'localhost', port };
}

/** Parse an address to connect to. Throws `bad_input` for port 0, which is valid only for a listener. */
export function parseDialAddress(text: string): HostPort {
	const address = parseAddress(text);
	if (address.port !== 0) return address;
	throw new OrchestraError(
		'bad_input',
		`"${text}" is not an address to connect to: no process listens on port 0`,
		{
			hint: `Write the port that the other side listens on, from 1 to ${LARGEST_PORT}.`,
		},
	);
}

export function formatAddress({ host, port }: HostPort): string {
	// `isIPv6` costs milliseconds on its first use, and no other host contains a colon.
	return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The IP addresses of a host, IPv4 first. Throws `not_found` for an unknown name. */
export async function resolveHost(host: string): Promise<string[]> {
	if (isIPv4(host) || (host.includes(':') && isIPv6(host))) return [host];
	try {
		const { lookup } = await import('node:dns/promises'); // loaded on demand: a bridge has a literal address and must start fast
		const found = await lookup(host, { all: true });
		const sorted = found.sort((one, other) => one.family - other.family);
		return [...new Set(sorted.map(({ address }) => address))];
	} catch (cause) {
		throw new OrchestraError('not_found', `the host name "${host}" cannot be resolved: ${messageOf(cause)}`, {
			cause,
			hint: 'Check the name, or write an address such as 127.0.0.1:9100.',
		});
	}
}

/** True for an IP address of the loopback interface. */
export function isLoopback(address: string): boolean {
	return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

/** Whether a host is on the loopback interface, whatever its name resolves to. Throws `not_found` for an unknown name. */
export async function isOnLoopback({ host }: Pick<HostPort, 'host'>): Promise<boolean> {
	return (await resolveHost(host)).every(isLoopback);
}
