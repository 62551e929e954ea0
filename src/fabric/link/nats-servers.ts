/*
 * The servers that a link may use, and the order in which it tries them. Pure.
 *
 * The client library has a pool of its own, and removes a server from it for good that
 * does not answer the first time. A member that started while two of three servers were
 * busy then knew one only, and waited for that one when it was lost. So the library gets
 * one server for each attempt, and every attempt may go to any of them.
 */
import { isIP } from 'node:net';

/** Where to connect to. */
export interface ServerAddress {
	readonly url: string;
	/** The name in its certificate, when it is not the host of the URL. */
	readonly tlsName?: string | undefined;
}

export class NatsServers {
	readonly #configured: readonly ServerAddress[];
	readonly #random: () => number;
	#discovered: readonly ServerAddress[] = [];
	#last: string | undefined;

	/** @param random from 0 to 1, as `Math.random` */
	constructor(servers: readonly string[], random: () => number = Math.random) {
		this.#configured = servers.map((url) => ({ url }));
		this.#random = random;
	}

	/** All servers in the order to try: shuffled, and the one that was used last at the end. */
	order(): readonly ServerAddress[] {
		const ranked = [...this.#configured, ...this.#discovered].map((server) => ({
			server,
			rank: server.url === this.#last ? 1 : this.#random(),
		}));
		return ranked.sort((one, other) => one.rank - other.rank).map(({ server }) => server);
	}

	/** The link uses this one. */
	used({ url }: ServerAddress): void {
		this.#last = url;
	}

	/** The cluster of the present server has these, as `host:port`. They have its certificate authority, so TLS. */
	discovered(addresses: readonly string[]): void {
		const known = new Set(this.#configured.map(({ url }) => new URL(url).host));
		const named = this.#configured.map(({ url }) => new URL(url).hostname).find((host) => !isAddress(host));
		this.#discovered = addresses
			.filter((address) => !known.has(address) && URL.canParse(`tls://${address}`))
			.map((address) => {
				const url = `tls://${address}`;
				return isAddress(new URL(url).hostname) ? { url, tlsName: named } : { url };
			});
	}
}

function isAddress(host: string): boolean {
	return isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}
