/*
 * The HTTP proxy for a URL, from the environment: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and
 * NO_PROXY; a name in lower case wins.
 *
 * This machine is never reached through a proxy. The credentials of the proxy are known
 * to the redaction and in no message.
 */
import { BlockList, isIP } from 'node:net';
import { OrchestraError } from '../../../errors.ts';
import { percentDecoded } from '../../../printable.ts';
import { addSecret } from '../../../redact.ts';
import { hostOf, isLoopbackUrl } from '../network-class.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** A proxy. */
export interface Proxy {
	/** Host and port, for messages. */
	readonly label: string;
	/** The variable that names it. */
	readonly variable: string;
	readonly hostname: string;
	readonly port: number;
	/** Whether the connection to the proxy is encrypted. */
	readonly isTls: boolean;
	/** Its authorization. */
	readonly headers: Readonly<Record<string, string>>;
}

/** The proxy for a URL; undefined when it is reached directly. Throws `bad_input` for a variable that names no HTTP proxy. */
export function proxyFor(url: URL, environment: Environment): Proxy | undefined {
	if (isLoopbackUrl(url)) return undefined;
	const names = [url.protocol === 'https:' ? 'https_proxy' : 'http_proxy', 'all_proxy'];
	for (const name of names) {
		const variable = [name, name.toUpperCase()].find((each) => (environment[each] ?? '') !== '');
		if (variable === undefined) continue;
		return isExcluded(url, environment) ? undefined : parseProxy(environment[variable] ?? '', variable);
	}
	return undefined;
}

function parseProxy(text: string, variable: string): Proxy {
	const whole = text.includes('://') ? text : `http://${text}`;
	const url = URL.canParse(whole) ? new URL(whole) : undefined;
	const port = url && defaultPorts[url.protocol];
	if (url === undefined || port === undefined || url.hostname === '') {
		throw new OrchestraError('bad_input', `${variable} does not name an HTTP proxy`, {
			hint: `Set ${variable} to http://host:port or https://host:port. SOCKS proxies are not supported.`,
		});
	}
	return {
		label: url.host,
		variable,
		hostname: hostOf(url),
		port: url.port === '' ? port : Number(url.port),
		isTls: url.protocol === 'https:',
		headers: authorizationOf(url),
	};
}

function authorizationOf({ username, password }: URL): Record<string, string> {
	if (username === '' && password === '') return {};
	const [user, secret] = [percentDecoded(username), percentDecoded(password)];
	const credentials = Buffer.from(`${user}:${secret}`).toString('base64');
	for (const value of [secret, password, `${user}:${secret}`, credentials]) addSecret(value);
	return { 'proxy-authorization': `Basic ${credentials}` };
}

function isExcluded(url: URL, environment: Environment): boolean {
	const list = [environment['no_proxy'], environment['NO_PROXY']].find((text) => (text ?? '') !== '') ?? '';
	return list
		.split(/[\s,]+/)
		.filter((entry) => entry !== '')
		.some((entry) => isCovered(url, entry.toLowerCase()));
}

/** `*`, `host`, `.domain`, `*.domain`, an address, `address/bits`; each with an optional `:port`. */
function isCovered(url: URL, entry: string): boolean {
	if (entry === '*') return true;
	const host = hostOf(url).toLowerCase().replace(/\.$/, '');
	if (entry.includes('/')) return isInNetwork(host, entry);
	const [, name = entry, port] = isIP(entry) === 6 ? [] : (/^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry) ?? []);
	if (port !== undefined && Number(port) !== Number(url.port || defaultPorts[url.protocol])) return false;
	const domain = name.replace(/^\*?\./, '');
	return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, network: string): boolean {
	const [address = '', bits = ''] = network.split('/');
	const family = isIP(address);
	const isValid = family !== 0 && /^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
	if (!isValid || isIP(host) !== family) return false;
	const list = new BlockList();
	list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
	return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
