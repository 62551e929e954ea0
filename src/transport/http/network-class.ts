/*
 * Where an address is: this machine, a private network, or the internet.
 *
 * A server names the URLs of its metadata and its endpoints. Without a check it could
 * make this process send requests to a router, a database or the metadata service of a
 * cloud (server-side request forgery).
 */
import { BlockList, isIP } from 'node:net';

/** `reserved`: link-local (cloud metadata services), multicast, unspecified; never a legitimate target. */
export type NetworkClass = 'public' | 'private' | 'loopback' | 'reserved';

const ranges: Readonly<Record<Exclude<NetworkClass, 'public'>, readonly string[]>> = {
	loopback: ['127.0.0.0/8', '::1/128'],
	private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'],
	reserved: [
		'0.0.0.0/8',
		'169.254.0.0/16',
		'192.0.0.0/24',
		'198.18.0.0/15',
		'224.0.0.0/3',
		'::/128',
		'fe80::/10',
		'ff00::/8',
	],
};

const lists = Object.entries(ranges).map(([name, networks]) => {
	const list = new BlockList();
	for (const network of networks) {
		const [address = '', bits = ''] = network.split('/');
		list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
	}
	// The keys of `ranges` are network classes.
	return [name as NetworkClass, list] as const;
});

/** The class of an IP address. An IPv4 address inside an IPv6 one (mapped, NAT64, 6to4) counts as itself. */
export function networkClass(address: string): NetworkClass {
	const plain = address.replace(/%.*$/, '');
	const inner = embeddedAddress(plain) ?? plain;
	const family = isIP(inner) === 6 ? 'ipv6' : 'ipv4';
	return lists.find(([, list]) => list.check(inner, family))?.[0] ?? 'public';
}

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
	return url.hostname.replace(/^\[|\]$/g, '');
}

/** True for a URL of this machine: an address of loopback, or a name that can be nothing else (RFC 6761). */
export function isLoopbackUrl(url: URL): boolean {
	const host = hostOf(url);
	if (isIP(host) !== 0) return networkClass(host) === 'loopback';
	return /^(?:.+\.)?localhost\.?$/i.test(host);
}

const DOTTED = /^(?:::ffff:|::|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/i;
const HEXADECIMAL = /^(?:::ffff:|64:ff9b::|2002:)([\da-f]{1,4}):([\da-f]{1,4})(?:::|$)/i;

function embeddedAddress(address: string): string | undefined {
	const dotted = DOTTED.exec(address)?.[1];
	if (dotted !== undefined) return dotted;
	const [, high, low] = HEXADECIMAL.exec(address) ?? [];
	if (high === undefined || low === undefined) return undefined;
	const groups = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
	return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}
