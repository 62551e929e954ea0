/*
 * Requests to URLs that a server named: bounded in size, time and redirects, over HTTPS
 * except on this machine, and never into a network that the server is not part of.
 *
 * `node:http` and not `fetch`: the address is checked in the lookup of the very
 * connection, so that a name cannot point elsewhere between check and use.
 */
import { lookup } from 'node:dns';
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf, OrchestraError } from '../errors.ts';
import { within } from '../rpc/clock.ts';
import { hostOf, isLoopbackUrl, type NetworkClass, networkClass } from '../transport/http/network-class.ts';
import { proxyFor } from '../transport/http/proxy/proxy.ts';
import { TunnelAgent } from '../transport/http/proxy/tunnel-agent.ts';
import { readBytes } from '../transport/http/read-bytes.ts';
import { jsonObject } from '../wire/json.ts';
import { REDIRECT_LIMIT, REQUEST_MS, RESPONSE_LIMIT_BYTES } from './auth-limits.ts';

/** A request in the form that `oauth4webapi` passes to `fetch`. */
export interface GuardedRequest {
	readonly method?: string | undefined;
	readonly headers?: Readonly<Record<string, string>> | undefined;
	readonly body?: URLSearchParams | string | null | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Resolve at the headers and end the connection: the body may be a stream without end. */
	readonly ignoresBody?: boolean | undefined;
	/** Longest response, in bytes, and longest time, in milliseconds. Default: those of authorization. */
	readonly limitBytes?: number | undefined;
	readonly timeoutMs?: number | undefined;
}

export class GuardedHttp {
	readonly #trusted: readonly URL[];
	readonly #signal: AbortSignal | undefined;
	readonly #environment: Readonly<NodeJS.ProcessEnv>;
	/** The addresses of the trusted URLs. */
	#addresses: Promise<string[][]> | undefined;

	/** @param trusted URLs that the user configured: their networks may be reached @param environment names proxies */
	constructor(
		trusted: readonly string[],
		signal?: AbortSignal,
		environment: Readonly<NodeJS.ProcessEnv> = process.env,
	) {
		this.#environment = environment;
		this.#trusted = trusted.map((url) => new URL(url));
		this.#signal = signal;
	}

	/** Send one request; redirects are not followed. Rejects with `bad_input` for a forbidden target, `io` or `timeout` when it fails. */
	async fetch(target: string, request: GuardedRequest = {}): Promise<Response> {
		const url = this.#permitted(target);
		const limits = [AbortSignal.timeout(request.timeoutMs ?? REQUEST_MS), this.#signal, request.signal];
		const signal = AbortSignal.any(limits.filter((each) => each !== undefined));
		try {
			const host = hostOf(url);
			const allowed = await this.#allowed();
			const refused = isIP(host) === 0 ? undefined : this.#refusal(url, [host], allowed);
			if (refused) throw refused;
			const proxy = proxyFor(url, this.#environment);
			if (proxy) await this.#checkName(url, allowed);
			const agent = proxy ? new TunnelAgent(proxy) : false;
			return await this.#send(
				url,
				{ ...request, signal },
				{ agent, lookup: this.#guardedLookup(url, allowed) },
			);
		} catch (thrown) {
			this.#signal?.throwIfAborted();
			throw requestError(url, thrown);
		}
	}

	/** The JSON object at a URL; undefined when there is none (any status but 200, or other content). Redirects stay within the origin. */
	async json(target: string): Promise<Record<string, unknown> | undefined> {
		const response = await this.follow(target, REDIRECT_LIMIT);
		return response.status === 200 ? jsonObject(await response.text()) : undefined;
	}

	/** The response of a URL to a request for JSON, or its redirect to another origin or after too many hops. */
	async follow(target: string, hopLimit: number): Promise<Response> {
		let url = target;
		for (let hop = 0; ; hop++) {
			const response = await this.fetch(url, { headers: { accept: 'application/json' } });
			const location = response.headers.get('location');
			if (response.status < 300 || response.status > 399 || location === null) return response;
			const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
			if (hop >= hopLimit || next?.origin !== new URL(url).origin) return response;
			url = next.href;
		}
	}

	/** Tokens and codes are sent to these URLs, so plain HTTP is refused even where the user configured it. */
	#permitted(target: string): URL {
		const url = URL.canParse(target) ? new URL(target) : undefined;
		const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackUrl(url));
		if (url && isSecure && url.username === '') return url;
		throw new OrchestraError('bad_input', `${shown(target)} is not an https:// URL`, {
			hint: 'Authorization needs HTTPS, except on this machine.',
		});
	}

	/** The networks of the configured URLs. A name server that does not answer allows nothing, and is queried again. */
	async #allowed(): Promise<ReadonlySet<NetworkClass>> {
		this.#addresses ??= Promise.all(this.#trusted.map((url) => addressesOf(hostOf(url))));
		const found = await within(this.#addresses, REQUEST_MS, false);
		if (found?.some((addresses) => addresses.length === 0)) this.#addresses = undefined;
		return new Set(found?.flat().map(networkClass));
	}

	/** A proxy resolves names by itself, so only a name that points to a forbidden network from here is refused. */
	async #checkName(url: URL, allowed: ReadonlySet<NetworkClass>): Promise<void> {
		const addresses = (await within(addressesOf(hostOf(url)), REQUEST_MS, false)) ?? [];
		const refused = this.#refusal(url, addresses, allowed);
		if (refused) throw refused;
	}

	#send(
		url: URL,
		request: GuardedRequest,
		connection: Pick<RequestOptions, 'agent' | 'lookup'>,
	): Promise<Response> {
		const { method = 'GET', headers = {}, body, signal, limitBytes = RESPONSE_LIMIT_BYTES } = request;
		const send = url.protocol === 'https:' ? requestHttps : requestHttp;
		return new Promise((resolve, reject) => {
			const sent = send(url, {
				method,
				headers: { 'user-agent': 'orchestra-hub', ...headers },
				...connection,
				signal,
			});
			sent.on('error', reject);
			sent.on('response', (message) => {
				const status = message.statusCode ?? 0;
				if (request.ignoresBody) {
					resolve(responseOf(status, message.rawHeaders, Buffer.alloc(0)));
					return void message.destroy();
				}
				readBytes(message, limitBytes).then((bytes) => {
					if (bytes) resolve(responseOf(status, message.rawHeaders, bytes));
					else reject(new Error(`the response is larger than ${limitBytes} bytes`));
				}, reject);
			});
			sent.end(body?.toString());
		});
	}

	/** `lookup` that fails for an address in a forbidden network. */
	#guardedLookup(url: URL, allowed: ReadonlySet<NetworkClass>): LookupFunction {
		return (host, options, callback) => {
			lookup(host, { ...options, all: true }, (error, addresses) => {
				const [first] = addresses ?? [];
				const all = (addresses ?? []).map(({ address }) => address);
				const refused = error ?? this.#refusal(url, all, allowed);
				if (refused) callback(refused, []);
				else if (options.all || first === undefined) callback(null, addresses);
				else callback(null, first.address, first.family);
			});
		};
	}

	/** The origins that the user configured are reachable wherever they are. */
	#refusal(
		url: URL,
		addresses: readonly string[],
		allowed: ReadonlySet<NetworkClass>,
	): OrchestraError | undefined {
		if (this.#trusted.some(({ host }) => host === url.host)) return undefined;
		const isForbidden = (found: NetworkClass): boolean =>
			found === 'reserved' || (found !== 'public' && !allowed.has(found));
		const found = addresses.map(networkClass).find(isForbidden);
		if (found === undefined) return undefined;
		return new OrchestraError('bad_input', `${url.origin} is an address of a ${found} network`, {
			hint: 'A server may not direct requests there. If the address is right, set `oauth.issuer` of the server to it.',
			data: { origin: url.origin },
		});
	}
}

function addressesOf(host: string): Promise<string[]> {
	return new Promise((resolve) => {
		lookup(host, { all: true }, (error, addresses) => {
			resolve(error ? [] : addresses.map(({ address }) => address));
		});
	});
}

function responseOf(status: number, rawHeaders: readonly string[], body: Buffer): Response {
	const headers = new Headers();
	for (let at = 0; at + 1 < rawHeaders.length; at += 2)
		headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
	const hasBody = body.length > 0 && ![204, 205, 304].includes(status);
	return new Response(hasBody ? body : null, { status, headers });
}

function requestError(url: URL, thrown: unknown): OrchestraError {
	if (OrchestraError.is(thrown)) return thrown;
	const isLate = thrown instanceof Error && ['TimeoutError', 'AbortError'].includes(thrown.name);
	// Neither the path nor the query: they may hold a code.
	const reason = isLate ? `no response within ${REQUEST_MS / 1000} s` : messageOf(thrown);
	return new OrchestraError(isLate ? 'timeout' : 'io', `the request to ${url.origin} failed: ${reason}`, {
		hint: 'Check the address and the network, then try again.',
		data: { origin: url.origin },
	});
}

function shown(target: string): string {
	return URL.canParse(target) ? new URL(target).origin : 'an invalid text';
}
